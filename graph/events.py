"""The typed events of a task: what the stream, the CLI and a page show while it runs."""

from typing import Annotated, Literal

from pydantic import Field

from graph.answer import Answered, CallRecord, Refused
from graph.evidence import Frozen, Passage
from graph.plan import PlanMade, StepResult


class TaskStarted(Frozen):
    type: Literal["task"] = "task"
    task_id: str


class NodeFinished(Frozen):
    type: Literal["node"] = "node"
    node: str
    step: int | None = None
    started_s: float = Field(description="since 1970, UTC: a task may go on in another process")
    seconds: float


class QuestionUnderstood(Frozen):
    """A follow-up question of a thread, as it is understood: made to stand alone, where that was
    possible."""

    type: Literal["question"] = "question"
    query: str


class PassagesFound(Frozen):
    """The evidence, numbered from `first`."""

    type: Literal["passages"] = "passages"
    first: int
    passages: tuple[Passage, ...]


class Planned(Frozen):
    type: Literal["plan"] = "plan"
    made: PlanMade


class TokenDrafted(Frozen):
    """A piece of a draft. Only the verified answer counts."""

    type: Literal["token"] = "token"
    node: str
    step: int | None = None
    text: str


class StepFinished(Frozen):
    type: Literal["step"] = "step"
    result: StepResult


class FailureSeen(Frozen):
    """Something failed and the task went on by a fallback."""

    type: Literal["failure"] = "failure"
    node: str
    step: int | None = None
    error: str = Field(description="class of the error, from graph.errors")
    message: str
    fallback: str = Field(description="the node that takes over")


class AnswerGiven(Frozen):
    type: Literal["answer"] = "answer"
    answer: Answered


class RefusalGiven(Frozen):
    type: Literal["refusal"] = "refusal"
    refusal: Refused


class CompletionGiven(Frozen):
    """What the engine wrote for a caller who asked it and not the agent: no document bears it."""

    type: Literal["completion"] = "completion"
    text: str
    cut_off: bool = Field(description="the engine ran into max_tokens")


class UsageCounted(Frozen):
    """The bill: every call, and the seconds of the whole task. The last event of every task."""

    type: Literal["usage"] = "usage"
    calls: tuple[CallRecord, ...]
    node_seconds: dict[str, float]
    seconds: float

    def after(self, earlier: "UsageCounted") -> "UsageCounted":
        """Of both runs of one task. A call that both have counts once."""
        nodes = (*earlier.node_seconds, *self.node_seconds)
        return UsageCounted(
            calls=tuple({call.id: call for call in (*earlier.calls, *self.calls)}.values()),
            node_seconds={
                node: earlier.node_seconds.get(node, 0.0) + self.node_seconds.get(node, 0.0)
                for node in nodes
            },
            seconds=earlier.seconds + self.seconds,
        )


class TaskFailed(Frozen):
    """The task ended without an answer; `error` is a class of graph.errors."""

    type: Literal["error"] = "error"
    error: str
    message: str


Event = Annotated[
    TaskStarted
    | NodeFinished
    | QuestionUnderstood
    | PassagesFound
    | Planned
    | TokenDrafted
    | StepFinished
    | FailureSeen
    | AnswerGiven
    | RefusalGiven
    | CompletionGiven
    | UsageCounted
    | TaskFailed,
    Field(discriminator="type"),
]
