import asyncio

import pytest

from graph.errors import Conflict
from serving.store.database import Database
from serving.store.events import EventStore, NumberedEvent
from serving.store.instances import InstanceStore
from serving.store.quotas import QuotaStore
from serving.store.tables import ID_CHARS
from serving.store.tasks import Position, TaskStore

EN, KO = {"question": "How long are answers kept?"}, {"question": "답변은 얼마나 보관되나요?"}


def _id(number: int) -> str:
    return f"{number:0{ID_CHARS}x}"


async def begun(tasks: TaskStore, number: int, tenant: str = "acme", key: str | None = None) -> str:
    task_id = _id(number)
    known = await tasks.begin(
        task_id, tenant, EN if number % 2 else KO, attached=True, idempotency_key=key, tokens=100
    )
    assert known is None
    return task_id


@pytest.mark.parametrize("asked", [EN, KO])
async def test_a_task_is_found_as_it_was_asked_and_as_it_ended(
    tasks: TaskStore, asked: dict[str, str]
) -> None:
    await tasks.begin(_id(1), "acme", asked, attached=False, idempotency_key=None, tokens=100)
    running = await tasks.find("acme", _id(1))
    assert running is not None
    assert (running.asked, running.status, running.result) == (asked, "running", None)
    assert await tasks.end(_id(1), "answered", {"text": "60초"})
    ended = await tasks.find("acme", _id(1))
    assert ended is not None
    assert (ended.status, ended.result) == ("answered", {"text": "60초"})
    assert ended.ended_s is not None


async def test_the_first_end_of_a_task_counts(tasks: TaskStore) -> None:
    task_id = await begun(tasks, 1)
    assert await tasks.end(task_id, "cancelled", {})
    assert not await tasks.end(task_id, "answered", {"text": "late"})
    found = await tasks.find("acme", task_id)
    assert found is not None
    assert found.status == "cancelled"


async def test_a_task_is_nothing_to_another_tenant(tasks: TaskStore) -> None:
    task_id = await begun(tasks, 1)
    assert await tasks.find("umbrella", task_id) is None
    await tasks.ask_to_cancel("umbrella", task_id)
    assert await tasks.asked_to_cancel() == []
    assert await tasks.page("umbrella", limit=10) == []


async def test_a_key_begins_one_task_however_often_it_is_sent(tasks: TaskStore) -> None:
    async def send(number: int) -> str:
        known = await tasks.begin(
            _id(number), "acme", EN, attached=False, idempotency_key="order-7", tokens=100
        )
        return known.id if known else _id(number)

    assert len(set(await asyncio.gather(*map(send, range(1, 11))))) == 1
    assert await tasks.running("acme") == 1
    # Another tenant's key of the same name is another key.
    assert (
        await tasks.begin(
            _id(99), "umbrella", KO, attached=False, idempotency_key="order-7", tokens=100
        )
    ) is None


async def test_a_key_of_another_request_is_a_conflict(tasks: TaskStore) -> None:
    await begun(tasks, 1, key="order-7")
    with pytest.raises(Conflict, match="new key"):
        await tasks.begin(_id(2), "acme", KO, attached=False, idempotency_key="order-7", tokens=100)


async def test_pages_give_every_task_once_from_the_newest(tasks: TaskStore) -> None:
    for number in range(1, 8):
        await begun(tasks, number)
    await tasks.end(_id(3), "refused", {})
    seen: list[str] = []
    after: Position | None = None
    while page := await tasks.page("acme", limit=3, after=after):
        seen += [task.id for task in page]
        after = Position(page[-1].created_s, page[-1].id)
    assert seen == [_id(number) for number in range(7, 0, -1)]
    assert [task.id for task in await tasks.page("acme", limit=9, status="refused")] == [_id(3)]


async def test_a_cancel_reaches_the_instance_that_runs_the_task(
    database: Database, quotas: QuotaStore, tasks: TaskStore
) -> None:
    task_id = await begun(tasks, 1)
    other = InstanceStore(database, quotas, "host-b")
    await other.begin()
    await TaskStore(database, quotas, other.id).ask_to_cancel("acme", task_id)
    assert await tasks.asked_to_cancel() == [task_id]
    await tasks.end(task_id, "cancelled", {})
    assert await tasks.asked_to_cancel() == []


async def test_what_a_killed_process_left_is_interrupted_when_it_starts_again(
    database: Database, quotas: QuotaStore, tasks: TaskStore
) -> None:
    task_id = await begun(tasks, 1)
    other = InstanceStore(database, quotas, "host-b")
    await other.begin()
    assert await tasks.running("acme") == 1  # of host-a, which lives
    await InstanceStore(database, quotas, "host-a").begin()
    found = await tasks.find("acme", task_id)
    assert found is not None
    assert found.status == "interrupted"


async def test_what_a_lost_process_left_is_interrupted_by_others(
    database: Database, quotas: QuotaStore, tasks: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = await begun(tasks, 1)
    other = InstanceStore(database, quotas, "host-b")
    await other.begin()
    assert await other.end_orphans() == []
    monkeypatch.setattr("serving.store.instances.LOST_AFTER_S", -1.0)
    assert await other.end_orphans() == [task_id]


async def test_events_come_back_in_order_from_any_number(
    database: Database, quotas: QuotaStore, tasks: TaskStore
) -> None:
    task_id, twin = await begun(tasks, 1), await begun(tasks, 2)
    store = EventStore(database)
    new = [NumberedEvent(number, "node", f'{{"n": {number}}}') for number in (1, 2, 5)]
    await store.append({task_id: new[:2], twin: new[:1]})
    await store.append({task_id: new[2:], twin: []})
    assert await store.after(task_id, 0) == new
    assert await store.after(task_id, 2) == new[2:]
    assert await store.after(twin, 1) == []
