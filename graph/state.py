"""The state of one task, and the parts of it that nodes read and write.

Every value is frozen, so a node changes the state by what it returns and in no other way. Keys that
parallel branches write are dictionaries with a merging reducer: writing the same entry twice (a
retry, a replay from a checkpoint) changes nothing.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import Field

from graph.answer import CallRecord, Outcome, RefusalReason, Removed, Sentence
from graph.events import FailureSeen
from graph.evidence import EVERYTHING, Frozen, Language, Passage, Retrieval, Scope
from graph.plan import PlanMade, StepResult

Mode = Literal["auto", "direct", "plan"]

MAX_TURNS = 5
MAX_QUESTION_CHARS = 4_000


class Task(Frozen):
    id: str
    language: Language = Field(description="the question's, and so the answer's")
    mode: Mode = "auto"
    profile: str | None = Field(default=None, description="who reads the answer, in words")
    scope: Scope = Field(default=EVERYTHING, description="the documents that may be searched")


class Turn(Frozen):
    """An earlier question of the thread, as it was understood, and what it was told."""

    question: str
    answer: str


class Failure(Frozen):
    """Something failed, and the task went on by a fallback."""

    node: str
    step: int | None = None
    error: str = Field(description="class of the error, from graph.errors")
    message: str
    fallback: str = Field(description="the node that took over")

    def as_event(self) -> FailureSeen:
        return FailureSeen.model_validate(self.model_dump())


def merge(old: dict[Any, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    """Later entries win; the order of first insertion stays."""
    return {**old, **new}


class AgentInput(TypedDict):
    """What a caller gives: the rest of the state is the task's own."""

    question: str
    task_id: NotRequired[str | None]  # of a caller that must know it before the task begins
    mode: NotRequired[Mode]
    profile: NotRequired[str | None]
    scope: NotRequired[Scope | None]
    turns: NotRequired[tuple[Turn, ...]]  # of a caller that keeps threads itself


class AgentState(TypedDict):
    question: str
    task_id: str | None  # the caller's wishes: `admit` takes them into the task and empties them,
    mode: Mode | None
    profile: str | None
    scope: Scope | None  # or the next question of the thread would inherit them
    task: Task
    turns: tuple[Turn, ...]
    query: str  # the question, made to stand alone
    retrieval: Retrieval
    in_domain: bool
    evidence: tuple[Passage, ...]  # in prompt order; passage n has number n + 1
    answerable: bool  # the model's verdict, where it is asked for one
    made: PlanMade | None
    results: Annotated[dict[int, StepResult], merge]  # by step
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    revision: str | None  # None: not asked for yet
    refusal: RefusalReason
    cause: str  # of the refusal, in words; empty where its reason says all
    failures: Annotated[dict[str, Failure], merge]  # by node and step
    calls: Annotated[dict[str, CallRecord], merge]  # by id
    outcome: Outcome | None


class AgentOutput(TypedDict):
    task: Task
    made: PlanMade | None
    outcome: Outcome
    failures: dict[str, Failure]
    calls: dict[str, CallRecord]


class StepInput(TypedDict):
    """What one step of the plan is sent: itself, the evidence, and the results that it reads."""

    task: Task
    query: str
    evidence: tuple[Passage, ...]
    results: dict[int, StepResult]  # of all steps so far: they carry further passages
    made: PlanMade
    step: int


class StepUpdate(TypedDict):
    results: dict[int, StepResult]
    calls: NotRequired[dict[str, CallRecord]]


def numbered_passages(
    evidence: tuple[Passage, ...], results: dict[int, StepResult]
) -> dict[int, Passage]:
    """Citation number to passage: the evidence from 1, then what later retrievals found.

    Results are kept in the order in which steps ended, so a number once given stays.
    """
    passages = {passage.id: passage for passage in evidence}
    for result in results.values():
        for passage in result.passages:
            passages.setdefault(passage.id, passage)
    return dict(enumerate(passages.values(), start=1))
