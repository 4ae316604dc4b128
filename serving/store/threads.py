"""Threads: tasks that follow up on one another."""

import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import Row, insert, select, update

from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.tables import threads
from serving.store.tasks import Position, older


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    id: str
    created_s: float


class ThreadStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @to_its_end
    async def make(self, tenant: str) -> ThreadRecord:
        thread = ThreadRecord(uuid4().hex, time.time())
        async with self._database.transaction() as connection:
            await connection.execute(
                insert(threads).values(id=thread.id, tenant=tenant, created_s=thread.created_s)
            )
        return thread

    @to_its_end
    async def find(self, tenant: str, thread_id: str) -> ThreadRecord | None:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(threads).where(
                    threads.c.id == thread_id,
                    threads.c.tenant == tenant,
                    threads.c.deleted_s.is_(None),
                )
            )
            row = found.one_or_none()
        return None if row is None else _record(row)

    @to_its_end
    async def page(
        self, tenant: str, *, limit: int, after: Position | None = None
    ) -> list[ThreadRecord]:
        """From the newest."""
        query = select(threads).where(threads.c.tenant == tenant, threads.c.deleted_s.is_(None))
        if after is not None:
            query = query.where(older(threads, after))
        query = query.order_by(threads.c.created_s.desc(), threads.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return [_record(row) for row in await connection.execute(query)]

    @to_its_end
    async def delete(self, tenant: str, thread_id: str) -> bool:
        """Nobody finds it any more, and no task of it begins; whether there was one. Its rows go by
        `RetentionStore.drop_deleted`."""
        async with self._database.transaction() as connection:
            done = await connection.execute(
                update(threads)
                .where(
                    threads.c.id == thread_id,
                    threads.c.tenant == tenant,
                    threads.c.deleted_s.is_(None),
                )
                .values(deleted_s=time.time())
                .returning(threads.c.id)
            )
            if done.first() is None:
                return False
            await audit.record(connection, tenant, "thread.deleted", thread_id)
            return True


def _record(row: Row[Any]) -> ThreadRecord:
    return ThreadRecord(row.id, row.created_s)
