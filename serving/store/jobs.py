"""Background jobs: one at a time runs for a tenant, and one at most waits behind it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Row, and_, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.errors import StoreUnavailable
from serving.store.database import Database, to_its_end
from serving.store.tables import instances, jobs

JobStatus = Literal["waiting", "running", "done", "failed", "interrupted"]
"""`interrupted`: the process that ran it ended; another job takes over what it left."""

KEPT = 200
"""Jobs of a tenant that have ended; older ones are forgotten."""

MAX_ATTEMPTS = 3
"""How often a job is begun whose process died: its documents may be what kills it."""

INDEX = "index"
ENDED = ("done", "failed", "interrupted")


@dataclass(frozen=True, slots=True)
class JobRecord:
    id: str
    tenant: str
    kind: str
    status: JobStatus
    attempt: int
    progress: Mapping[str, Any] | None
    result: Mapping[str, Any] | None
    created_s: float
    started_s: float | None
    ended_s: float | None


class JobStore:
    def __init__(self, database: Database, instance: str) -> None:
        self._database = database
        self._instance = instance

    @to_its_end
    async def add(self, tenant: str) -> JobRecord:
        """A job that begins after this moment: the tenant's that waits already, or a new one."""
        for _ in range(3):  # the one that waits may begin before it is read
            async with self._database.transaction() as connection:
                if made := await self._insert(connection, tenant, attempt=1):
                    return made
                waiting = await connection.execute(
                    select(jobs).where(jobs.c.tenant == tenant, jobs.c.status == "waiting")
                )
                if row := waiting.one_or_none():
                    return _record(row)
        raise StoreUnavailable("no job could be begun; send the request again")

    @to_its_end
    async def claim(self) -> JobRecord | None:
        """The oldest job whose tenant has none that runs; this instance runs it now."""
        others = jobs.alias()
        busy = exists().where(others.c.tenant == jobs.c.tenant, others.c.status == "running")
        oldest = (
            select(jobs.c.id)
            .where(jobs.c.status == "waiting", ~busy)
            .order_by(jobs.c.created_s)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        async with self._database.transaction() as connection:
            job_id = (await connection.execute(oldest)).scalar_one_or_none()
            claimed = await connection.execute(
                update(jobs)
                .where(jobs.c.id == job_id, jobs.c.status == "waiting")
                .values(status="running", instance=self._instance, started_s=time.time())
                .returning(jobs)
            )
            row = claimed.one_or_none()
        return None if row is None else _record(row)

    @to_its_end
    async def tell(self, job_id: str, progress: Mapping[str, Any]) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                update(jobs)
                .where(jobs.c.id == job_id, jobs.c.status == "running")
                .values(progress=dict(progress))
            )

    @to_its_end
    async def end(
        self, job: JobRecord, status: Literal["done", "failed"], result: Mapping[str, Any]
    ) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                update(jobs)
                .where(jobs.c.id == job.id, jobs.c.status == "running")
                .values(status=status, result=dict(result), ended_s=time.time())
            )
            kept = (
                select(jobs.c.id)
                .where(jobs.c.tenant == job.tenant)
                .order_by(jobs.c.created_s.desc())
                .limit(KEPT)
            )
            await connection.execute(
                delete(jobs).where(
                    jobs.c.tenant == job.tenant, jobs.c.status.in_(ENDED), jobs.c.id.not_in(kept)
                )
            )

    @to_its_end
    async def hand_over(self, job: JobRecord) -> None:
        """This instance ends: whoever comes next goes on."""
        async with self._database.transaction() as connection:
            ended = await connection.execute(
                update(jobs)
                .where(jobs.c.id == job.id, jobs.c.status == "running")
                .values(status="interrupted", ended_s=time.time())
                .returning(jobs.c.id)
            )
            if ended.first() is not None:
                await self._insert(connection, job.tenant, job.attempt)

    @to_its_end
    async def end_orphans(self) -> None:
        """Jobs of instances that are gone become `interrupted`, and new ones go on with them."""
        async with self._database.transaction() as connection:
            ended = await connection.execute(
                update(jobs)
                .where(
                    jobs.c.status == "running",
                    jobs.c.instance.not_in(select(instances.c.id)),
                )
                .values(status="interrupted", ended_s=time.time())
                .returning(jobs.c.tenant, jobs.c.attempt)
            )
            for tenant, attempt in ended.all():
                if attempt < MAX_ATTEMPTS:
                    await self._insert(connection, tenant, attempt + 1)

    @to_its_end
    async def find(self, tenant: str, job_id: str) -> JobRecord | None:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(jobs).where(jobs.c.id == job_id, jobs.c.tenant == tenant)
            )
            row = found.one_or_none()
        return None if row is None else _record(row)

    @to_its_end
    async def newest(self, tenant: str, limit: int) -> Sequence[JobRecord]:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(jobs)
                .where(jobs.c.tenant == tenant)
                .order_by(jobs.c.created_s.desc(), jobs.c.id)
                .limit(limit)
            )
            return [_record(row) for row in found]

    @to_its_end
    async def current(self, tenant: str) -> JobRecord | None:
        """The tenant's that runs, else the one that waits."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(jobs)
                .where(and_(jobs.c.tenant == tenant, jobs.c.status.not_in(ENDED)))
                .order_by(jobs.c.created_s)
                .limit(1)
            )
            row = found.one_or_none()
        return None if row is None else _record(row)

    async def _insert(
        self, connection: AsyncConnection, tenant: str, attempt: int
    ) -> JobRecord | None:
        """None where one waits already."""
        new = JobRecord(
            uuid4().hex, tenant, INDEX, "waiting", attempt, None, None, time.time(), None, None
        )
        values = {
            "id": new.id,
            "tenant": tenant,
            "kind": new.kind,
            "status": new.status,
            "attempt": attempt,
            "created_s": new.created_s,
        }
        return new if await self._database.insert_new(connection, jobs, values) else None


def _record(row: Row[Any]) -> JobRecord:
    return JobRecord(
        id=row.id,
        tenant=row.tenant,
        kind=row.kind,
        status=row.status,
        attempt=row.attempt,
        progress=row.progress,
        result=row.result,
        created_s=row.created_s,
        started_s=row.started_s,
        ended_s=row.ended_s,
    )
