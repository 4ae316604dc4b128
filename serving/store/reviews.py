"""Tasks that wait until a person has approved their plan: nothing runs, nothing is reserved."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.answer import CallRecord
from graph.errors import Conflict, NotFound
from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.quotas import QuotaStore
from serving.store.tables import events, tasks
from serving.store.tasks import CancelReason

PORTION = 100
APPROVED: audit.Action = "plan.approved"
EDITED: audit.Action = "plan.edited"

_WAITS = tasks.c.status == "awaiting_review"


class ReviewStore:
    def __init__(self, database: Database, quotas: QuotaStore, instance: str) -> None:
        self._database = database
        self._quotas = quotas
        self._instance = instance

    @to_its_end
    async def begin(
        self, task_id: str, result: Mapping[str, Any], calls: Sequence[CallRecord]
    ) -> bool:
        """Book the calls of a task that has its plan and release its tokens; whether it still
        ran."""
        async with self._database.transaction() as connection:
            waits = await connection.execute(
                update(tasks)
                .where(tasks.c.id == task_id, tasks.c.status == "running")
                .values(status="awaiting_review", result=dict(result), waiting_since_s=time.time())
                .returning(tasks.c.id)
            )
            found = waits.first() is not None
            await self._quotas.end(connection, task_id, calls)
            return found

    @to_its_end
    async def end(
        self, tenant: str, task_id: str, *, attached: bool, tokens: int, edited: bool
    ) -> int:
        """From now on this instance runs it, with tokens reserved anew; the number of its last
        event. `edited`: with another plan than the model's. Raises `NotFound`, `QuotaExceeded`,
        `RateLimited`, and `Conflict` where it does not wait."""
        async with self._database.transaction() as connection:
            runs = await connection.execute(
                update(tasks)
                .where(tasks.c.id == task_id, tasks.c.tenant == tenant, _WAITS)
                .values(
                    status="running",
                    attached=attached,
                    cancel_asked=False,
                    instance=self._instance,
                    waiting_since_s=None,
                )
                .returning(tasks.c.id)
            )
            if runs.first() is None:
                found = await connection.execute(
                    select(tasks.c.status).where(tasks.c.id == task_id, tasks.c.tenant == tenant)
                )
                if (status := found.scalar_one_or_none()) is None:
                    raise NotFound("there is no such task")
                raise not_awaiting(status)
            await self._quotas.begin(connection, task_id, tenant, tokens)
            await audit.record(connection, tenant, EDITED if edited else APPROVED, task_id)
            return await _last_event(connection, task_id)

    @to_its_end
    async def cancel(self, tenant: str, task_id: str) -> None:
        """Where it waits."""
        which = (tasks.c.id == task_id) & (tasks.c.tenant == tenant)
        async with self._database.transaction() as connection:
            await _cancel(connection, which, "requested")

    @to_its_end
    async def cancel_those_since_before(self, before_s: float) -> int:
        """How many: at most `PORTION`."""
        oldest = (
            select(tasks.c.id)
            .where(_WAITS, tasks.c.waiting_since_s < before_s)
            .order_by(tasks.c.waiting_since_s)
            .limit(PORTION)
        )
        async with self._database.transaction() as connection:
            return await _cancel(connection, tasks.c.id.in_(oldest), "not_reviewed")


def not_awaiting(status: str) -> Conflict:
    return Conflict(f"the task is {status}; a plan is approved, once, while its task awaits that")


async def _cancel(
    connection: AsyncConnection, which: ColumnElement[bool], why: CancelReason
) -> int:
    found = await connection.execute(
        update(tasks)
        .where(which, _WAITS)
        .values(status="cancelled", ended_s=time.time(), waiting_since_s=None)
        .returning(tasks.c.id, tasks.c.tenant, tasks.c.result, tasks.c.trace_id)
    )
    rows = found.all()
    for row in rows:
        result = {**row.result, "cancelled": why}
        await connection.execute(update(tasks).where(tasks.c.id == row.id).values(result=result))
        details = audit.task_end("cancelled", result)
        await audit.record(
            connection, row.tenant, "task.ended", row.id, details, trace_id=row.trace_id
        )
        await connection.execute(
            insert(events).values(
                task_id=row.id,
                number=await _last_event(connection, row.id) + 1,
                type="end",
                data=json.dumps({"status": "cancelled", "cancelled": why}),
            )
        )
    return len(rows)


async def _last_event(connection: AsyncConnection, task_id: str) -> int:
    found = await connection.execute(
        select(func.coalesce(func.max(events.c.number), 0)).where(events.c.task_id == task_id)
    )
    return int(found.scalar_one())
