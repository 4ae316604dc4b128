"""What goes over the wire, as the OpenAPI document shows it."""

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from graph.answer import CallRecord, Degraded, Money, Nearest, RefusalReason, Removed, Sentence
from graph.errors import InputError
from graph.events import FailureSeen, NodeFinished
from graph.evidence import EVERYTHING, Citation, Language, Scope
from graph.plan import Plan, PlanMade, allowed_actions, validate_plan
from graph.state import MAX_QUESTION_CHARS, AgentInput, Failure, Mode, Review, Reviewed
from nodes.admit import MAX_PROFILE_CHARS
from serving.api.problems import Problem, problem_of
from serving.store.tasks import CancelReason, Position, TaskRecord, TaskStatus
from serving.store.threads import ThreadRecord

Id = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


def _number(value: object) -> object:
    """Pydantic would read `true` and "1" as 1."""
    if isinstance(value, bool | str):
        raise ValueError("a number is wanted here")
    return value


IS_NUMBER = BeforeValidator(_number)
"""Comes after a field's bounds: before them it would keep them out of the OpenAPI document."""


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaskRequest(Given):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "How many days of leave does a new employee have?"},
                {"question": "신입 사원의 휴가는 며칠인가요?", "mode": "plan"},
            ]
        }
    )

    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    mode: Mode = Field(
        default="auto", description="direct: one answer; plan: with a plan; auto: by the question"
    )
    profile: Annotated[str, Field(max_length=MAX_PROFILE_CHARS)] | None = Field(
        default=None, description="who reads the answer, in words"
    )
    scope: Scope = Field(default=EVERYTHING, description="the documents that may be searched")
    thread: Id | None = Field(default=None, description="the question follows up on this thread")
    review: Review | None = Field(
        default=None, description="plan: stop after the plan, until a person has approved it"
    )

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if not self.question.strip():
            raise ValueError("the question is empty: ask something about the documents")
        return self

    def task_input(self) -> AgentInput:
        return AgentInput(
            question=self.question,
            mode=self.mode,
            profile=self.profile,
            scope=self.scope,
            review=self.review,
        )


class Approval(Given):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {},
                {"plan": {"steps": [{"action": "answer", "focus": "신입 사원의 휴가 일수"}]}},
            ]
        }
    )

    plan: Plan | None = Field(default=None, description="in its place; none: as it was made")

    def task_input(self, record: TaskRecord) -> AgentInput:
        """What the task goes on with. Raises `PlanInvalid`."""
        asked = TaskRequest.model_validate(record.asked)
        result: Mapping[str, Any] = record.result or {}
        made = PlanMade.model_validate(result["plan"])
        if self.plan is not None:
            plan = validate_plan(self.plan, allowed=allowed_actions(asked.profile))
            made = PlanMade(plan=plan, maker="person")
        seen = [FailureSeen.model_validate(failure) for failure in result["failures"]]
        failures = tuple(
            Failure.model_validate(failure.model_dump(exclude={"type"}))
            for failure in seen
            if failure.fallback != failure.node  # the others were mended by another attempt
        )
        query = result["query"] or asked.question.strip()
        reviewed = Reviewed(query=query, made=made, failures=failures)
        return {**asked.task_input(), "review": None, "reviewed": reviewed}


class Answer(BaseModel):
    text: str = Field(description="with citation numbers in square brackets")
    language: Language
    sentences: list[Sentence]
    citations: list[Citation]
    removed: list[Removed] = Field(description="what the model wrote and the documents do not bear")
    degraded: list[Degraded]


class Refusal(BaseModel):
    reason: RefusalReason
    message: str = Field(description="in the question's language")
    language: Language
    nearest: list[Nearest] = Field(description="near documents; no claim that they answer")
    removed: list[Removed] = Field(default=[], description="what the model wrote and is withheld")
    degraded: list[Degraded]


class Completion(BaseModel):
    text: str = Field(description="the engine's own: no document bears it")
    cut_off: bool = Field(description="the engine ran into max_tokens")


class Usage(BaseModel):
    model_calls: int
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: Money | None = Field(
        default=None,
        description="by the owner's prices; null where no call was made, or one has no price",
    )
    seconds: float | None
    node_seconds: dict[str, float]
    nodes: list[NodeFinished] = Field(
        default=[], description="when each node ran, in the order in which they ended"
    )
    calls: list[CallRecord]


class Task(BaseModel):
    """When it has ended, exactly one of `answer`, `refusal`, `completion`, `error` and `cancelled`
    is set; none for one that runs, awaits its review or was interrupted."""

    id: str
    status: TaskStatus
    question: str
    thread: str | None = None
    understood: str | None = Field(
        default=None, description="a thread's follow-up question, made to stand alone"
    )
    mode: Mode | Literal["engine"] = Field(
        description="engine: a chat completion by a model's name, past the agent"
    )
    created_at: datetime
    ended_at: datetime | None
    answer: Answer | None = None
    refusal: Refusal | None = None
    completion: Completion | None = None
    error: Problem | None = None
    cancelled: CancelReason | None = Field(default=None, description="who ended it")
    plan: PlanMade | None = None
    failures: list[FailureSeen] = Field(
        default=[], description="what failed on the way, and by what the task went on"
    )
    usage: Usage | None = None
    trace_id: str | None = Field(default=None, description="OpenTelemetry's, 32 hex digits")


class TaskPage(BaseModel):
    tasks: list[Task]
    next: str | None = Field(
        default=None, description="the next page's `after`; none: this is the last"
    )


def task_of(record: TaskRecord) -> Task:
    result = record.result or {}
    outcome: Mapping[str, Any] = result.get("outcome") or {}
    error: Mapping[str, Any] | None = result.get("error")
    return Task.model_validate(
        {
            "id": record.id,
            "status": record.status,
            "question": record.asked["question"],
            "thread": record.thread,
            "understood": result.get("query"),
            "mode": record.asked["mode"],
            "created_at": time_of(record.created_s),
            "ended_at": None if record.ended_s is None else time_of(record.ended_s),
            "answer": outcome if record.status == "answered" else None,
            "refusal": {**outcome, "message": outcome["message"]}
            if record.status == "refused"
            else None,
            "completion": result.get("completion"),
            "error": problem_of(error["error"], error["message"], record.id)
            if record.status == "failed" and error
            else None,
            "cancelled": result.get("cancelled"),
            "plan": result.get("plan"),
            "failures": result.get("failures", []),
            "usage": result.get("usage"),
            "trace_id": record.trace_id,
        }
    )


def cursor(record: TaskRecord | ThreadRecord) -> str:
    place = json.dumps([record.created_s, record.id])
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def read_cursor(text: str) -> Position:
    """Raises `InputError`."""
    try:
        padded = text + "=" * (-len(text) % 4)
        created_s, task_id = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        return Position(float(created_s), str(task_id))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise InputError("`after` is none that a page gave as `next`") from error


def time_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
