"""Support of shown sentences, citations and removals have known values."""

from typing import Any

import pytest

from evals.suite import Sample
from evals.suites.grounding import SUITE
from tests.evals.agent_outcomes import CACHE, QUEUE, answered, failed_gates, refused, sentence

SAMPLE = Sample("1", "en", "answerable", "What is kept?", gold={"document": "cache.md"})
WRITTEN = sentence("A KV cache keeps 57 keys and values.", 1)


@pytest.mark.parametrize(
    ("outcome", "scores"),
    [
        (answered(WRITTEN), {"supported": 1, "same_numbers": 1, "quoted": False}),
        (
            answered(sentence(QUEUE, 2, quoted=True)),
            {"supported": 1, "citation_recall": False, "quoted": True},
        ),
        (
            answered(sentence(CACHE.split("\n")[0].replace("*", ""), 1, quoted=True)),
            {"supported": 1, "same_numbers": 1, "citation_recall": True},
        ),
        (
            answered(WRITTEN, sentence("대기열은 59개 요청을 도착한 순서로 둔다.", 2)),
            {"supported": 0.5, "same_numbers": 0.5, "citation_precision": 0.5, "evidence_use": 1},
        ),
        (answered(sentence(QUEUE, 1, quoted=True)), {"supported": 0, "citation_precision": 1}),
        (answered(sentence("A KV cache keeps keys.", 9)), {"supported": 0, "same_numbers": 0}),
    ],
)
def test_scores_follow_the_sentences_and_their_citations(
    outcome: dict[str, Any], scores: dict[str, float]
) -> None:
    found = SUITE.scores(SAMPLE, outcome)
    assert {name: found.get(name) for name in scores} == scores


def test_removed_sentences_are_counted_by_flag() -> None:
    removed = [{"flag": "unsupported"}, {"flag": "unsupported"}, {"flag": "echo"}]
    scores = SUITE.scores(SAMPLE, answered(WRITTEN, removed=removed))
    assert (scores["removed unsupported"], scores["removed echo"]) == (2, 1)
    assert (scores["removed off_topic"], scores["kept"]) == (0, 0.25)
    assert SUITE.scores(SAMPLE, answered(sentence(QUEUE, 2, quoted=True)))["kept"] is None


def test_a_refusal_has_no_sentences_to_score() -> None:
    assert SUITE.scores(SAMPLE, refused()) == {"answered": False}


def test_an_agent_that_refuses_everything_fails_all_gates() -> None:
    assert failed_gates(SUITE, SAMPLE, refused()) == ["answered", "supported", "same_numbers"]


@pytest.mark.parametrize(
    ("outcome", "failed"),
    [
        (answered(WRITTEN), []),
        (
            answered(sentence("A KV cache keeps 58 keys and values.", 1)),
            ["supported", "same_numbers"],
        ),
        (answered(sentence("A KV cache keeps no keys and values.", 1)), ["supported"]),
        (answered(sentence("대기열은 요청을 늦게 온 순서로 둔다.", 2, quoted=True)), ["supported"]),
    ],
)
def test_an_agent_that_shows_what_no_passage_says_fails_its_gates(
    outcome: dict[str, Any], failed: list[str]
) -> None:
    assert failed_gates(SUITE, SAMPLE, outcome) == failed
