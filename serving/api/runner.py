"""Runs tasks: begins, remembers and ends them, and cancels those that nobody waits for."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, TypeVar
from uuid import uuid4

from graph.errors import AgentError, ShuttingDown, StoreUnavailable
from graph.events import Event, TaskFailed, TaskStarted, UsageCounted
from graph.run import run_task
from graph.state import MAX_TURNS, AgentInput
from graph.transcript import Transcript
from serving.api.admission import Admission, Place
from serving.api.chores import Chore, doing
from serving.api.engine import EngineCall
from serving.api.observation import ObservedTask, Telemetry
from serving.api.ports import Agents, Ledger
from serving.api.run import Run
from serving.api.task_log import TaskLog
from serving.api.work import Work, described, is_edited, turn_of
from serving.store.events import EventStore
from serving.store.instances import BEAT_S, InstanceStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import CancelReason, TaskRecord, TaskStore

SAVE_S = 0.25
NOTE_S = 2.0
"""How often running calls' bills are noted: what a killed process wrote later is not billed."""
LOOK_S = 0.4
"""How often other instances' wishes to cancel are looked for."""

logger = logging.getLogger(__name__)

T = TypeVar("T")


class TaskRunner:
    def __init__(
        self,
        agents: Agents,
        ledger: Ledger,
        tasks: TaskStore,
        events: EventStore,
        instance: InstanceStore,
        first_tokens: int,
        reviews: ReviewStore,
        admission: Admission,
        telemetry: Telemetry,
        chores: Sequence[Chore] = (),
    ) -> None:
        """`first_tokens` are reserved before a task begins; it reserves more as it needs them."""
        self._agents = agents
        self._ledger = ledger
        self._first_tokens = first_tokens
        self.admission = admission
        self._tasks = tasks
        self._reviews = reviews
        self._log = TaskLog(tasks, events, reviews)
        self._instance = instance
        self._chores = (
            Chore(self._save_all, SAVE_S),
            Chore(self._ledger.note, NOTE_S),
            Chore(self._look_for_cancels, LOOK_S),
            Chore(self._tend_instances, BEAT_S),
            *chores,
        )
        self._telemetry = telemetry
        telemetry.watch(admission)
        self._runs: dict[str, Run] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._why_cancelled: dict[str, CancelReason] = {}
        self._closing = False

    async def begin(
        self,
        tenant: str,
        asked: Mapping[str, Any],
        work: Work,
        *,
        attached: bool,
        idempotency_key: str | None,
        thread: str | None = None,
    ) -> str:
        """The id of the task; of the one that this key has begun before, where it has. Raises
        `ShuttingDown`, `Overloaded`, `QuotaExceeded`, `StoreUnavailable`, `Conflict` for a key of
        another request or while another task of the thread has not ended, and `NotFound` for the
        thread."""
        task_id = uuid4().hex
        beginning = self._begin(task_id, tenant, asked, work, attached, idempotency_key, thread)
        return await self._started(task_id, beginning)

    async def go_on(self, task: TaskRecord, task_input: AgentInput, *, attached: bool) -> int:
        """With a task whose plan is approved; the number of its last event before. Raises
        `ShuttingDown`, `Overloaded`, `QuotaExceeded`, `RateLimited`, `StoreUnavailable`, and
        `Conflict` where it does not wait for that any more."""
        return await self._started(task.id, self._go_on(task, task_input, attached))

    async def _started(self, task_id: str, starting: Coroutine[Any, Any, T]) -> T:
        if self._closing:
            starting.close()
            raise ShuttingDown("this server is shutting down; send the task again in a moment")
        beginning = asyncio.create_task(starting)
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
        work: Work,
        attached: bool,
        idempotency_key: str | None,
        thread: str | None,
    ) -> str:
        tokens = work.tokens if isinstance(work, EngineCall) else self._first_tokens
        observed = ObservedTask(self._telemetry, task_id, tenant, *described(work))
        with observed.current():
            async with self.admission.place(tenant) as place:
                known = await self._tasks.begin(
                    task_id,
                    tenant,
                    asked,
                    attached=attached,
                    idempotency_key=idempotency_key,
                    tokens=tokens,
                    thread=thread,
                )
                if known is not None:
                    return known.id
                place.keep()
            run = Run(task_id, tenant, self._on_abandoned(task_id, attached), observed)
            self._ledger.begin(task_id, tokens, place.rank)
            run.take(TaskStarted(task_id=task_id))
            self._start(run, work, Transcript(task_id=task_id), place, thread)
        return task_id

    async def _go_on(self, task: TaskRecord, task_input: AgentInput, attached: bool) -> int:
        before = Transcript.before_review(task.result or {})
        async with self.admission.place(task.tenant) as place:
            last = await self._reviews.end(
                task.tenant,
                task.id,
                attached=attached,
                tokens=self._first_tokens,
                edited=is_edited(task_input),
            )
            if (leaving := self._workers.get(task.id)) is not None:
                await asyncio.wait([leaving])  # the run before the review ends, and nothing else
            place.keep()
        told = described(task_input)
        observed = ObservedTask(self._telemetry, task.id, task.tenant, *told, before.usage)
        with observed.current():
            on_abandoned = self._on_abandoned(task.id, attached)
            run = Run(task.id, task.tenant, on_abandoned, observed, last)
            self._ledger.begin(task.id, self._first_tokens, place.rank, before.usage)
            self._start(run, task_input, before, place)
        return last

    def _on_abandoned(self, task_id: str, attached: bool) -> Callable[[], None] | None:
        return (lambda: self._cancel(task_id, "client_left")) if attached else None

    def _start(
        self,
        run: Run,
        work: Work,
        transcript: Transcript,
        place: Place,
        thread: str | None = None,
    ) -> None:
        self._runs[run.task_id] = run
        self._workers[run.task_id] = asyncio.create_task(
            self._work(run, work, transcript, place, thread)
        )

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
        try:
            async with doing(self._chores):
                try:
                    yield
                finally:
                    await self.drain(0)
        finally:
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

    async def _work(
        self,
        run: Run,
        work: Work,
        transcript: Transcript,
        place: Place,
        thread: str | None,
    ) -> None:
        earlier, transcript.usage = transcript.usage, None

        def take(event: Event) -> None:
            if isinstance(event, UsageCounted) and earlier is not None:
                event = event.after(earlier)
            transcript.take(event)
            run.take(event)

        def queued(ahead: int) -> None:
            run.add("queued", json.dumps({"ahead": ahead}))

        try:
            async with place.turn(on_wait=queued):
                if isinstance(work, EngineCall):
                    take(await work.run(run.task_id, run.tenant, on_draft=run.take))
                else:
                    await self._ask_agent(run, work, thread, take)
        except asyncio.CancelledError:
            pass
        except AgentError as error:
            take(TaskFailed(error=type(error).__name__, message=str(error)))
        except Exception:
            logger.exception("the task %s met a defect", run.task_id)
            take(TaskFailed(error="Defect", message="a defect of this server; its log has more"))
        run.ending = True
        calls = self._ledger.calls_of_task(run.task_id)
        if transcript.usage is None:  # broken off before its bill was made
            take(UsageCounted(calls=calls, node_seconds={}, seconds=run.seconds))
        why = self._why_cancelled.pop(run.task_id, None)
        stops = not isinstance(work, EngineCall) and work.get("review") is not None
        try:
            await self._log.end(run, transcript, calls, cancelled=why, for_review=stops)
        finally:
            run.end()
            place.leave()
            self._ledger.end(run.task_id)
            del self._runs[run.task_id], self._workers[run.task_id]

    async def _ask_agent(
        self, run: Run, task_input: AgentInput, thread: str | None, take: Callable[[Event], None]
    ) -> None:
        task_input = {**task_input, "task_id": run.task_id}
        if thread is not None:
            told = await self._tasks.told(run.tenant, thread, limit=MAX_TURNS)
            task_input["turns"] = tuple(map(turn_of, told))
        async with (
            self._agents.of(run.tenant) as (agent, deps),
            aclosing(run_task(agent, task_input, deps)) as events,
        ):
            async for event in events:
                if not isinstance(event, TaskStarted):  # the stream has one already
                    take(event)

    async def _save_all(self) -> None:
        await self._log.save(*self._runs.values())

    async def _look_for_cancels(self) -> None:
        for task_id in await self._tasks.asked_to_cancel():
            self._cancel(task_id, "requested")

    async def _tend_instances(self) -> None:
        await self._instance.beat()
        await self._instance.end_orphans()
