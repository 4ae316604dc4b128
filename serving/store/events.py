"""The events of a task, numbered from 1, so that a stream can be taken up again anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select

from serving.store.database import Database, to_its_end
from serving.store.tables import events

PAGE = 500


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """`data` is JSON. Numbers rise; drafts have numbers too but are not kept, which leaves gaps."""

    number: int
    type: str
    data: str


class EventStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @to_its_end
    async def append(self, new: Mapping[str, Sequence[NumberedEvent]]) -> None:
        """Of many tasks at once, by task."""
        rows = [
            {"task_id": task_id, "number": one.number, "type": one.type, "data": one.data}
            for task_id, numbered in new.items()
            for one in numbered
        ]
        if rows:
            async with self._database.transaction() as connection:
                await connection.execute(insert(events), rows)

    @to_its_end
    async def after(self, task_id: str, number: int) -> list[NumberedEvent]:
        """At most `PAGE` of them."""
        query = (
            select(events)
            .where(events.c.task_id == task_id, events.c.number > number)
            .order_by(events.c.number)
            .limit(PAGE)
        )
        async with self._database.reading() as connection:
            return [
                NumberedEvent(row.number, row.type, row.data)
                for row in await connection.execute(query)
            ]
