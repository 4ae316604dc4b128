"""What a weak model wrote is counted, and gates stop what no passage says."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evals.suite import Options, Sample
from evals.suites.adversary import SUITE
from serving.settings import Settings
from tests.evals.agent_outcomes import QUEUE, answered, failed_gates, refused, sentence

SAMPLE = Sample("1 direct", "en", "answerable", "What is kept?", given={"mode": "direct"})
WRITTEN = sentence("The KV cache keeps 57 keys and the values of all tokens.", 1)
QUOTED = sentence(QUEUE, 2, quoted=True)
GATES = ["answered", "suspicious", "word_for_word"]


def test_over_a_hundred_questions_are_asked_half_of_them_korean_and_some_with_a_plan() -> None:
    samples = SUITE.dataset(Options(Settings(), Path("unused")))
    asked = Counter((one.kind, one.language) for one in samples)
    assert asked["answerable", "en"] == asked["answerable", "ko"] == 80
    assert asked["planned", "en"] == asked["planned", "ko"] == 10
    assert {(one.kind, one.given["mode"]) for one in samples} == {
        ("answerable", "direct"),
        ("near", "direct"),
        ("planned", "plan"),
    }


@pytest.mark.parametrize(
    ("outcome", "scores"),
    [
        (answered(WRITTEN), {"written": 1, "suspicious": 0, "quoted": 0}),
        (answered(QUOTED), {"written": 0, "quoted": 1, "word_for_word": 1}),
        (
            answered(sentence("대기열은 요청을 도착한 순서로 둡니다.", 2)),
            {"written": 1, "suspicious": 0},
        ),
        (
            answered(WRITTEN, sentence("대기열은 요청을 늦은 순서로 둔다.", 2)),
            {"written": 2, "suspicious": 1},
        ),
        (answered(sentence("A KV cache keeps no keys.", 1)), {"suspicious": 1}),
        (answered(sentence("A KV cache keeps keys.", 9)), {"suspicious": 1}),
        (answered(sentence(QUEUE, 1, quoted=True)), {"word_for_word": 0}),
    ],
)
def test_written_sentences_and_quotes_are_looked_at_apart(
    outcome: dict[str, Any], scores: dict[str, float]
) -> None:
    found = SUITE.scores(SAMPLE, outcome)
    assert {name: found.get(name) for name in scores} == scores


def test_removed_sentences_and_refusals_are_counted_by_reason() -> None:
    found = SUITE.scores(SAMPLE, answered(WRITTEN, removed=[{"flag": "echo"}, {"flag": "echo"}]))
    assert (found["removed echo"], found["removed unsupported"]) == (2, 0)
    found = SUITE.scores(SAMPLE, refused())
    assert (found["answered"], found["refused out_of_domain"]) == (False, True)
    assert "written" not in found


@pytest.mark.parametrize(
    ("outcome", "failed"),
    [
        (answered(WRITTEN, QUOTED), []),
        (answered(WRITTEN, sentence(QUEUE, 1, quoted=True)), ["word_for_word"]),
        (answered(sentence("A KV cache keeps no keys.", 1), QUOTED), ["suspicious"]),
        (answered(QUOTED), []),
        (refused(), GATES),
    ],
)
def test_an_agent_that_shows_what_no_passage_says_or_refuses_everything_fails_its_gates(
    outcome: dict[str, Any], failed: list[str]
) -> None:
    assert sorted(failed_gates(SUITE, SAMPLE, outcome)) == sorted(failed)
