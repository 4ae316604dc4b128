"""Whole tasks on the real server: what they share and what they cost."""

import time
from collections.abc import AsyncIterator

import pytest

from graph.answer import Answered, Refused
from graph.events import AnswerGiven, Event, Planned, RefusalGiven, UsageCounted
from graph.ports import Deps
from graph.run import Agent, run_task
from graph.state import AgentInput, Mode
from serving.settings import Settings
from serving.wiring.agent import open_agent

pytestmark = pytest.mark.engine

COMPARE = "Compare RayService and RayCluster, then summarize when to use which."
COMPARE_KO = "LoRA 어댑터를 병합하는 방식과 따로 서빙하는 방식을 비교하고, 결과를 요약해 줘."


@pytest.fixture
async def opened(settings: Settings) -> AsyncIterator[tuple[Agent, Deps]]:
    async with open_agent(settings) as parts:
        yield parts


async def events_of(opened: tuple[Agent, Deps], question: str, mode: Mode = "auto") -> list[Event]:
    agent, deps = opened
    task_input = AgentInput(question=question, mode=mode, profile=None)
    return [event async for event in run_task(agent, task_input, deps)]


@pytest.mark.parametrize("question", [COMPARE, COMPARE_KO])
async def test_the_calls_of_a_plan_task_read_most_of_their_prompts_from_the_cache(
    question: str, opened: tuple[Agent, Deps]
) -> None:
    fresh = f"{question} ({time.time_ns()})"  # no earlier run has asked this
    events = await events_of(opened, fresh)
    (planned,) = [event for event in events if isinstance(event, Planned)]
    assert len(planned.made.plan.steps) > 1
    bill = events[-1]
    assert isinstance(bill, UsageCounted)
    calls = [call for call in bill.calls if call.outcome == "ok"]
    assert len(calls) >= 3
    assert not any(call.estimated for call in calls)
    shares = [call.cached_tokens / call.prompt_tokens for call in calls[1:]]
    print("cached shares:", [round(share, 2) for share in shares])
    assert min(shares) >= 0.6


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What is the difference between a RayCluster and a RayService?", "09-ray-serve"),
        ("LoRA 어댑터의 랭크는 무엇인가?", "16-lora"),
    ],
)
async def test_a_look_up_is_answered_from_its_document(
    question: str, document: str, opened: tuple[Agent, Deps]
) -> None:
    events = await events_of(opened, question, mode="direct")
    (given,) = [event.answer for event in events if isinstance(event, AnswerGiven)]
    assert isinstance(given, Answered)
    assert any(citation.document.startswith(document) for citation in given.citations)


@pytest.mark.parametrize(
    "question", ["Who won the football world cup in 2018?", "오늘 저녁 김치찌개 끓이는 법 알려줘"]
)
async def test_a_foreign_question_costs_no_call(question: str, opened: tuple[Agent, Deps]) -> None:
    events = await events_of(opened, question)
    (refusal,) = [event.refusal for event in events if isinstance(event, RefusalGiven)]
    assert isinstance(refusal, Refused)
    assert refusal.reason == "out_of_domain"
    bill = events[-1]
    assert isinstance(bill, UsageCounted)
    assert bill.calls == ()
