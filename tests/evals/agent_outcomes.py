"""Outcomes of the whole agent as `evals.agent` gives them, and what a suite's own gates say."""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.gates import GATES, Verdict, judge, read_gates
from evals.outcomes import Record
from evals.runner import score
from evals.statistics import figures
from evals.suite import Outcome, Sample, Suite
from graph.evidence import Passage, cite

CACHE = "A KV cache keeps 57 keys and values of **all** tokens.\nIt lies at https://docs.example."
QUEUE = "대기열은 요청을 도착한 순서로 둔다."
PASSAGES = [
    Passage(id="p1", document="cache.md", title="Cache", page=1, start=0, end=87, text=CACHE),
    Passage(id="p2", document="queue.md", title="대기열", page=1, start=0, end=21, text=QUEUE),
]
EVENTS = "admit retrieve gate select plan_by_rules schedule answer schedule verify"


def sentence(text: str, *citations: int, quoted: bool = False) -> dict[str, Any]:
    return {"text": text, "citations": list(citations), "quoted": quoted, "support": 1.0}


def plan(*steps: Mapping[str, Any], maker: str = "direct", reason: str = "") -> dict[str, Any]:
    return {"maker": maker, "reason": reason, "plan": {"steps": list(steps)}}


def step(action: str, focus: str = "the question", *after: int) -> dict[str, Any]:
    named = "query" if action == "retrieve" else "focus"
    return {"action": action, named: focus, "after": list(after)}


def call(node: str, at: int | None = None, **changes: Any) -> dict[str, Any]:
    counted = {"prompt_tokens": 90, "cached_tokens": 60, "output_tokens": 9}
    return {"node": node, "step": at, "outcome": "ok", "estimated": False, **counted, **changes}


def answered(*sentences: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A look-up that one call answered."""
    shown = sentences or (sentence("A KV cache keeps 57 keys and values.", 1),)
    cited = sorted({number for one in shown for number in one["citations"]})
    return {
        "kind": "answered",
        "reason": None,
        "text": " ".join(one["text"] for one in shown),
        "language": "en",
        "sentences": list(shown),
        "citations": [
            cite(number, PASSAGES[number - 1]).model_dump(mode="json")
            for number in cited
            if number <= len(PASSAGES)
        ],
        "removed": [],
        "passages": [
            {"number": number, **passage.model_dump(mode="json")}
            for number, passage in enumerate(PASSAGES, start=1)
        ],
        "plan": plan(step("answer")),
        "steps": [{"step": 1, "passages": []}],
        "failures": [],
        "calls": [call("answer", 1)],
        **bill(call("answer", 1)),
        "domain": {"score": 2.0, "bound": -1.0, "method": "calibrated"},
        "quoted": "A KV cache keeps 57 keys and values of all tokens.",
        "events": events(EVENTS, "task passages plan step answer usage"),
        **changes,
    }


def refused(**changes: Any) -> dict[str, Any]:
    """By the gate."""
    return {
        "kind": "refused",
        "reason": "out_of_domain",
        "text": "The documents here are about something else.",
        "message": "The documents here are about something else.",
        "language": "en",
        "nearest": [{"document": "cache.md", "title": "Cache"}],
        "passages": [],
        "plan": None,
        "steps": [],
        "failures": [],
        "calls": [],
        **bill(),
        "domain": {"score": -2.0, "bound": -1.0, "method": "calibrated"},
        "events": events("admit retrieve gate refuse", "task refusal usage"),
        **changes,
    }


def bill(*calls: dict[str, Any]) -> dict[str, Any]:
    tokens = ("prompt_tokens", "cached_tokens", "output_tokens")
    counted = {name: sum(each[name] for each in calls) for name in tokens}
    return {"model_calls": len(calls), "seconds": 0.1 + 2.0 * len(calls), "cost": None, **counted}


def events(nodes: str, types: str) -> list[dict[str, Any]]:
    """The steps of a plan count from 1 in the order in which they run."""
    found: list[dict[str, Any]] = []
    steps = 0
    for node in nodes.split():
        found.append({"type": "node", "node": node})
        if node in ("answer", "personalize", "summarize", "analyze", "search"):
            steps += 1
            found[-1]["step"] = steps
    return [*found, *({"type": name} for name in types.split())]


def verdict(suite: Suite, outcomes: Sequence[tuple[Sample, Outcome]]) -> Verdict:
    records = [(sample, Record("", sample.id, outcome, None, 0.0)) for sample, outcome in outcomes]
    results = list(score(suite, records))
    return judge(read_gates(GATES)[suite.name], results, figures(suite.metrics, results))


def failed_gates(suite: Suite, sample: Sample, outcome: Outcome) -> list[str]:
    """The metrics of the gates that three such outcomes fail; what raises is an error and no gate.
    A single outcome would have no interval."""
    found = verdict(suite, [(sample, outcome)] * 3)
    assert not found.problems
    return [each.gate.metric for each in found.checked if each.state != "passed"]
