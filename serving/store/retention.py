"""What is old goes, in small portions. The calls of the model stay: they are the bill."""

from sqlalchemy import ColumnElement, and_, delete, exists, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from serving.store.database import Database, to_its_end
from serving.store.tables import tasks, threads

PORTION = 100
"""Tasks, or threads, of one transaction."""


class RetentionStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @to_its_end
    async def drop_tasks(self, before_s: float) -> int:
        """Those that ended before then, with their events and Idempotency-Keys; how many: at most
        `PORTION`."""
        async with self._database.transaction() as connection:
            return await _drop_tasks(connection, tasks.c.ended_s < before_s)

    @to_its_end
    async def drop_threads(self, before_s: float) -> int:
        """Those that were made before then and have no task; how many: at most `PORTION`."""
        async with self._database.transaction() as connection:
            return await _drop_empty(connection, threads.c.created_s < before_s)

    @to_its_end
    async def drop_deleted(self, thread: str | None = None) -> int:
        """Of deleted threads, or of this one: ended tasks, and threads without any task; how many:
        at most `PORTION` of each."""
        which = threads.c.id == thread if thread is not None else true()
        deleted = and_(threads.c.deleted_s.is_not(None), which)
        async with self._database.transaction() as connection:
            ended = tasks.c.ended_s.is_not(None)
            of_deleted = tasks.c.thread.in_(select(threads.c.id).where(deleted))
            dropped = await _drop_tasks(connection, ended & of_deleted)
            return dropped + await _drop_empty(connection, deleted)


async def _drop_tasks(connection: AsyncConnection, which: ColumnElement[bool]) -> int:
    found = await connection.execute(
        select(tasks.c.id)
        .where(which)
        .order_by(tasks.c.ended_s)
        .limit(PORTION)
        .with_for_update(skip_locked=True)  # another replica drops the same ones
    )
    ids = list(found.scalars())
    await connection.execute(delete(tasks).where(tasks.c.id.in_(ids)))
    return len(ids)


async def _drop_empty(connection: AsyncConnection, which: ColumnElement[bool]) -> int:
    has_tasks = exists().where(tasks.c.thread == threads.c.id)
    locked = await connection.execute(
        select(threads.c.id)
        .where(which, ~has_tasks)
        .limit(PORTION)
        .with_for_update(skip_locked=True)
    )
    # Asked once more: a task may have begun before the lock.
    dropped = await connection.execute(
        delete(threads)
        .where(threads.c.id.in_(list(locked.scalars())), ~has_tasks)
        .returning(threads.c.id)
    )
    return len(dropped.all())
