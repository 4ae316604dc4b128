"""How many tokens a tenant may use a day and a month, and has used.

Tokens are reserved before they can be used: of a day's quota, `used` and `reserved` together never
exceed what is allowed, whatever runs in parallel and wherever. What a task has reserved is released
when it ends, also when its process was killed. A task counts to the day on which it began (UTC).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.answer import CallRecord
from graph.errors import QuotaExceeded, RateLimited
from serving.store.database import Database, to_its_end
from serving.store.tables import model_calls, quotas, reservations, tasks
from serving.store.tenants import Allowance, TenantStore
from serving.store.usage import DayUsage, call_values, usage_by_day

BUSY_RETRY_S = 2
PORTION = 50
"""Tasks whose running calls one transaction notes."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Tokens of one period; `allowed` is None where there is no quota."""

    period: str
    used: int
    reserved: int
    allowed: int | None


class QuotaStore:
    def __init__(self, database: Database, tenants: TenantStore) -> None:
        self._database = database
        self._tenants = tenants

    async def begin(
        self, connection: AsyncConnection, task_id: str, tenant: str, tokens: int
    ) -> None:
        """Reserve for a new task, in the transaction that makes it. Raises `QuotaExceeded`, and
        `RateLimited` where too many run already."""
        allowed = await self._tenants.allowance_in(connection, tenant)
        if allowed.concurrent_tasks is not None:
            running = await connection.execute(
                select(func.count()).where(tasks.c.tenant == tenant, tasks.c.status == "running")
            )
            if running.scalar_one() > allowed.concurrent_tasks:  # the new one is among them
                raise RateLimited(
                    f"{allowed.concurrent_tasks} tasks of yours run, as many as may at a time; "
                    "wait for one to end",
                    retry_after_s=BUSY_RETRY_S,
                )
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        await self._take(connection, tenant, allowed, day, tokens)
        await connection.execute(
            insert(reservations).values(task_id=task_id, tenant=tenant, day=day, tokens=tokens)
        )

    @to_its_end
    async def reserve_more(self, task_id: str, tokens: int) -> None:
        """For a task that has begun. Raises `QuotaExceeded`."""
        async with self._database.transaction() as connection:
            found = await connection.execute(_of_task(task_id))
            row = found.one()
            allowed = await self._tenants.allowance_in(connection, row.tenant)
            await self._take(connection, row.tenant, allowed, row.day, tokens)
            await connection.execute(
                update(reservations)
                .where(reservations.c.task_id == task_id)
                .values(tokens=reservations.c.tokens + tokens)
            )

    @to_its_end
    async def settle(self, task_id: str, call: CallRecord) -> None:
        """Book a call of a task that runs; a second time changes nothing."""
        async with self._database.transaction() as connection:
            await self._book(connection, task_id, [call])

    @to_its_end
    async def note(self, running: Mapping[str, Sequence[CallRecord]]) -> None:
        """What calls that run have taken by now, by task. In portions, so that other transactions
        come in between."""
        noted = update(reservations).where(reservations.c.task_id == bindparam("of_task"))
        entries = [*running.items()]
        for start in range(0, len(entries), PORTION):
            rows = [
                {"of_task": task_id, "calls": [call.model_dump(mode="json") for call in calls]}
                for task_id, calls in entries[start : start + PORTION]
            ]
            async with self._database.transaction() as connection:
                await connection.execute(noted.values(running=bindparam("calls")), rows)

    async def end(
        self, connection: AsyncConnection, task_id: str, calls: Sequence[CallRecord] = ()
    ) -> None:
        """Book what is not booked yet, what was noted of calls too, and release the rest, in the
        transaction that ends the task."""
        await self._book(connection, task_id, calls)
        noted = await connection.execute(_of_task(task_id))
        if (row := noted.one_or_none()) is not None:
            died = [CallRecord.model_validate(call) for call in row.running]
            await self._book(connection, task_id, died)
        found = await connection.execute(
            delete(reservations).where(reservations.c.task_id == task_id).returning(reservations)
        )
        if (row := found.one_or_none()) is not None:
            await connection.execute(
                update(quotas)
                .where(quotas.c.tenant == row.tenant, quotas.c.period.in_(_periods(row.day)))
                .values(reserved=quotas.c.reserved - row.tokens)
            )

    async def _take(
        self,
        connection: AsyncConnection,
        tenant: str,
        allowed: Allowance,
        day: str,
        tokens: int,
    ) -> None:
        """In a transaction that ends where this raises."""
        for period, limit in zip(
            _periods(day), (allowed.tokens_per_day, allowed.tokens_per_month), strict=True
        ):
            fits = None if limit is None else quotas.c.used + quotas.c.reserved + tokens <= limit
            first = self._database.insert_into(quotas).values(
                tenant=tenant, period=period, used=0, reserved=tokens
            )
            more = first.on_conflict_do_update(
                index_elements=[*quotas.primary_key],
                set_={"reserved": quotas.c.reserved + tokens},
                where=fits,
            )
            taken = await connection.execute(more.returning(quotas.c.period))
            if taken.first() is None or (limit is not None and tokens > limit):
                raise QuotaExceeded(
                    f"the {limit:,} tokens for {period} are used or reserved; "
                    "wait for running tasks or the next period, or ask the owner for more",
                    retry_after_s=_until_next(period),
                )

    async def _book(
        self, connection: AsyncConnection, task_id: str, calls: Sequence[CallRecord]
    ) -> None:
        found = await connection.execute(_of_task(task_id))
        row = found.one_or_none()
        if row is None:
            return
        of_task = {"task_id": task_id, "tenant": row.tenant, "day": row.day}
        new = [
            call
            for call in calls
            if await self._database.insert_new(
                connection, model_calls, {**of_task, **call_values(call)}
            )
        ]
        if not new:
            return
        tokens = sum(call.tokens for call in new)
        released = min(tokens, row.tokens)
        await connection.execute(
            update(quotas)
            .where(quotas.c.tenant == row.tenant, quotas.c.period.in_(_periods(row.day)))
            .values(used=quotas.c.used + tokens, reserved=quotas.c.reserved - released)
        )
        await connection.execute(
            update(reservations)
            .where(reservations.c.task_id == task_id)
            .values(tokens=row.tokens - released)
        )

    async def booked(self, connection: AsyncConnection, task_id: str) -> list[CallRecord]:
        found = await connection.execute(
            select(model_calls.c.record).where(model_calls.c.task_id == task_id)
        )
        return [CallRecord.model_validate(record) for record in found.scalars()]

    @to_its_end
    async def usage(self, tenant: str, *, since: str, until: str) -> list[DayUsage]:
        """By day, from `since` to `until` (YYYY-MM-DD, both included); days without any are left
        out."""
        async with self._database.transaction() as connection:
            return await usage_by_day(connection, tenant, since, until)

    @to_its_end
    async def standing(self, tenant: str) -> list[Standing]:
        """Of today and of this month."""
        async with self._database.transaction() as connection:
            allowed = await self._tenants.allowance_in(connection, tenant)
            today = _periods(f"{datetime.now(UTC):%Y-%m-%d}")
            found = await connection.execute(
                select(quotas).where(quotas.c.tenant == tenant, quotas.c.period.in_(today))
            )
            rows = {row.period: row for row in found}
        limits = (allowed.tokens_per_day, allowed.tokens_per_month)
        return [
            Standing(
                period,
                rows[period].used if period in rows else 0,
                rows[period].reserved if period in rows else 0,
                limit,
            )
            for period, limit in zip(today, limits, strict=True)
        ]


def _of_task(task_id: str) -> Select[Any]:
    """Locked until the transaction ends: parallel calls of a task settle one after the other."""
    return (
        select(reservations)
        .where(reservations.c.task_id == task_id)
        .with_for_update(key_share=True)
    )


def _periods(day: str) -> tuple[str, str]:
    """The day itself and its month."""
    return day, day[:7]


def _until_next(period: str) -> int:
    """Seconds until this day or month has ended (UTC)."""
    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if len(period) == len("2026-11"):
        end = (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)
    else:
        end = midnight + timedelta(days=1)
    return max(1, math.ceil((end - now).total_seconds()))
