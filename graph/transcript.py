"""What a task's events add up to: its result as one value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from graph.answer import CallRecord, Money, Outcome
from graph.events import (
    AnswerGiven,
    CompletionGiven,
    Event,
    FailureSeen,
    NodeFinished,
    Planned,
    QuestionUnderstood,
    RefusalGiven,
    StepFinished,
    TaskFailed,
    TaskStarted,
    UsageCounted,
)
from graph.plan import PlanMade, StepResult


@dataclass
class Transcript:
    task_id: str = ""
    query: str | None = None  # None: the question as it was asked
    nodes: list[NodeFinished] = field(default_factory=list)
    made: PlanMade | None = None
    steps: list[StepResult] = field(default_factory=list)
    failures: list[FailureSeen] = field(default_factory=list)
    outcome: Outcome | None = None
    completion: CompletionGiven | None = None
    error: TaskFailed | None = None
    usage: UsageCounted | None = None

    def take(self, event: Event) -> None:
        match event:
            case TaskStarted():
                self.task_id = event.task_id
            case QuestionUnderstood():
                self.query = event.query
            case NodeFinished():
                self.nodes.append(event)
            case Planned():
                self.made = event.made
            case StepFinished():
                self.steps.append(event.result)
            case FailureSeen():
                self.failures.append(event)
            case AnswerGiven():
                self.outcome = event.answer
            case RefusalGiven():
                self.outcome = event.refusal
            case CompletionGiven():
                self.completion = event
            case TaskFailed():
                self.error = event
            case UsageCounted():
                self.usage = event

    @classmethod
    def before_review(cls, told: Mapping[str, Any]) -> "Transcript":
        """Of a task that stopped for its review, from what `as_json` told of it."""
        return cls(
            task_id=told["task_id"],
            query=told["query"],
            nodes=[NodeFinished.model_validate(node) for node in told["usage"]["nodes"]],
            made=PlanMade.model_validate(told["plan"]),
            failures=[FailureSeen.model_validate(failure) for failure in told["failures"]],
            usage=UsageCounted.model_validate(
                {name: told["usage"][name] for name in ("calls", "node_seconds", "seconds")}
            ),
        )

    def as_json(self) -> dict[str, Any]:
        calls = self.usage.calls if self.usage else ()
        return {
            "task_id": self.task_id,
            "query": self.query,
            "outcome": _with_text(self.outcome) if self.outcome else None,
            "completion": self.completion.model_dump(mode="json", exclude={"type"})
            if self.completion
            else None,
            "error": self.error.model_dump(mode="json") if self.error else None,
            "plan": self.made.model_dump(mode="json") if self.made else None,
            "steps": [step.model_dump(mode="json") for step in self.steps],
            "failures": [failure.model_dump(mode="json") for failure in self.failures],
            "usage": {
                **bill(calls),
                "seconds": self.usage.seconds if self.usage else None,
                "node_seconds": self.usage.node_seconds if self.usage else {},
                "nodes": [node.model_dump(mode="json", exclude={"type"}) for node in self.nodes],
            },
        }


def _with_text(outcome: Outcome) -> dict[str, Any]:
    text = outcome.text if outcome.kind == "answered" else outcome.message
    return {"text": text, **outcome.model_dump(mode="json")}


def bill(calls: Sequence[CallRecord]) -> dict[str, Any]:
    cost = total_cost(calls)
    return {
        **total(calls),
        "cost": None if cost is None else cost.model_dump(mode="json"),
        "calls": [call.model_dump(mode="json") for call in calls],
    }


def total(calls: Iterable[CallRecord]) -> dict[str, int]:
    """Tokens and number of calls over a task; a failed call counts as a call."""
    calls = tuple(calls)
    return {
        "model_calls": len(calls),
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "cached_tokens": sum(call.cached_tokens for call in calls),
        "output_tokens": sum(call.output_tokens for call in calls),
    }


def total_cost(calls: Iterable[CallRecord]) -> Money | None:
    """Of the calls that took tokens; None where there was none, or one of them has no price, or
    their currencies differ."""
    costs = [call.cost for call in calls if call.tokens]
    known = [cost for cost in costs if cost is not None]
    if not known or len(known) < len(costs) or len({cost.currency for cost in known}) > 1:
        return None
    return Money(amount=sum((cost.amount for cost in known), Decimal()), currency=known[0].currency)
