"""Plans against what requests need: known values, and the requests themselves."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evals.suite import Sample
from evals.suites import planning
from evals.suites.planning import SUITE
from graph.plan import ACTIONS
from knowledge.lexical import script
from tests.evals.agent_outcomes import answered, failed_gates, plan, refused, step
from tests.evals.small_suite import options

REQUESTS = [json.loads(line) for line in planning.REQUESTS.read_text("utf-8").splitlines()]


def sample(*needs: str, profile: str | None = None) -> Sample:
    given = {"mode": "plan", "profile": profile}
    return Sample("1", "ko", "chain", "비교하고 요약해 줘.", gold={"needs": needs}, given=given)


BOTH = sample("analyze", "summarize")
FIT = plan(step("analyze", "비교"), step("summarize", "요약", 1), maker="model")


@pytest.mark.parametrize(
    ("made", "scores"),
    [
        (FIT, {"valid": True, "complete": True, "needs_met": 1, "to_the_point": 1, "repeated": 0}),
        (FIT | {"reason": "no JSON"}, {"by_model": True, "asked_twice": True, "by_rules": False}),
        (FIT | {"maker": "rules", "reason": "…"}, {"by_rules": True, "asked_twice": None}),
        (
            plan(step("answer", "캐시"), step("answer", "캐시", 1), step("analyze"), maker="model"),
            {"needs_met": 0.5, "to_the_point": 1 / 3, "complete": False, "repeated": 1, "steps": 3},
        ),
        (
            plan(step("retrieve", "open loop"), step("analyze", "loops", 1), maker="model"),
            {"valid": True, "to_the_point": 1, "steps": 2, "repeated": 0},
        ),
        (
            plan(
                step("answer", "Cache, the salt"), step("answer", "the salt cache"), maker="model"
            ),
            {"repeated": 1, "valid": True, "needs_met": 0},
        ),
        (plan(step("personalize", "for me"), maker="model"), {"valid": False}),
        (plan(step("summarize", "요약", 2), step("analyze"), maker="model"), {"valid": False}),
    ],
)
def test_scores_follow_the_plan(made: dict[str, Any], scores: dict[str, float]) -> None:
    found = SUITE.scores(BOTH, answered(plan=made))
    assert {name: found[name] for name in scores} == pytest.approx(scores)


def test_with_a_profile_a_plan_may_be_for_its_reader() -> None:
    asked = sample("personalize", profile="초보자")
    found = SUITE.scores(asked, answered(plan=plan(step("personalize", "for me"), maker="model")))
    assert (found["valid"], found["complete"]) == (True, True)


def test_a_request_that_the_gate_refused_has_no_plan_to_score() -> None:
    assert SUITE.scores(BOTH, refused()) == {"planned": False}


@pytest.mark.parametrize(
    ("made", "failed"),
    [
        (FIT, []),
        (plan(step("answer"), maker="model"), ["complete"]),
        (plan(step("publish"), maker="model"), ["valid", "complete"]),
    ],
)
def test_a_planner_that_plans_something_else_fails_its_gates(
    made: dict[str, Any], failed: list[str]
) -> None:
    assert failed_gates(SUITE, BOTH, answered(plan=made)) == failed


def test_the_requests_are_complete_and_as_many_in_either_language(tmp_path: Path) -> None:
    assert len({row["id"] for row in REQUESTS}) == len(REQUESTS) >= 40
    assert len({row["question"] for row in REQUESTS}) == len(REQUESTS)
    kinds = Counter((row["language"], row["kind"]) for row in REQUESTS)
    assert {kind: n for (language, kind), n in kinds.items() if language == "en"} == {
        kind: n for (language, kind), n in kinds.items() if language == "ko"
    }
    for row in REQUESTS:
        assert row["needs"], row["id"]
        assert set(row["needs"]) <= set(ACTIONS)
        assert ("profile" in row) == ("personalize" in row["needs"]), row["id"]
        assert (script(row["question"]) == "hangul") == (row["language"] == "ko"), row["id"]
    assert len(planning.samples(options(tmp_path))) == len(REQUESTS)
