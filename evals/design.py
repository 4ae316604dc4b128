"""What the design says that a task does, checked on an outcome of the whole agent.

A look-up is one call; a plan is one call for the plan (two where the first was refused) and one for
each step that writes; a refusal of the gate is none. `revise` may add one. A node that has failed
may have called as often as it is retried.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evals.suite import Outcome
from graph.binding import RETRY

CALLING = ("plan", "answer", "personalize", "summarize", "analyze", "revise")

_STEP = "(?:answer|personalize|summarize|analyze|search)"
_EVENTS = re.compile(r"task (?:refusal|passages plan (?:step )+(?:answer|refusal)) usage")
_NODES = re.compile(
    "admit retrieve gate (?:refuse|"
    "select (?:(?:plan )+(?:plan_by_rules )?|plan_by_rules )schedule "
    rf"(?:(?:{_STEP} )+schedule )+verify(?: (?:revise )+verify)?(?: extract(?: refuse)?)?)"
)
_CALLS = re.compile(rf"(?:plan )*(?:{_STEP} )*(?:revise )*")

Place = tuple[str, int | None]
"""A node, and the step of the plan where it is one of several."""


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
    """Whether every run of a node that calls the model stands in the bill, and every call with
    tokens that the server counted; a node that failed may not have come to its call."""
    runs = Counter(_places(each for each in outcome["events"] if each["type"] == "node"))
    failed = _places(outcome["failures"])
    billed = Counter(_places(outcome["calls"]))
    writing = [place for place in runs.keys() - failed if place[0] in CALLING]
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
