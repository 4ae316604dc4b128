"""The first node: check the question, and begin a task with nothing of the last one in it."""

from typing import TypedDict
from uuid import uuid4

from langgraph.types import Overwrite

from graph.answer import Answered, Outcome, Removed, Sentence
from graph.errors import InputError
from graph.evidence import EVERYTHING, Passage, Scope, read_scope
from graph.ports import Deps
from graph.state import MAX_QUESTION_CHARS, MAX_TURNS, Mode, Task, Turn
from nodes.text.sentences import detect_language

MAX_PROFILE_CHARS = 2_000
MAX_TURN_CHARS = 600


class AdmitInput(TypedDict, total=False):
    """What the caller gave, and in a thread what the last task left."""

    question: str
    task_id: str | None
    mode: Mode | None
    profile: str | None
    scope: Scope | None
    turns: tuple[Turn, ...]
    query: str
    outcome: Outcome | None


class AdmitUpdate(TypedDict):
    question: str
    task_id: None
    mode: None
    profile: None
    scope: None
    task: Task
    turns: tuple[Turn, ...]
    query: str
    evidence: tuple[Passage, ...]
    made: None
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    revision: None
    cause: str
    outcome: None
    results: Overwrite
    failures: Overwrite
    calls: Overwrite


async def admit(state: AdmitInput, deps: Deps) -> AdmitUpdate:
    """Raises `InputError` for a question or profile that is missing or too long, and for a scope
    that is none.

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
    )
    deps.ledger.open(deps.account(task.id))
    turns = state.get("turns", ())
    if (outcome := state.get("outcome")) is not None:
        turn = Turn(question=state["query"][:MAX_TURN_CHARS], answer=_told(outcome))
        turns = (*turns, turn)[-MAX_TURNS:]
    return {
        "question": question,
        "task_id": None,
        "mode": None,
        "profile": None,
        "scope": None,
        "task": task,
        "turns": turns,
        "query": question,
        "evidence": (),
        "made": None,
        "kept": (),
        "removed": (),
        "revision": None,
        "cause": "",
        "outcome": None,
        "results": Overwrite({}),
        "failures": Overwrite({}),
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


def _told(outcome: Outcome) -> str:
    text = outcome.text if isinstance(outcome, Answered) else outcome.message
    return text[:MAX_TURN_CHARS]
