"""What the design says that a task does, checked on an outcome of the whole agent.

A look-up is one call; a plan is one call for the plan (two where the first was refused) and one for
each step that writes; a refusal of the gate is none. Where the model's verdict is asked for, it is
one more, and may be the last. `revise` may add one. A node that has failed may have called as often
as it is retried.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evals.suite import Outcome
from graph.binding import RETRY
from nodes.plan import ATTEMPTS

CALLING = ("verdict", "plan", "answer", "personalize", "summarize", "analyze", "revise")

_STEP = "(?:answer|personalize|summarize|analyze|search)"
_EVENTS = re.compile(
    r"task (?:refusal|passages (?:refusal|plan (?:step )+(?:answer|refusal))) usage"
)
_NODES = re.compile(
    "admit retrieve gate (?:refuse|"
    "select (?:verdict refuse|(?:verdict )*"
    "(?:(?:plan )+(?:plan_by_rules )?|plan_by_rules )schedule "
    rf"(?:(?:{_STEP} )+schedule )+verify(?: (?:revise )+verify)?(?: extract(?: refuse)?)?))"
)
_CALLS = re.compile(rf"(?:verdict )*(?:plan )*(?:{_STEP} )*(?:revise )*")

Place = tuple[str, int | None]
"""A node, and the step of the plan where it is one of several."""


def path(outcome: Outcome) -> str:
    """Which way the task went: 'refused' before a plan, or 'direct', or 'plan'."""
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
    designed: dict[Place, tuple[int, int]] = {}
    if any(event.get("node") == "verdict" for event in outcome["events"]):
        designed["verdict", None] = (1, 1)
    if outcome["plan"] is None:
        return designed
    designed["revise", None] = (0, 1)
    if outcome["plan"]["maker"] != "direct":
        asked = 2 if outcome["plan"]["reason"] else 1
        designed["plan", None] = (asked, asked)
    for number, step in enumerate(outcome["plan"]["plan"]["steps"], start=1):
        if step["action"] != "retrieve":
            designed[step["action"], number] = (1, 1)
    for place in designed.keys() & _failed_places(outcome["failures"]):
        asked = ATTEMPTS if place[0] == "plan" else 1
        designed[place] = (0, asked * RETRY.max_attempts)
    return designed


def _failed_places(failures: Iterable[Mapping[str, Any]]) -> set[Place]:
    """Where a call failed: not where the model wrote a plan, but an invalid one."""
    return set(_places(each for each in failures if each["error"] != "PlanInvalid"))


def events_in_order(outcome: Outcome) -> bool:
    """Also of the nodes, and no step ends before one that it reads."""
    types = (each["type"] for each in outcome["events"] if each["type"] not in ("node", "failure"))
    nodes = (each["node"] for each in _node_runs(outcome["events"]))
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


def _node_runs(events: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """A node that ran out of its time has no event of its own, but a failure."""
    told = _places(each for each in events if each["type"] == "node")
    for each in events:
        failed = each["type"] == "failure" and _places([each])[0] not in told
        if each["type"] == "node" or failed:
            yield each


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
