"""The events of a task while it runs."""

import asyncio
import json

import pytest

from graph.events import QuestionUnderstood, TokenDrafted
from serving.api import run as run_module
from serving.api.observation import ObservedTask, Telemetry
from serving.api.run import Run


@pytest.fixture
async def run() -> Run:
    return Run("t", "acme", None, ObservedTask(Telemetry(), "t", "acme", "direct", "왜?"))


def drafted(text: str, step: int = 1) -> TokenDrafted:
    return TokenDrafted(node="answer", step=step, text=text)


async def told(run: Run) -> list[tuple[int, str, str]]:
    run.end()
    return [
        (event.number, event.type, json.loads(event.data).get("text", ""))
        async for event in run.events()
    ]


async def test_the_first_piece_goes_out_at_once_and_those_that_follow_it_soon_are_one_event(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "DRAFTS_S", 3_600.0)
    for text in ("캐시는 ", "짧게 ", "한다"):
        run.take(drafted(text))
    assert await told(run) == [(1, "token", "캐시는 "), (2, "token", "짧게 한다")]


async def test_a_piece_that_waits_goes_out_by_itself(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "DRAFTS_S", 0.05)
    run.take(drafted("a"))
    run.take(drafted("b"))
    async with asyncio.timeout(10):
        event = await anext(run.events(after=1))
    assert json.loads(event.data)["text"] == "b"


async def test_pieces_that_are_far_apart_are_events_of_their_own(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "DRAFTS_S", 0.0)
    run.take(drafted("a"))
    run.take(drafted("b"))
    assert await told(run) == [(1, "token", "a"), (2, "token", "b")]


async def test_a_draft_goes_out_before_what_comes_behind_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "DRAFTS_S", 3_600.0)
    for event in (drafted("a"), drafted("b"), drafted("c", step=2), drafted("d", step=2)):
        run.take(event)
    run.take(QuestionUnderstood(query="왜?"))
    run.take(drafted("e"))
    assert await told(run) == [
        (1, "token", "a"),
        (2, "token", "b"),
        (3, "token", "cd"),
        (4, "question", ""),
        (5, "token", "e"),
    ]
