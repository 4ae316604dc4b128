"""The documents that a task may search: checked, used by every search, and not inherited."""

import json
from datetime import date
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graph.answer import Refused
from graph.build import build_graph
from graph.errors import InputError
from graph.events import Event, TaskFailed
from graph.evidence import EVERYTHING, Scope, read_scope
from graph.ports import Deps
from graph.run import run_task
from graph.state import AgentInput, Mode
from serving.wiring.agent import checkpoint_serializer
from tests.fakes import FixedRetriever, make_deps
from tests.graph.test_run import QUESTION, QUESTION_KO, TRUE, outcome

SCOPE = Scope(documents=("규정/*",), tags=("hr",), since=date(2024, 5, 1))


async def events_in(
    scope: Scope, deps: Deps, question: str = QUESTION, mode: Mode = "auto"
) -> list[Event]:
    agent = build_graph(deps).compile()
    task_input = AgentInput(question=question, scope=scope, mode=mode)
    return [event async for event in run_task(agent, task_input, deps)]


def scopes(deps: Deps) -> list[Scope]:
    assert isinstance(deps.retriever, FixedRetriever)
    return deps.retriever.scopes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"since": "2024-05-02", "until": "2024-05-01"}, "since 2024-05-02 is later than"),
        ({"since": "어제"}, r"scope\.since: '어제' is no day; write it as YYYY-MM-DD"),
        ({"until": "20240501"}, r"scope\.until: '20240501' is no day"),
        ({"until": 20240501}, r"scope\.until: 20240501 is no day"),
        ({"documents": [""]}, r"scope\.documents\.0: .* at least 1 character"),
        ({"documents": ["가" * 1_001]}, r"scope\.documents\.0: .* at most 1000 characters"),
        ({"documents": ["*"] * 51}, r"scope\.documents: .* at most 50 items"),
        ({"tags": ["x" * 256]}, r"scope\.tags\.0: .* at most 255 characters"),
        ({"tags": "hr"}, r"scope\.tags: .*tuple"),
        ({"folder": "hr"}, r"scope\.folder: Extra inputs"),
        ("hr/*", "scope: Input should be"),
    ],
)
def test_a_scope_that_is_none_is_refused_and_its_part_is_named(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_scope(given)


async def test_every_search_of_a_task_keeps_to_its_scope() -> None:
    plan = {
        "steps": [
            {"action": "retrieve", "query": "response cache"},
            {"action": "answer", "focus": "prefix cache", "after": [1]},
        ]
    }
    deps = make_deps({"plan": json.dumps(plan), "answer": TRUE})
    await events_in(SCOPE, deps, mode="plan")
    assert scopes(deps) == [SCOPE, SCOPE]


async def test_the_next_question_of_a_thread_has_the_scope_that_it_brings() -> None:
    deps = make_deps({"rewrite": QUESTION, "answer": TRUE})
    saver = InMemorySaver(serde=checkpoint_serializer())
    agent = build_graph(deps).compile(checkpointer=saver)
    config: RunnableConfig = {"configurable": {"thread_id": "thread"}}
    await agent.ainvoke(AgentInput(question=QUESTION, scope=SCOPE), config)
    assert (await agent.aget_state(config)).values["task"].scope == SCOPE
    await agent.ainvoke(AgentInput(question=QUESTION), config)
    as_json: Any = {"question": QUESTION, "scope": SCOPE.model_dump(mode="json")}
    await agent.ainvoke(as_json, config)
    assert scopes(deps) == [SCOPE, EVERYTHING, SCOPE]


@pytest.mark.parametrize(
    ("question", "limited"),
    [(QUESTION, "ask without that limit"), (QUESTION_KO, "범위를 정하지 말고 다시")],
)
async def test_a_refusal_says_that_the_search_was_limited(question: str, limited: str) -> None:
    said = []
    for scope in (SCOPE, EVERYTHING):
        deps = make_deps(retriever=FixedRetriever(score=0.1))
        refusal = outcome(await events_in(scope, deps, question))
        assert isinstance(refusal, Refused)
        said.append(limited in refusal.message)
    assert said == [True, False]


async def test_a_scope_that_holds_nothing_is_an_error_and_no_refusal() -> None:
    deps = make_deps(retriever=FixedRetriever(error=InputError("no document is in the scope")))
    (failed,) = [e for e in await events_in(SCOPE, deps) if isinstance(e, TaskFailed)]
    assert (failed.error, failed.message) == ("InputError", "no document is in the scope")
