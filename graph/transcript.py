"""What a task's events add up to: its result as one value."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graph.answer import CallRecord, Outcome
from graph.events import (
    AnswerGiven,
    Event,
    FailureSeen,
    Planned,
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
    made: PlanMade | None = None
    steps: list[StepResult] = field(default_factory=list)
    failures: list[FailureSeen] = field(default_factory=list)
    outcome: Outcome | None = None
    error: TaskFailed | None = None
    usage: UsageCounted | None = None

    def take(self, event: Event) -> None:
        match event:
            case TaskStarted():
                self.task_id = event.task_id
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
            case TaskFailed():
                self.error = event
            case UsageCounted():
                self.usage = event

    def as_json(self) -> dict[str, Any]:
        calls = self.usage.calls if self.usage else ()
        return {
            "task_id": self.task_id,
            "outcome": _with_text(self.outcome) if self.outcome else None,
            "error": self.error.model_dump(mode="json") if self.error else None,
            "plan": self.made.model_dump(mode="json") if self.made else None,
            "steps": [step.model_dump(mode="json") for step in self.steps],
            "failures": [failure.model_dump(mode="json") for failure in self.failures],
            "usage": {
                **bill(calls),
                "seconds": self.usage.seconds if self.usage else None,
                "node_seconds": self.usage.node_seconds if self.usage else {},
            },
        }


def _with_text(outcome: Outcome) -> dict[str, Any]:
    text = outcome.text if outcome.kind == "answered" else outcome.message
    return {"text": text, **outcome.model_dump(mode="json")}


def bill(calls: Sequence[CallRecord]) -> dict[str, Any]:
    return {**total(calls), "calls": [call.model_dump(mode="json") for call in calls]}


def total(calls: Iterable[CallRecord]) -> dict[str, int]:
    """Tokens and number of calls over a task; a failed call counts as a call."""
    calls = tuple(calls)
    return {
        "model_calls": len(calls),
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "cached_tokens": sum(call.cached_tokens for call in calls),
        "output_tokens": sum(call.output_tokens for call in calls),
    }
