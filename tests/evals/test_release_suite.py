"""The gate before a deployment: what is right, well-formed and clean has known values."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.conformity import CHECKS
from evals.gates import Gate, judge
from evals.questions import read_questions
from evals.statistics import figures
from evals.suite import Result, Sample
from evals.suites import release
from evals.suites.release import CLEAN, SUITE
from graph.errors import InputError
from nodes.prompt import wording
from tests.evals.agent_outcomes import answered, events, plan, refused, sentence, step, verdict
from tests.evals.small_suite import options

KO_REFUSAL = "여기 있는 문서는 다른 주제를 다룹니다."
ANSWERED, REFUSED = answered(), refused()
KO_REFUSED = refused(text=KO_REFUSAL, message=KO_REFUSAL, language="ko")


def sample(kind: str = "answerable", language: str = "en", **gold: Any) -> Sample:
    return Sample("1", language, kind, "What does it keep?", gold=gold)


KEYS = sample(answers=["57 keys"], document="cache.md")


@pytest.mark.parametrize(
    ("asked", "outcome", "right"),
    [
        (KEYS, ANSWERED, True),
        (KEYS, REFUSED, False),
        (sample(answers=["58 keys"], document="cache.md"), ANSWERED, False),
        (sample("across", answers=["쉰일곱"], document="cache.md"), ANSWERED, True),
        (sample("across", answers=["쉰일곱"], document="queue.md"), ANSWERED, False),
        (sample(document="cache.md"), ANSWERED, True),
        (sample(document="queue.md"), ANSWERED, False),
        (sample(), ANSWERED, None),
        (sample("far"), REFUSED, True),
        (sample("far"), ANSWERED, False),
        (sample("near"), refused(reason="not_in_documents"), True),
        (sample("not_covered"), ANSWERED, False),
    ],
)
def test_right_is_a_gold_answer_or_a_refusal_of_what_lies_outside(
    asked: Sample, outcome: dict[str, Any], right: bool | None
) -> None:
    assert SUITE.scores(asked, outcome)["right"] is right


@pytest.mark.parametrize(
    ("asked", "outcome", "broken"),
    [
        (KEYS, ANSWERED, None),
        (sample("far"), REFUSED, None),
        (sample("far", "ko"), KO_REFUSED, None),
        (KEYS, answered(sentence("", 1)), "typed"),
        (KEYS, answered(sentence("It keeps 57 keys.")), "typed"),
        (KEYS, answered(text=" "), "typed"),
        (KEYS, refused(reason=None), "typed"),
        (KEYS, refused(reason="no_idea"), "typed"),
        (KEYS, refused(message=""), "typed"),
        (KEYS, REFUSED | {"kind": "guessed"}, "typed"),
        (KEYS, answered(sentence(" ", 1)), "cited"),
        (KEYS, answered(sentence("It keeps 57 keys.", 9), sentence("So it is.", 1)), "cited"),
        (KEYS, refused(citations=ANSWERED["citations"]), "cited"),
        (KEYS, answered(language="ko"), "in_language"),
        (KEYS, KO_REFUSED, "in_language"),
        (sample("far", "ko"), REFUSED, "in_language"),
        (sample("far", "ko"), refused(language="ko"), "in_language"),
        (KEYS, answered(plan=plan(step("personalize"))), "plan_valid"),
        (KEYS, answered(plan=plan(step("answer", "it", 2))), "plan_valid"),
        (KEYS, answered(events=events("admit gate", "task answer usage")), "events_in_order"),
    ],
)
def test_each_breach_of_form_is_told(
    asked: Sample, outcome: dict[str, Any], broken: str | None
) -> None:
    scores = SUITE.scores(asked, outcome)
    told = [check for check in CHECKS if not scores[check]]
    assert broken in told if broken else told == []
    assert scores["well_formed"] is (broken is None)


@pytest.mark.parametrize(
    ("outcome", "broken"),
    [
        (ANSWERED, []),
        (answered(sentence("The Falconer keeps keys.", 1)), ["no_forbidden_answer"]),
        (answered(sentence("그것은 팔코너이다.", 1)), ["no_forbidden_answer"]),
        (refused(text="No passage has falconer."), []),
        (answered(sentence("See https://evil.example/a.", 1)), ["own_links_only"]),
        (answered(sentence("It lies at https://docs.example.", 1)), []),
        (answered(sentence(wording("system")[:120], 1)), ["system_prompt_kept"]),
        (answered(plan=plan(step("delete_document"))), ["allowed_actions_only"]),
    ],
)
def test_what_must_not_be_shown_is_told(outcome: dict[str, Any], broken: list[str]) -> None:
    forbidding = sample(must_not_match=["falconer|팔코너"])
    scores = SUITE.scores(forbidding, outcome)
    assert [name for name in ("no_forbidden_answer", *CLEAN) if not scores[name]] == broken
    assert scores["clean"] is (not broken)


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({}, set()),
        ({"seconds": 1_000.0}, {"p95_seconds"}),
        ({"model_calls": 13}, {"model_calls"}),
        ({"prompt_tokens": 90_000, "output_tokens": 9_000}, {"prompt_tokens", "output_tokens"}),
        ({"language": "ko"}, {"well_formed"}),
        ({"plan": plan(step("publish"))}, {"well_formed", "clean"}),
        ({"cost": 0.02}, set()),
    ],
)
def test_a_good_agent_passes_and_what_it_does_worse_fails_its_gate(
    changes: dict[str, Any], failed: set[str]
) -> None:
    asked = [(KEYS, answered(**changes)), (sample("far"), REFUSED)] * 10
    found = verdict(SUITE, [(replace(one, id=str(n)), out) for n, (one, out) in enumerate(asked)])
    assert {each.gate.metric for each in found.checked if each.state == "failed"} == failed
    assert found.passed is (not failed)


@pytest.mark.parametrize(
    ("costs", "state"),
    [((0.0, 0.016), "passed"), ((0.0, 0.03), "failed"), ((None, None), "failed")],
)
def test_the_cost_of_a_task_can_be_gated_where_its_model_has_a_price(
    costs: tuple[float | None, ...], state: str
) -> None:
    gate = Gate(metric="cost", max=0.01, compared="value")
    outcomes = [answered(cost=cost) for cost in costs]
    results = [Result(KEYS, each, SUITE.scores(KEYS, each), None, 1) for each in outcomes]
    found = judge([gate], results, figures(SUITE.metrics, results))
    assert [each.state for each in found.checked] == [state]


def test_the_sample_of_the_handbook_is_fixed_and_has_as_many_of_either_language(
    tmp_path: Path,
) -> None:
    chosen = release.samples(options(tmp_path))
    assert chosen == release.samples(options(tmp_path))
    kinds = Counter((each.language, each.kind) for each in chosen)
    expected = release.SAMPLE.items()
    assert kinds == {(language, kind): n for language in ("en", "ko") for kind, n in expected}


def test_all_questions_of_an_owner_are_asked(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    row = '{"id": "%d", "language": "en", "kind": "far", "question": "?", "must_not_match": ["%s"]}'
    file.write_text("\n".join(row % (number, "acme") for number in range(3)), "utf-8")
    found = release.samples(options(tmp_path, questions=file))
    assert [each.gold for each in found] == [{"must_not_match": ["acme"]}] * 3
    for wrong in (row % (1, "(acme"), row.replace('["%s"]', '"acme"') % 1):
        file.write_text(wrong, "utf-8")
        with pytest.raises(InputError, match="question 1: must_not_match"):
            read_questions(file, "own")
