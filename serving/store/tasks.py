"""Tasks as they are remembered: who asked what, how it stands, and what came of it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, Table, and_, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.answer import CallRecord
from graph.errors import Conflict, NotFound
from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.quotas import QuotaStore
from serving.store.tables import OPEN, tasks, threads
from serving.telemetry.context import current_trace_id

TaskStatus = Literal[
    "running",
    "awaiting_review",
    "answered",
    "refused",
    "completed",
    "failed",
    "cancelled",
    "interrupted",
]
"""`awaiting_review`: nothing runs until a person has approved its plan. `completed`: a text of the
engine, asked for past the agent. `interrupted`: the process that ran it ended without a word."""

CancelReason = Literal["client_left", "requested", "shutdown", "not_reviewed"]


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """`asked` is the request as it was read, `result` what the task ended with. An `attached` task
    is cancelled when nobody follows it any more."""

    id: str
    tenant: str
    asked: Mapping[str, Any]
    status: TaskStatus
    result: Mapping[str, Any] | None
    attached: bool
    created_s: float
    ended_s: float | None
    thread: str | None
    trace_id: str | None


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page of a list by age ended."""

    created_s: float
    id: str


class TaskStore:
    def __init__(
        self,
        database: Database,
        quotas: QuotaStore,
        instance: str,
        *,
        audits_questions: bool = False,
    ) -> None:
        """The audit log tells who asked and when, and what only if `audits_questions`."""
        self._database = database
        self._quotas = quotas
        self._instance = instance
        self._audits_questions = audits_questions

    @to_its_end
    async def begin(
        self,
        task_id: str,
        tenant: str,
        asked: Mapping[str, Any],
        *,
        attached: bool,
        idempotency_key: str | None,
        tokens: int,
        thread: str | None = None,
    ) -> TaskRecord | None:
        """Remember a task that this instance begins, and reserve tokens for it; None where it did.
        The task that has this key already is given instead, and nothing is to be run. Raises
        `Conflict` where that one was asked something else, or another one of the thread has not
        ended; `NotFound` where there is no such thread; `QuotaExceeded`."""
        async with self._database.transaction() as connection:
            if thread is not None:
                await _hold(connection, tenant, thread)
            values = {
                "id": task_id,
                "tenant": tenant,
                "thread": thread,
                "asked": dict(asked),
                "status": "running",
                "attached": attached,
                "idempotency_key": idempotency_key,
                "instance": self._instance,
                "created_s": time.time(),
                "trace_id": current_trace_id(),
            }
            if await self._database.insert_new(connection, tasks, values):
                await self._quotas.begin(connection, task_id, tenant, tokens)
                audited = ("mode", "question") if self._audits_questions else ("mode",)
                details = {name: asked[name] for name in audited if name in asked}
                await audit.record(connection, tenant, "task.begun", task_id, details)
                return None
            same_key = and_(
                tasks.c.idempotency_key.is_not(None), tasks.c.idempotency_key == idempotency_key
            )
            known = await connection.execute(
                select(tasks).where(tasks.c.tenant == tenant, same_key)
            )
            row = known.one_or_none()
        if row is None:
            raise Conflict(
                "another task of this thread runs or awaits its review; wait until it has ended, "
                "or cancel it"
            )
        record = _record(row)
        if record.asked != dict(asked):
            raise Conflict(
                "this Idempotency-Key belongs to another request; use a new key for a new one"
            )
        return record

    @to_its_end
    async def find(self, tenant: str, task_id: str) -> TaskRecord | None:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(tasks).where(tasks.c.id == task_id, tasks.c.tenant == tenant)
            )
            row = found.one_or_none()
        return None if row is None else _record(row)

    @to_its_end
    async def page(
        self,
        tenant: str,
        *,
        limit: int,
        after: Position | None = None,
        status: TaskStatus | None = None,
    ) -> list[TaskRecord]:
        """From the newest."""
        query = select(tasks).where(tasks.c.tenant == tenant)
        if status is not None:
            query = query.where(tasks.c.status == status)
        if after is not None:
            query = query.where(older(tasks, after))
        query = query.order_by(tasks.c.created_s.desc(), tasks.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return [_record(row) for row in await connection.execute(query)]

    @to_its_end
    async def of_thread(
        self, tenant: str, thread: str, *, limit: int, after: Position | None = None
    ) -> list[TaskRecord]:
        """From the oldest."""
        query = select(tasks).where(tasks.c.thread == thread, tasks.c.tenant == tenant)
        if after is not None:
            query = query.where(
                or_(
                    tasks.c.created_s > after.created_s,
                    and_(tasks.c.created_s == after.created_s, tasks.c.id > after.id),
                )
            )
        query = query.order_by(tasks.c.created_s, tasks.c.id).limit(limit)
        async with self._database.reading() as connection:
            return [_record(row) for row in await connection.execute(query)]

    @to_its_end
    async def open_in(self, tenant: str, thread: str) -> TaskRecord | None:
        """The one that runs or awaits its review."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(tasks).where(tasks.c.thread == thread, tasks.c.tenant == tenant, text(OPEN))
            )
            row = found.one_or_none()
        return None if row is None else _record(row)

    @to_its_end
    async def told(self, tenant: str, thread: str, *, limit: int) -> list[TaskRecord]:
        """The last tasks of a thread that ended in an answer or a refusal, from the oldest."""
        query = (
            select(tasks)
            .where(
                tasks.c.thread == thread,
                tasks.c.tenant == tenant,
                tasks.c.status.in_(("answered", "refused")),
            )
            .order_by(tasks.c.created_s.desc(), tasks.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [_record(row) for row in await connection.execute(query)][::-1]

    @to_its_end
    async def end(
        self,
        task_id: str,
        status: TaskStatus,
        result: Mapping[str, Any],
        calls: Sequence[CallRecord] = (),
    ) -> bool:
        """Book its calls and release its tokens; whether it still ran. An end is final, and the
        first one counts."""
        async with self._database.transaction() as connection:
            ended = await connection.execute(
                update(tasks)
                .where(tasks.c.id == task_id, tasks.c.status == "running")
                .values(status=status, result=dict(result), ended_s=time.time())
                .returning(tasks.c.tenant, tasks.c.trace_id)
            )
            row = ended.one_or_none()
            await self._quotas.end(connection, task_id, calls)
            if row is not None:
                await audit.record(
                    connection,
                    row.tenant,
                    "task.ended",
                    task_id,
                    audit.task_end(status, result),
                    trace_id=row.trace_id,
                )
            return row is not None

    @to_its_end
    async def ask_to_cancel(self, tenant: str, task_id: str) -> None:
        """For the instance that runs it, which looks by `asked_to_cancel`."""
        async with self._database.transaction() as connection:
            await connection.execute(
                update(tasks)
                .where(tasks.c.id == task_id, tasks.c.tenant == tenant, tasks.c.status == "running")
                .values(cancel_asked=True)
            )

    @to_its_end
    async def asked_to_cancel(self) -> Sequence[str]:
        """Tasks of this instance that somebody wants to end."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(tasks.c.id).where(
                    tasks.c.instance == self._instance,
                    tasks.c.status == "running",
                    tasks.c.cancel_asked,
                )
            )
            return list(found.scalars())

    @to_its_end
    async def running(self, tenant: str) -> int:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(func.count()).where(tasks.c.tenant == tenant, tasks.c.status == "running")
            )
            return int(found.scalar_one())


async def _hold(connection: AsyncConnection, tenant: str, thread: str) -> None:
    """The thread cannot be deleted until the transaction ends. Raises `NotFound`."""
    found = await connection.execute(
        select(threads.c.id)
        .where(threads.c.id == thread, threads.c.tenant == tenant, threads.c.deleted_s.is_(None))
        .with_for_update(read=True)
    )
    if found.first() is None:
        raise NotFound("there is no such thread")


def older(table: Table, position: Position) -> ColumnElement[bool]:
    """Behind this one in a list from the newest."""
    return or_(
        table.c.created_s < position.created_s,
        and_(table.c.created_s == position.created_s, table.c.id < position.id),
    )


def _record(row: Row[Any]) -> TaskRecord:
    return TaskRecord(
        id=row.id,
        tenant=row.tenant,
        asked=row.asked,
        status=row.status,
        result=row.result,
        attached=row.attached,
        created_s=row.created_s,
        ended_s=row.ended_s,
        thread=row.thread,
        trace_id=row.trace_id,
    )
