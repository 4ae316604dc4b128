"""Tasks as they are remembered: who asked what, how it stands, and what came of it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, and_, func, or_, select, update

from graph.answer import CallRecord
from graph.errors import Conflict
from serving.store.database import Database, to_its_end
from serving.store.quotas import QuotaStore
from serving.store.tables import tasks

TaskStatus = Literal[
    "running", "answered", "refused", "completed", "failed", "cancelled", "interrupted"
]
"""`completed`: a text of the engine, asked for past the agent. `interrupted`: the process that ran
it ended without a word."""


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


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page of the list ended: tasks are listed from the newest."""

    created_s: float
    id: str


class TaskStore:
    def __init__(self, database: Database, quotas: QuotaStore, instance: str) -> None:
        self._database = database
        self._quotas = quotas
        self._instance = instance

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
    ) -> TaskRecord | None:
        """Remember a task that this instance begins, and reserve tokens for it; None where it did.
        The task that has this key already is given instead, and nothing is to be run. Raises
        `Conflict` where that one was asked something else, and `QuotaExceeded`."""
        async with self._database.transaction() as connection:
            values = {
                "id": task_id,
                "tenant": tenant,
                "asked": dict(asked),
                "status": "running",
                "attached": attached,
                "idempotency_key": idempotency_key,
                "instance": self._instance,
                "created_s": time.time(),
            }
            if await self._database.insert_new(connection, tasks, values):
                await self._quotas.begin(connection, task_id, tenant, tokens)
                return None
            known = await connection.execute(
                select(tasks).where(
                    tasks.c.tenant == tenant, tasks.c.idempotency_key == idempotency_key
                )
            )
            record = _record(known.one())
        if record.asked != dict(asked):
            raise Conflict(
                "this Idempotency-Key belongs to another request; use a new key for a new one"
            )
        return record

    @to_its_end
    async def find(self, tenant: str, task_id: str) -> TaskRecord | None:
        async with self._database.transaction() as connection:
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
        query = select(tasks).where(tasks.c.tenant == tenant)
        if status is not None:
            query = query.where(tasks.c.status == status)
        if after is not None:
            query = query.where(
                or_(
                    tasks.c.created_s < after.created_s,
                    and_(tasks.c.created_s == after.created_s, tasks.c.id < after.id),
                )
            )
        query = query.order_by(tasks.c.created_s.desc(), tasks.c.id.desc()).limit(limit)
        async with self._database.transaction() as connection:
            return [_record(row) for row in await connection.execute(query)]

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
            )
            await self._quotas.end(connection, task_id, calls)
            return ended.rowcount == 1

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
        async with self._database.transaction() as connection:
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
        async with self._database.transaction() as connection:
            found = await connection.execute(
                select(func.count()).where(tasks.c.tenant == tenant, tasks.c.status == "running")
            )
            return int(found.scalar_one())


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
    )
