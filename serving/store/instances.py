"""Processes that run tasks. One that ends without a word leaves tasks that nobody runs."""

import time
from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import delete, insert, select, update

from graph.transcript import bill
from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.quotas import QuotaStore
from serving.store.tables import instances, tasks

BEAT_S = 5.0
LOST_AFTER_S = 3 * BEAT_S


class InstanceStore:
    """`name` is the same after a restart (a host's name, a pod's of a StatefulSet), `id` never."""

    def __init__(self, database: Database, quotas: QuotaStore, name: str) -> None:
        self._database = database
        self._quotas = quotas
        self._name = name
        self.id = uuid4().hex

    @to_its_end
    async def begin(self) -> None:
        """An instance of the same name cannot run any more: what it left is interrupted at once."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(instances).where(instances.c.name == self._name))
            await connection.execute(
                insert(instances).values(id=self.id, name=self._name, seen_s=time.time())
            )
        await self.end_orphans()

    @to_its_end
    async def beat(self) -> None:
        async with self._database.transaction() as connection:
            seen = await connection.execute(
                update(instances).where(instances.c.id == self.id).values(seen_s=time.time())
            )
            if seen.rowcount == 0:  # others thought it lost, such as after a long pause
                await connection.execute(
                    insert(instances).values(id=self.id, name=self._name, seen_s=time.time())
                )

    @to_its_end
    async def end_orphans(self) -> Sequence[str]:
        """Tasks of instances that have not been seen become `interrupted`: what their calls had
        taken is booked, and the rest of their tokens released; their ids."""
        now = time.time()
        async with self._database.transaction() as connection:
            await connection.execute(
                delete(instances).where(
                    instances.c.id != self.id, instances.c.seen_s < now - LOST_AFTER_S
                )
            )
            ended = await connection.execute(
                update(tasks)
                .where(
                    tasks.c.status == "running",
                    tasks.c.instance.not_in(select(instances.c.id)),
                )
                .values(status="interrupted", ended_s=now)
                .returning(tasks.c.id, tasks.c.tenant, tasks.c.result, tasks.c.trace_id)
            )
            orphans = ended.all()
            for row in orphans:
                await self._quotas.end(connection, row.id)
                told = row.result or {}
                booked = bill(await self._quotas.booked(connection, row.id))
                none: dict[str, object] = {"seconds": None, "node_seconds": {}, "nodes": []}
                usage = {**none, **told.get("usage", {}), **booked}
                await connection.execute(
                    update(tasks)
                    .where(tasks.c.id == row.id)
                    .values(result={**told, "usage": usage})
                )
                await audit.record(
                    connection,
                    row.tenant,
                    "task.ended",
                    row.id,
                    {"status": "interrupted"},
                    trace_id=row.trace_id,
                )
            return [row.id for row in orphans]

    @to_its_end
    async def end(self) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(delete(instances).where(instances.c.id == self.id))
