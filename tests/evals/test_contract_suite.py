"""What a task of each mode may call, in which order, and what its bill must hold."""

from typing import Any

import pytest

from evals.suite import Sample
from evals.suites.contract import CHECKS, SUITE
from tests.evals.agent_outcomes import (
    EVENTS,
    answered,
    call,
    events,
    failed_gates,
    plan,
    refused,
    step,
)

TYPES = "task passages plan step answer usage"
STEPS = [step("retrieve", "loops"), step("analyze", "loops", 1), step("summarize", "all", 2)]
PLANNED = answered(
    plan=plan(*STEPS, maker="model"),
    steps=[{"step": number, "passages": []} for number in (1, 2, 3)],
    calls=[call("plan"), call("analyze", 2), call("summarize", 3)],
    events=events(
        "admit retrieve gate select plan schedule search schedule analyze schedule summarize "
        "schedule verify",
        "task passages plan step step step answer usage",
    ),
)
REVISED = answered(
    calls=[call("answer", 1), call("revise")],
    events=events(f"{EVENTS} revise verify extract", TYPES),
)
FAILED = answered(
    failures=[{"node": "answer", "step": 1, "error": "ModelUnavailable"}],
    calls=[call("answer", 1, outcome="failed")] * 3,
    events=events(
        "admit retrieve gate select plan_by_rules schedule answer schedule verify extract", TYPES
    ),
)


BY_RULES = plan(*STEPS, maker="rules", reason="the server did not finish a call")
UNPLANNED = PLANNED | {
    "plan": BY_RULES,
    "failures": [{"node": "plan", "step": None, "error": "ModelTimeout"}],
    "calls": [call("plan", outcome="failed"), *PLANNED["calls"][1:]],
}
INVALID = UNPLANNED | {"failures": [{"node": "plan", "step": None, "error": "PlanInvalid"}]}
OUT_OF_TIME = FAILED | {
    "events": [
        each | {"type": "failure"} if each.get("node") == "answer" else each
        for each in FAILED["events"]
    ]
}
INSIDE, OUTSIDE = ({"score": score, "bound": 0.0} for score in (0.0, -0.1))
VERDICT = refused(
    reason="not_in_documents",
    domain=INSIDE,
    calls=[call("verdict")],
    events=events("admit retrieve gate select verdict refuse", "task passages refusal usage"),
)


def sample(kind: str) -> Sample:
    inside = {"inside": "direct" if kind == "refused" else kind}
    return Sample("1", "ko", kind, "대기열은 무엇인가요?", gold=inside)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("direct", answered()),
        ("direct", REVISED),
        ("direct", FAILED),
        ("direct", OUT_OF_TIME),
        ("plan", UNPLANNED),
        ("plan", PLANNED),
        (
            "plan",
            PLANNED
            | {"plan": plan(*STEPS, maker="model", reason="no JSON")}
            | {"calls": [call("plan"), *PLANNED["calls"]]},
        ),
        ("refused", refused()),
        ("refused", VERDICT),
        (
            "direct",
            answered(
                calls=[call("verdict"), call("answer", 1)],
                events=events(EVENTS.replace("select", "select verdict"), TYPES),
            ),
        ),
    ],
)
def test_what_the_design_says_passes_every_gate(kind: str, outcome: dict[str, Any]) -> None:
    assert failed_gates(SUITE, sample(kind), outcome) == []


@pytest.mark.parametrize(
    ("kind", "outcome", "broken"),
    [
        ("plan", answered(), {"path_as_asked", "path_as_designed"}),
        ("direct", refused(domain=INSIDE), {"path_as_asked", "path_as_designed"}),
        ("refused", answered(domain=OUTSIDE), {"path_as_asked", "path_as_designed"}),
        ("refused", answered(), {"path_as_asked"}),
        ("plan", refused(), {"path_as_asked"}),
        ("refused", refused(calls=[call("answer", 1)]), {"calls_as_designed"}),
        ("plan", INVALID, {"calls_as_designed"}),
        ("refused", VERDICT | {"calls": []}, {"calls_as_designed", "calls_in_bill"}),
        ("direct", answered(calls=[call("answer", 1)] * 2), {"calls_as_designed"}),
        ("direct", answered(calls=[]), {"calls_as_designed", "calls_in_bill"}),
        ("direct", REVISED | {"calls": [call("answer", 1)]}, {"calls_in_bill"}),
        (
            "direct",
            REVISED | {"calls": [call("revise"), call("answer", 1)]},
            {"events_in_order"},
        ),
        ("direct", answered(calls=[call("answer", 1, estimated=True)]), {"calls_in_bill"}),
        ("direct", answered(calls=[call("answer", 1, cached_tokens=91)]), {"calls_in_bill"}),
        ("direct", answered(events=events(EVENTS, f"{TYPES} answer")), {"events_in_order"}),
        (
            "direct",
            answered(events=events(EVENTS.replace("gate ", ""), TYPES)),
            {"events_in_order"},
        ),
        ("plan", PLANNED | {"calls": PLANNED["calls"][1:]}, {"calls_as_designed", "calls_in_bill"}),
        ("plan", PLANNED | {"steps": PLANNED["steps"][::-1]}, {"events_in_order"}),
    ],
)
def test_each_breach_fails_the_gate_that_is_about_it(
    kind: str, outcome: dict[str, Any], broken: set[str]
) -> None:
    scores = SUITE.scores(sample(kind), outcome)
    assert {check for check in ("path_as_asked", *CHECKS) if not scores[check]} == broken
    assert set(failed_gates(SUITE, sample(kind), outcome)) == broken


def test_the_cached_share_is_that_of_the_calls_behind_the_first() -> None:
    assert SUITE.scores(sample("plan"), PLANNED)["cached_share"] == pytest.approx(2 / 3)
    assert SUITE.scores(sample("direct"), answered())["cached_share"] is None
