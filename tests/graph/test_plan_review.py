"""A task that stops for its plan, and the one that goes on with it."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer import Answered
from graph.build import build_graph
from graph.errors import ModelRejected, PlanInvalid
from graph.events import Event, TaskFailed
from graph.evidence import Passage
from graph.plan import PlanMade, validate_plan
from graph.ports import Deps
from graph.run import run_task
from graph.state import AgentInput, Failure, Mode, Reviewed, Turn
from graph.transcript import Transcript
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, make_deps, verdict_rule
from tests.graph.test_run import QUESTION, QUESTION_KO, TRUE, TRUE_KO, outcome, requests

STEPS = {"steps": [{"action": "answer", "focus": "prefix cache"}]}
PERSONS = PlanMade(
    plan=validate_plan({"steps": [{"action": "summarize", "focus": "caches"}]}), maker="person"
)


async def events_of(deps: Deps, task_input: AgentInput) -> list[Event]:
    return [event async for event in run_task(build_graph(deps).compile(), task_input, deps)]


def transcript_of(events: list[Event]) -> Transcript:
    transcript = Transcript()
    for event in events:
        transcript.take(event)
    return transcript


@pytest.mark.parametrize(("mode", "calls"), [("plan", ["plan"]), ("direct", [])])
async def test_a_task_under_review_ends_with_its_plan(mode: Mode, calls: list[str]) -> None:
    deps = make_deps({"plan": json.dumps(STEPS)})
    events = await events_of(deps, AgentInput(question=QUESTION, mode=mode, review="plan"))
    transcript = transcript_of(events)
    assert transcript.made is not None
    assert (transcript.outcome, transcript.error) == (None, None)
    assert requests(deps) == calls
    assert events[-1].type == "usage"


async def test_a_plan_by_rules_is_reviewed_as_well() -> None:
    deps = make_deps({"plan": ModelRejected("no plan today")})
    task_input = AgentInput(question=QUESTION, mode="plan", review="plan")
    transcript = transcript_of(await events_of(deps, task_input))
    assert transcript.made is not None
    assert (transcript.made.maker, transcript.outcome) == ("rules", None)


@pytest.mark.parametrize(
    ("question", "line", "passages"),
    [(QUESTION, TRUE, EN_PASSAGES), (QUESTION_KO, TRUE_KO, KO_PASSAGES)],
)
async def test_a_reviewed_plan_is_done_without_another_one(
    question: str, line: str, passages: tuple[Passage, ...]
) -> None:
    retriever = FixedRetriever(passages, verdict=verdict_rule())
    deps = make_deps({"summarize": line}, retriever)
    reviewed = Reviewed(query=question, made=PERSONS)
    task_input = AgentInput(
        question="그건?", mode="plan", turns=(Turn(question="?", answer="!"),), reviewed=reviewed
    )
    events = await events_of(deps, task_input)
    assert isinstance(outcome(events), Answered)
    assert requests(deps) == ["summarize"]
    assert retriever.queries == [question]
    assert transcript_of(events).made == PERSONS


async def test_what_failed_before_the_review_stays_in_the_answer() -> None:
    failed = Failure(node="rewrite", error="ModelRejected", message="no", fallback="retrieve")
    reviewed = Reviewed(query=QUESTION, made=PERSONS, failures=(failed,))
    task_input = AgentInput(question=QUESTION, reviewed=reviewed)
    answer = outcome(await events_of(make_deps({"summarize": TRUE}), task_input))
    assert [(one.what, one.why) for one in answer.degraded] == [("rewrite", "no")]


@pytest.mark.parametrize(
    ("reviewed", "error"),
    [
        ({"query": QUESTION}, "InputError"),
        ({"query": "", "made": {"plan": STEPS, "maker": "person"}}, "InputError"),
        (
            {
                "query": QUESTION,
                "made": {
                    "plan": {"steps": [{"action": "personalize", "focus": "nobody"}]},
                    "maker": "person",
                },
            },
            PlanInvalid.__name__,
        ),
    ],
)
async def test_a_review_that_is_none_costs_nothing(reviewed: Any, error: str) -> None:
    deps = make_deps()
    events = await events_of(deps, AgentInput(question=QUESTION, reviewed=reviewed))
    assert [event.error for event in events if isinstance(event, TaskFailed)] == [error]
    assert requests(deps) == []


async def test_a_thread_does_not_hand_on_the_review() -> None:
    deps = make_deps({"plan": json.dumps(STEPS), "answer": TRUE})
    agent = build_graph(deps).compile(checkpointer=InMemorySaver())
    for review in ("plan", None):
        task_input: Any = {"question": QUESTION, "mode": "plan"}
        if review:
            task_input["review"] = review
        ended = await agent.ainvoke(task_input, {"configurable": {"thread_id": "thread"}})
    assert isinstance(ended["outcome"], Answered)
