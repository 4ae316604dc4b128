"""Questions of one thread: what the next one knows of the last, and what it must not inherit."""

import json
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer import Answered
from graph.build import build_graph
from graph.errors import ModelRejected
from graph.events import QuestionUnderstood, TaskFailed
from graph.evidence import Passage
from graph.run import run_task
from graph.state import MAX_TURNS, AgentInput, Turn
from nodes.admit import MAX_TURN_CHARS
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, ScriptedModel, make_deps
from tests.graph.test_run import (
    FALSE,
    QUESTION,
    QUESTION_KO,
    TRUE,
    TRUE_KO,
    events_of,
    outcome,
    requests,
)


async def test_the_next_question_of_a_thread_is_rewritten_and_starts_clean() -> None:
    lines = {"rewrite": "What does a response cache keep?", "answer": [FALSE, TRUE], "revise": TRUE}
    deps = make_deps(lines)
    agent = build_graph(deps).compile(checkpointer=InMemorySaver())
    await events_of(deps, agent=agent, thread_id="thread")
    events = await events_of(deps, "And the other one?", agent=agent, thread_id="thread")
    answer = outcome(events)
    assert isinstance(answer, Answered)
    assert (answer.removed, answer.degraded) == ((), ())
    assert requests(deps) == ["answer", "revise", "rewrite", "answer"]
    assert isinstance(deps.retriever, FixedRetriever)
    assert deps.retriever.queries[-1] == "What does a response cache keep?"


async def test_a_follow_up_that_cannot_be_rewritten_is_asked_as_it_is() -> None:
    deps = make_deps({"rewrite": ModelRejected("no"), "answer": TRUE})
    agent = build_graph(deps).compile(checkpointer=InMemorySaver())
    await events_of(deps, agent=agent, thread_id="thread")
    answer = outcome(await events_of(deps, QUESTION, agent=agent, thread_id="thread"))
    assert [degraded.what for degraded in answer.degraded] == ["rewrite"]
    assert isinstance(deps.retriever, FixedRetriever)
    assert deps.retriever.queries[-1] == QUESTION


async def test_mode_and_profile_of_one_question_are_not_those_of_the_next() -> None:
    plan = {"steps": [{"action": "personalize", "focus": "prefix caches"}]}
    lines = {"plan": json.dumps(plan), "personalize": TRUE, "rewrite": QUESTION, "answer": TRUE}
    deps = make_deps(lines)
    agent = build_graph(deps).compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "thread"}}
    first = AgentInput(question=QUESTION, mode="plan", profile="a beginner")
    await agent.ainvoke(first, config)
    await agent.ainvoke(AgentInput(question=QUESTION), config)
    assert requests(deps) == ["plan", "personalize", "rewrite", "answer"]


@pytest.mark.parametrize(
    ("asked", "understood", "line", "passages"),
    [
        ("And that one?", QUESTION, TRUE, EN_PASSAGES),
        ("그건?", QUESTION_KO, TRUE_KO, KO_PASSAGES),
    ],
)
async def test_turns_of_a_caller_that_keeps_threads_itself_are_read(
    asked: str, understood: str, line: str, passages: tuple[Passage, ...]
) -> None:
    deps = make_deps({"rewrite": understood, "answer": line}, FixedRetriever(passages))
    turns = tuple(Turn(question=f"Q{n}", answer="답 " * 1_000) for n in range(MAX_TURNS + 2))
    task_input = AgentInput(question=asked, turns=turns)
    agent = build_graph(deps).compile()
    events = [event async for event in run_task(agent, task_input, deps)]
    assert isinstance(outcome(events), Answered)
    assert [event.query for event in events if isinstance(event, QuestionUnderstood)] == [
        understood
    ]
    assert isinstance(deps.retriever, FixedRetriever)
    assert deps.retriever.queries == [understood]
    assert isinstance(deps.model, ScriptedModel)
    told = deps.model.requests[0].messages[1].content
    assert "Q1\n" not in told
    assert f"Q{MAX_TURNS + 1}\n" in told
    assert len(told) < (MAX_TURNS + 1) * MAX_TURN_CHARS


async def test_turns_that_are_none_are_an_error_of_the_caller() -> None:
    deps = make_deps()
    wrong: Any = {"question": QUESTION, "turns": [{"question": "?"}]}
    events = [event async for event in run_task(build_graph(deps).compile(), wrong, deps)]
    [failed] = [event for event in events if isinstance(event, TaskFailed)]
    assert failed.error == "InputError"
    assert "turns.0.answer" in failed.message
