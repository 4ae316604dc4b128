"""Does each mode make the calls, in the order and with the events and the bill, that it should?

A look-up is one call; a plan is one call for the plan (two where the first was refused) and one for
each step that writes; a refusal of the gate is none. `revise` may add one. A node that has failed
may have called as often as it is retried.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from evals.agent import agent_target
from evals.metrics import mean, rate
from evals.questions import HANDBOOK_SOURCE, read_rows
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value
from graph.binding import RETRY

TASKS = Path(__file__).parents[1] / "data" / "contract.jsonl"
CHECKS = ("path_as_asked", "calls_as_designed", "events_in_order", "calls_in_bill")

CALLING = ("plan", "answer", "personalize", "summarize", "analyze", "revise")

_STEP = "(?:answer|personalize|summarize|analyze|search)"
_EVENTS = re.compile(r"task (?:refusal|passages plan (?:step )+(?:answer|refusal)) usage")
_NODES = re.compile(
    r"admit retrieve gate (?:refuse|select (?:(?:plan )+(?:plan_by_rules )?|plan_by_rules )schedule "
    rf"(?:(?:{_STEP} )+schedule )+verify(?: (?:revise )+verify)?(?: extract(?: refuse)?)?)"
)
_CALLS = re.compile(rf"(?:plan )*(?:{_STEP} )*(?:revise )*")

Place = tuple[str, int | None]
"""A node, and the step of the plan where it is one of several."""


def samples(options: Options) -> list[Sample]:
    return [
        Sample(row["id"], row["language"], row["kind"], row["question"], given=row["given"])
        for row in read_rows(TASKS)
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, {"handbook": HANDBOOK_SOURCE.corpus(options)}) as agent:
        yield agent


def contract(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """`cached_share` is that of the prompt tokens of all calls behind the first."""
    later = outcome["calls"][1:]
    prompts = sum(call["prompt_tokens"] for call in later)
    return {
        "path_as_asked": path(outcome) == sample.kind,
        "calls_as_designed": calls_as_designed(outcome),
        "events_in_order": events_in_order(outcome),
        "calls_in_bill": calls_in_bill(outcome),
        "cached_share": sum(call["cached_tokens"] for call in later) / prompts if prompts else None,
        "model_calls": outcome["model_calls"],
    }


def path(outcome: Outcome) -> str:
    """The kind of sample that goes this way."""
    if outcome["plan"] is None:
        return "refused"
    return "direct" if outcome["plan"]["maker"] == "direct" else "plan"


def calls_as_designed(outcome: Outcome) -> bool:
    made, designed = Counter(_places(outcome["calls"])), _designed_calls(outcome)
    return made.keys() <= designed.keys() and all(
        low <= made[place] <= high for place, (low, high) in designed.items()
    )


def _designed_calls(outcome: Outcome) -> dict[Place, tuple[int, int]]:
    """The least and the most calls of each place."""
    if outcome["plan"] is None:
        return {}
    designed: dict[Place, tuple[int, int]] = {("revise", None): (0, 1)}
    if outcome["plan"]["maker"] != "direct":
        asked = 2 if outcome["plan"]["reason"] else 1
        designed["plan", None] = (asked, asked)
    for number, step in enumerate(outcome["plan"]["plan"]["steps"], start=1):
        if step["action"] != "retrieve":
            designed[step["action"], number] = (1, 1)
    failed = [place for place in _places(outcome["failures"]) if place[0] != "plan"]
    return designed | dict.fromkeys(designed.keys() & failed, (0, RETRY.max_attempts))


def events_in_order(outcome: Outcome) -> bool:
    """Also of the nodes, and no step ends before one that it reads."""
    types = (each["type"] for each in outcome["events"] if each["type"] not in ("node", "failure"))
    nodes = (each["node"] for each in outcome["events"] if each["type"] == "node")
    ended: set[int] = set()
    for step in outcome["steps"]:
        if not ended >= set(outcome["plan"]["plan"]["steps"][step["step"] - 1]["after"]):
            return False
        ended.add(step["step"])
    return bool(
        _EVENTS.fullmatch(" ".join(types))
        and _NODES.fullmatch(" ".join(nodes))
        and _CALLS.fullmatch("".join(f"{call['node']} " for call in outcome["calls"]))
    )


def calls_in_bill(outcome: Outcome) -> bool:
    """Whether every run of a node that calls the model stands in the bill, with tokens that the
    server counted."""
    runs = Counter(_places(each for each in outcome["events"] if each["type"] == "node"))
    billed = Counter(_places(outcome["calls"]))
    writing = [place for place in runs if place[0] in CALLING]
    counted = all(
        call["prompt_tokens"] >= call["cached_tokens"]
        and call["prompt_tokens"] > 0 < call["output_tokens"]
        and not call["estimated"]
        for call in outcome["calls"]
        if call["outcome"] == "ok"
    )
    return counted and all(billed[place] >= runs[place] for place in writing)


def _places(of: Iterable[Mapping[str, Any]]) -> list[Place]:
    return [(each["node"], each.get("step")) for each in of]


def worst(result: Result) -> float:
    return float(sum(not result.scores[check] for check in CHECKS))


SUITE = Suite(
    name="contract",
    about="calls, order, events and bill of each mode, against the design",
    dataset=samples,
    target=target,
    scorers=(contract,),
    metrics=(
        *(rate(check) for check in CHECKS),
        mean("cached_share"),
        mean("model_calls", unit="calls"),
    ),
    worst=worst,
)
