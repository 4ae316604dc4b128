"""Are the plans valid, whose are they, and do their steps do what the request asks for?

Requests about the handbook, each with the actions that a good plan needs. All are asked in the mode
plan, so that a plain question is planned as well.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from evals.agent import agent_target
from evals.metrics import mean, rate
from evals.questions import HANDBOOK_SOURCE, read_rows
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value
from graph.errors import PlanInvalid
from graph.plan import allowed_actions, validate_plan

PLAIN = "question"
REQUESTS = Path(__file__).parents[1] / "data" / "planning.jsonl"


def samples(options: Options) -> list[Sample]:
    return [
        Sample(
            id=row["id"],
            language=row["language"],
            kind=row["kind"],
            question=row["question"],
            gold={"needs": row["needs"]},
            given={"mode": "plan", "profile": row.get("profile")},
        )
        for row in read_rows(REQUESTS)
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, {"handbook": HANDBOOK_SOURCE.corpus(options)}) as agent:
        yield agent


def plan(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """A request that the gate refused has no plan, and no score but `planned`.

    `needs_met` is the share of the needed actions that the plan has, `to_the_point` that of its
    writing steps whose action is needed, and `repeated` counts steps that have action and words of
    an earlier one. `complete` is a plan with all needed actions; to a plain question any text may
    be the answer, whatever action writes it.
    """
    made = outcome["plan"]
    if made is None:
        return {"planned": False}
    steps, needs = made["plan"]["steps"], set(sample.gold["needs"])
    actions = [step["action"] for step in steps]
    writing = [action for action in actions if action != "retrieve"]
    said = {(step["action"], _words(step.get("focus") or step["query"])) for step in steps}
    by_model = made["maker"] == "model"
    return {
        "planned": True,
        "valid": is_valid(made["plan"], sample.given["profile"]),
        "by_model": by_model,
        "by_rules": made["maker"] == "rules",
        "asked_twice": bool(made["reason"]) if by_model else None,
        "steps": len(steps),
        "needs_met": len(needs & set(actions)) / len(needs),
        "to_the_point": sum(action in needs for action in writing) / max(1, len(writing)),
        "complete": needs <= set(actions) or (sample.kind == PLAIN and bool(writing)),
        "repeated": len(steps) - len(said),
    }


def is_valid(made: Mapping[str, object], profile: str | None) -> bool:
    try:
        validate_plan(dict(made), allowed=allowed_actions(profile))
    except PlanInvalid:
        return False
    return True


def _words(focus: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", focus.casefold())))


def worst(result: Result) -> float:
    scores = result.scores
    return 1.0 - float(scores.get("needs_met") or 0.0) + float(scores.get("repeated") or 0.0)


SUITE = Suite(
    name="planning",
    about="valid plans, rule fallbacks, steps that the request asks for, repeated steps",
    dataset=samples,
    target=target,
    scorers=(plan,),
    metrics=(
        *(rate(score, by=("corpus", "language")) for score in ("planned", "valid", "complete")),
        *(rate(score) for score in ("by_model", "by_rules", "asked_twice")),
        mean("steps", unit="steps"),
        mean("needs_met"),
        mean("to_the_point"),
        mean("repeated", unit="steps"),
    ),
    worst=worst,
)
