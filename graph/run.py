"""Run one task: the graph in an asyncio task of its own, and typed events out of it."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any
from uuid import uuid4

from langgraph.errors import NodeTimeoutError
from langgraph.graph.state import CompiledStateGraph

from graph.answer import Answered
from graph.errors import AgentError, DeadlineExceeded
from graph.events import (
    AnswerGiven,
    Event,
    NodeFinished,
    PassagesFound,
    Planned,
    QuestionUnderstood,
    RefusalGiven,
    StepFinished,
    TaskFailed,
    TaskStarted,
    UsageCounted,
)
from graph.ports import Account, Deps, Listener
from graph.state import AgentInput, AgentOutput, AgentState

RECURSION_LIMIT = 40  # the longest path: 5 steps one after the other, with a schedule after each
GRACE_S = 15.0  # after the model's deadline, for what follows without a model
CANCEL_TIMEOUT_S = 10.0

logger = logging.getLogger(__name__)

Agent = CompiledStateGraph[AgentState, Listener, AgentInput, AgentOutput]


async def run_task(
    agent: Agent, task_input: AgentInput, deps: Deps, *, thread_id: str | None = None
) -> AsyncGenerator[Event, None]:
    """The events of one task; `UsageCounted` is the last, whatever the outcome.

    An `AgentError` becomes `TaskFailed`; any other exception is a defect and is raised. Closing
    this iterator, or cancelling the one who reads it, cancels the task and its model calls, and
    returns when they have ended (an error is logged where that takes more than 10 s).
    """
    # Bounded by the task itself: its token limit bounds the drafts, its plan the rest.
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    worker = asyncio.create_task(_work(agent, task_input, deps, thread_id, queue))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await worker
    finally:
        worker.cancel()
        _, running = await asyncio.wait([worker], timeout=CANCEL_TIMEOUT_S)
        if running:
            logger.error("a cancelled task still runs after %g s", CANCEL_TIMEOUT_S)


async def _work(
    agent: Agent,
    task_input: AgentInput,
    deps: Deps,
    thread_id: str | None,
    queue: asyncio.Queue[Event | None],
) -> None:
    run_id = uuid4()
    started = time.perf_counter()
    node_seconds: dict[str, float] = defaultdict(float)
    account: Account | None = None

    def emit(event: Event) -> None:
        if isinstance(event, NodeFinished):
            node_seconds[event.node] += event.seconds
        queue.put_nowait(event)

    try:
        async with asyncio.timeout(deps.limits.deadline_s + GRACE_S):
            async for chunk in agent.astream(
                task_input,
                {
                    "run_id": run_id,
                    "run_name": "task",
                    "recursion_limit": RECURSION_LIMIT,
                    "configurable": {"thread_id": thread_id} if thread_id else {},
                },
                context=Listener(emit),  # LangGraph's stream does a round of work for each event
                stream_mode="updates",
            ):
                for event in _events(chunk):
                    if isinstance(event, TaskStarted):
                        account = Account(event.task_id, str(run_id), deps.limits, deps.tenant)
                    queue.put_nowait(event)
    except (TimeoutError, NodeTimeoutError):
        queue.put_nowait(_failed(DeadlineExceeded("the task did not end within its deadline")))
    except AgentError as error:
        queue.put_nowait(_failed(error))
    finally:
        calls = deps.ledger.calls(account) if account else ()
        seconds = time.perf_counter() - started
        queue.put_nowait(
            UsageCounted(calls=calls, node_seconds=dict(node_seconds), seconds=seconds)
        )
        queue.put_nowait(None)


def _events(chunk: Mapping[str, Mapping[str, Any] | None]) -> Iterator[Event]:
    """What the updates of one round of nodes mean to a reader."""
    for node, update in chunk.items():
        if not update:
            continue
        if node == "admit":
            yield TaskStarted(task_id=update["task"].id)
        elif "query" in update:
            yield QuestionUnderstood(query=update["query"])
        elif "evidence" in update:
            yield PassagesFound(first=1, passages=update["evidence"])
        if (made := update.get("made")) is not None:
            yield Planned(made=made)
        for failure in update.get("failures", {}).values() if node != "admit" else ():
            yield failure.as_event()
        for result in update.get("results", {}).values() if node != "admit" else ():
            yield StepFinished(result=result)
        if (outcome := update.get("outcome")) is not None:
            yield (
                AnswerGiven(answer=outcome)
                if isinstance(outcome, Answered)
                else RefusalGiven(refusal=outcome)
            )


def _failed(error: AgentError) -> TaskFailed:
    return TaskFailed(error=type(error).__name__, message=str(error))
