"""Questions of one thread: what the next one knows of the last, and what it must not inherit."""

import json

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer import Answered
from graph.build import build_graph
from graph.errors import ModelRejected
from graph.state import AgentInput
from tests.fakes import FixedRetriever, make_deps
from tests.graph.test_run import FALSE, QUESTION, TRUE, events_of, outcome, requests


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
