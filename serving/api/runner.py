"""Runs tasks: begins, remembers and ends them, and cancels those that nobody waits for."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from typing import Any, Literal, Protocol
from uuid import uuid4

from graph.answer import CallRecord
from graph.errors import AgentError, ShuttingDown, StoreUnavailable
from graph.events import CompletionGiven, TaskFailed, TaskStarted, UsageCounted
from graph.ports import Deps
from graph.run import Agent, run_task
from graph.state import AgentInput
from graph.transcript import Transcript
from serving.api.engine import EngineCall
from serving.api.run import Run
from serving.store.events import EventStore
from serving.store.instances import BEAT_S, InstanceStore
from serving.store.tasks import TaskRecord, TaskStatus, TaskStore

SAVE_S = 0.25
LOOK_S = 0.4
"""How often other instances' wishes to cancel are looked for."""

END_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Between attempts to write down how a task ended; then it stays `running` there until this
instance has ended."""

CancelReason = Literal["client_left", "requested", "shutdown"]

logger = logging.getLogger(__name__)


class Agents(Protocol):
    def of(self, tenant: str) -> AbstractAsyncContextManager[tuple[Agent, Deps]]:
        """The tenant's agent, on its documents. Raises `KnowledgeError`."""
        ...


class Ledger(Protocol):
    def begin(self, task_id: str, tokens: int) -> None: ...

    def end(self, task_id: str) -> None: ...

    def calls_of_task(self, task_id: str) -> tuple[CallRecord, ...]: ...

    async def note(self) -> None: ...


class TaskRunner:
    def __init__(
        self,
        agents: Agents,
        ledger: Ledger,
        tasks: TaskStore,
        events: EventStore,
        instance: InstanceStore,
        first_tokens: int,
    ) -> None:
        """`first_tokens` are reserved before a task begins; it reserves more as it needs them."""
        self._agents = agents
        self._ledger = ledger
        self._first_tokens = first_tokens
        self._tasks = tasks
        self._events = events
        self._instance = instance
        self._runs: dict[str, Run] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._why_cancelled: dict[str, CancelReason] = {}
        self._saving = asyncio.Lock()
        self._closing = False

    async def begin(
        self,
        tenant: str,
        asked: Mapping[str, Any],
        work: AgentInput | EngineCall,
        *,
        attached: bool,
        idempotency_key: str | None,
    ) -> str:
        """The id of the task; of the one that this key has begun before, where it has. Raises
        `ShuttingDown`, `QuotaExceeded`, `StoreUnavailable`, and `Conflict` for a key of another
        request."""
        if self._closing:
            raise ShuttingDown("this server is shutting down; send the task again in a moment")
        task_id = uuid4().hex
        beginning = asyncio.create_task(
            self._begin(task_id, tenant, asked, work, attached, idempotency_key)
        )
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:  # nobody will follow what may have begun
            beginning.add_done_callback(lambda _: self._cancel(task_id, "client_left"))
            raise

    async def _begin(
        self,
        task_id: str,
        tenant: str,
        asked: Mapping[str, Any],
        work: AgentInput | EngineCall,
        attached: bool,
        idempotency_key: str | None,
    ) -> str:
        tokens = work.tokens if isinstance(work, EngineCall) else self._first_tokens
        known = await self._tasks.begin(
            task_id,
            tenant,
            asked,
            attached=attached,
            idempotency_key=idempotency_key,
            tokens=tokens,
        )
        if known is not None:
            return known.id
        run = Run(
            task_id,
            tenant,
            on_abandoned=(lambda: self._cancel(task_id, "client_left")) if attached else _nothing,
        )
        self._ledger.begin(task_id, tokens)
        run.take(TaskStarted(task_id=task_id))
        self._runs[task_id] = run
        self._workers[task_id] = asyncio.create_task(self._work(run, work))
        return task_id

    def run(self, tenant: str, task_id: str) -> Run | None:
        """Where this process runs it."""
        run = self._runs.get(task_id)
        return run if run is not None and run.tenant == tenant else None

    @property
    def running(self) -> int:
        """Tasks of this process."""
        return len(self._runs)

    async def cancel(self, task: TaskRecord) -> None:
        """Wherever it runs; the caller sees the end in the task."""
        if task.id in self._workers:
            self._cancel(task.id, "requested")
        else:
            await self._tasks.ask_to_cancel(task.tenant, task.id)

    def _cancel(self, task_id: str, why: CancelReason) -> None:
        """A second cancel would break off what the first one still has to write down."""
        run = self._runs.get(task_id)
        if run is not None and not run.ending and task_id not in self._why_cancelled:
            self._why_cancelled[task_id] = why
            self._workers[task_id].cancel()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """While the block runs, tasks can begin; at its end those that run are cancelled."""
        await self._instance.begin()
        chores = [
            asyncio.create_task(_repeat(self._save_all, SAVE_S)),
            asyncio.create_task(_repeat(self._ledger.note, SAVE_S)),
            asyncio.create_task(_repeat(self._look_for_cancels, LOOK_S)),
            asyncio.create_task(_repeat(self._tend_instances, BEAT_S)),
        ]
        try:
            yield
        finally:
            await self.drain(0)
            for chore in chores:
                chore.cancel()
            await asyncio.wait(chores)
            with suppress(StoreUnavailable):
                await self._instance.end()

    async def drain(self, grace_s: float) -> None:
        """No new task begins; those that run have `grace_s` to end, and are cancelled then."""
        self._closing = True
        if self._workers:
            await asyncio.wait(self._workers.values(), timeout=grace_s)
        for task_id in list(self._workers):
            self._cancel(task_id, "shutdown")
        if self._workers:
            await asyncio.wait(self._workers.values())

    async def _work(self, run: Run, work: AgentInput | EngineCall) -> None:
        transcript = Transcript(task_id=run.task_id)
        completion: CompletionGiven | None = None
        try:
            if isinstance(work, EngineCall):
                completion = await work.run(run.task_id, on_draft=run.take)
                run.take(completion)
            else:
                await self._ask_agent(run, work, transcript)
        except asyncio.CancelledError:
            pass
        except AgentError as error:
            self._fail(run, transcript, type(error).__name__, str(error))
        except Exception:
            logger.exception("the task %s met a defect", run.task_id)
            self._fail(run, transcript, "Defect", "a defect of this server; its log has more")
        run.ending = True
        try:
            await self._end(run, transcript, completion, self._why_cancelled.pop(run.task_id, None))
        finally:
            run.end()
            self._ledger.end(run.task_id)
            del self._runs[run.task_id], self._workers[run.task_id]

    async def _ask_agent(self, run: Run, task_input: AgentInput, transcript: Transcript) -> None:
        task_input = {**task_input, "task_id": run.task_id}
        async with (
            self._agents.of(run.tenant) as (agent, deps),
            aclosing(run_task(agent, task_input, deps)) as events,
        ):
            async for event in events:
                if not isinstance(event, TaskStarted):  # the stream has one already
                    transcript.take(event)
                    run.take(event)

    def _fail(self, run: Run, transcript: Transcript, error: str, message: str) -> None:
        failed = TaskFailed(error=error, message=message)
        transcript.take(failed)
        run.take(failed)

    async def _end(
        self,
        run: Run,
        transcript: Transcript,
        completion: CompletionGiven | None,
        why: CancelReason | None,
    ) -> None:
        status: TaskStatus
        if transcript.outcome is not None:
            status = transcript.outcome.kind
        elif completion is not None:
            status = "completed"
        else:
            status = "cancelled" if why else "failed"
        calls = self._ledger.calls_of_task(run.task_id)
        if transcript.usage is None:  # broken off before its bill was made
            usage = UsageCounted(calls=calls, node_seconds={}, seconds=run.seconds)
            transcript.take(usage)
            run.take(usage)
        cancelled = why if status == "cancelled" else None
        run.add("end", json.dumps({"status": status, "cancelled": cancelled}))
        text = completion.model_dump(mode="json") if completion else None
        result = {**transcript.as_json(), "completion": text, "cancelled": cancelled}
        for pause_s in (*END_PAUSES_S, None):
            try:
                await self._save(run)
                await self._tasks.end(run.task_id, status, result, calls)
                return
            except StoreUnavailable as error:
                logger.warning("the end of the task %s is not written: %s", run.task_id, error)
                if pause_s is not None:
                    await asyncio.sleep(pause_s)

    async def _save(self, *runs: Run) -> None:
        async with self._saving:
            new = {run.task_id: run.unsaved() for run in runs}
            await self._events.append(new)
            for run in runs:
                run.saved(len(new[run.task_id]))

    async def _save_all(self) -> None:
        await self._save(*self._runs.values())

    async def _look_for_cancels(self) -> None:
        for task_id in await self._tasks.asked_to_cancel():
            self._cancel(task_id, "requested")

    async def _tend_instances(self) -> None:
        await self._instance.beat()
        await self._instance.end_orphans()


def _nothing() -> None:
    """A task in the background has no one who must stay."""


async def _repeat(chore: Callable[[], Awaitable[object]], every_s: float) -> None:
    """A database that is away for a while ends no chore."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await chore()
        except StoreUnavailable as error:
            logger.warning("%s", error)
