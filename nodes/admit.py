"""The first node: check the question, and begin a task with nothing of the last one in it."""

from typing import TypedDict, TypeVar
from uuid import uuid4

from langgraph.types import Overwrite
from pydantic import TypeAdapter, ValidationError

from graph.answer import Answered, Outcome, Removed, Sentence
from graph.errors import InputError
from graph.evidence import EVERYTHING, Passage, Scope, read_scope
from graph.plan import PlanMade, allowed_actions, validate_plan
from graph.ports import Deps
from graph.state import MAX_QUESTION_CHARS, MAX_TURNS, Mode, Review, Reviewed, Task, Turn
from nodes.text.sentences import detect_language

MAX_PROFILE_CHARS = 2_000
MAX_TURN_CHARS = 600

_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])
_REVIEWED: TypeAdapter[Reviewed] = TypeAdapter(Reviewed)

T = TypeVar("T")


class AdmitInput(TypedDict, total=False):
    """What the caller gave, and in a thread what the last task left."""

    question: str
    task_id: str | None
    mode: Mode | None
    profile: str | None
    scope: Scope | None
    review: Review | None
    reviewed: Reviewed | None
    turns: tuple[Turn, ...]
    query: str
    outcome: Outcome | None


class AdmitUpdate(TypedDict):
    question: str
    task_id: None
    mode: None
    profile: None
    scope: None
    review: None
    reviewed: None
    task: Task
    turns: tuple[Turn, ...]
    query: str
    evidence: tuple[Passage, ...]
    made: PlanMade | None
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    revision: None
    cause: str
    outcome: None
    results: Overwrite
    failures: Overwrite
    calls: Overwrite


async def admit(state: AdmitInput, deps: Deps) -> AdmitUpdate:
    """Raises `InputError` for a question or profile that is missing or too long, and for a scope,
    turns or a review that are none; `PlanInvalid` for a reviewed plan.

    In a thread the state still holds the last task: its question and answer become a turn, and
    everything else of it is emptied, or it would carry over.
    """
    question = checked_question(state.get("question"))
    task = Task(
        id=state.get("task_id") or uuid4().hex,
        language=detect_language(question),
        mode=_checked_mode(state.get("mode")),
        profile=_checked_profile(state.get("profile")),
        scope=EVERYTHING if (given := state.get("scope")) is None else read_scope(given),
        review=_checked_review(state.get("review")),
    )
    reviewed = _checked_reviewed(state.get("reviewed"), task.profile)
    deps.ledger.open(deps.account(task.id))
    failures = reviewed.failures if reviewed else ()
    turns = _read(_TURNS, state.get("turns", ()), "turns")
    if (outcome := state.get("outcome")) is not None:
        turns = (*turns, Turn(question=state["query"], answer=_told(outcome)))
    return {
        "question": question,
        "task_id": None,
        "mode": None,
        "profile": None,
        "scope": None,
        "review": None,
        "reviewed": None,
        "task": task,
        "turns": tuple(_cut(turn) for turn in turns[-MAX_TURNS:]),
        "query": reviewed.query if reviewed else question,
        "evidence": (),
        "made": reviewed.made if reviewed else None,
        "kept": (),
        "removed": (),
        "revision": None,
        "cause": "",
        "outcome": None,
        "results": Overwrite({}),
        "failures": Overwrite({failure.key: failure for failure in failures}),
        "calls": Overwrite({}),
    }


def checked_question(question: object) -> str:
    if not isinstance(question, str) or not question.strip():
        raise InputError("the question is empty: ask something about the documents")
    if len(question) > MAX_QUESTION_CHARS:
        raise InputError(
            f"the question has {len(question):,} characters; at most {MAX_QUESTION_CHARS:,} are "
            "read. Put long text into the documents (knowledge-agent ingest) and ask about it"
        )
    return question.strip()


def _checked_mode(mode: object) -> Mode:
    match mode:
        case None:
            return "auto"
        case "auto" | "direct" | "plan":
            return mode
    raise InputError(f"unknown mode {mode!r}: use auto, direct or plan")


def _checked_profile(profile: object) -> str | None:
    if profile is None:
        return None
    if not isinstance(profile, str):
        raise InputError("the profile is not text")
    if len(profile) > MAX_PROFILE_CHARS:
        raise InputError(
            f"the profile has {len(profile):,} characters; at most {MAX_PROFILE_CHARS:,} are read"
        )
    return profile.strip() or None


def _checked_review(review: object) -> Review | None:
    match review:
        case None | "plan":
            return review
    raise InputError(f"unknown review {review!r}: the plan is what can be reviewed")


def _checked_reviewed(given: object, profile: str | None) -> Reviewed | None:
    if given is None:
        return None
    reviewed = _read(_REVIEWED, given, "reviewed")
    validate_plan(reviewed.made.plan, allowed=allowed_actions(profile))
    return reviewed


def _read(kind: TypeAdapter[T], given: object, name: str) -> T:
    """As one of ours, or as plain JSON."""
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([name, *map(str, first["loc"])])
        raise InputError(f"{where}: {first['msg']}") from error


def _told(outcome: Outcome) -> str:
    return outcome.text if isinstance(outcome, Answered) else outcome.message


def _cut(turn: Turn) -> Turn:
    return Turn(question=turn.question[:MAX_TURN_CHARS], answer=turn.answer[:MAX_TURN_CHARS])
