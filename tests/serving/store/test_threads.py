import asyncio

import pytest

from graph.errors import Conflict, NotFound
from serving.store.database import Database
from serving.store.retention import RetentionStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import Position, TaskRecord, TaskStore
from serving.store.threads import ThreadStore

ASKED = {"question": "휴가는 며칠인가요?"}


async def begin(
    tasks: TaskStore, task_id: str, thread: str, *, tenant: str = "acme", key: str | None = None
) -> TaskRecord | None:
    return await tasks.begin(
        task_id, tenant, ASKED, attached=True, idempotency_key=key, tokens=10, thread=thread
    )


async def test_parallel_tasks_of_a_thread_are_one_and_conflicts(
    tasks: TaskStore, threads: ThreadStore
) -> None:
    thread, other = (await threads.make("acme")).id, (await threads.make("acme")).id
    begun = await asyncio.gather(
        *(begin(tasks, f"task {number}", thread) for number in range(10)), return_exceptions=True
    )
    assert sum(isinstance(each, Conflict) for each in begun) == 9
    assert begun.count(None) == 1
    assert await tasks.running("acme") == 1
    await begin(tasks, "of another thread", other)
    found = await tasks.open_in("acme", thread)
    assert found is not None
    await tasks.end(found.id, "answered", {})
    await begin(tasks, "next", thread)


async def test_a_task_that_awaits_its_review_keeps_its_thread(
    tasks: TaskStore, threads: ThreadStore, reviews: ReviewStore
) -> None:
    thread = (await threads.make("acme")).id
    await begin(tasks, "one", thread)
    await reviews.begin("one", {}, [])
    with pytest.raises(Conflict, match="awaits its review"):
        await begin(tasks, "two", thread)


async def test_a_key_comes_before_the_thread(tasks: TaskStore, threads: ThreadStore) -> None:
    thread = (await threads.make("acme")).id
    assert await begin(tasks, "one", thread, key="order-7") is None
    again = await begin(tasks, "two", thread, key="order-7")
    assert again is not None
    assert (again.id, again.thread) == ("one", thread)
    with pytest.raises(Conflict, match="another task of this thread"):
        await begin(tasks, "three", thread, key="order-8")


async def test_what_was_told_in_a_thread_is_its_last_answers_and_refusals(
    tasks: TaskStore, threads: ThreadStore
) -> None:
    thread = (await threads.make("acme")).id
    for status in ("answered", "failed", "refused", "cancelled", "answered"):
        name = f"{status} {await tasks.running('acme')} {len(await told(tasks, thread, 9))}"
        await begin(tasks, name, thread)
        await tasks.end(name, status, {})
    assert await told(tasks, thread, 9) == ["answered 0 0", "refused 0 1", "answered 0 2"]
    assert await told(tasks, thread, 2) == ["refused 0 1", "answered 0 2"]
    assert await tasks.told("umbrella", thread, limit=9) == []
    page = await tasks.of_thread("acme", thread, limit=2)
    rest = await tasks.of_thread(
        "acme", thread, limit=9, after=Position(page[-1].created_s, page[-1].id)
    )
    assert [task.status for task in (*page, *rest)] == [
        "answered",
        "failed",
        "refused",
        "cancelled",
        "answered",
    ]
    assert await tasks.of_thread("umbrella", thread, limit=9) == []


async def told(tasks: TaskStore, thread: str, limit: int) -> list[str]:
    return [task.id for task in await tasks.told("acme", thread, limit=limit)]


async def test_no_task_begins_in_a_thread_that_is_not_there(
    tasks: TaskStore, threads: ThreadStore
) -> None:
    gone = (await threads.make("acme")).id
    assert not await threads.delete("umbrella", gone)
    assert await threads.delete("acme", gone)
    assert not await threads.delete("acme", gone)
    others = (await threads.make("umbrella")).id
    for thread in (gone, others, "0" * 32):
        with pytest.raises(NotFound):
            await begin(tasks, "one", thread)
        assert await threads.find("acme", thread) is None
    assert await threads.page("acme", limit=9) == []
    assert await tasks.running("acme") == 0


async def test_a_thread_is_deleted_beside_tasks_that_begin(
    database: Database, tasks: TaskStore, threads: ThreadStore
) -> None:
    """Each either began, and is found by who deletes, or has not begun."""
    store = RetentionStore(database)
    for number in range(5):
        thread = (await threads.make("acme")).id
        began, deleted = await asyncio.gather(
            begin(tasks, f"task {number}", thread),
            threads.delete("acme", thread),
            return_exceptions=True,
        )
        assert deleted is True
        running = await tasks.open_in("acme", thread)
        assert isinstance(began, NotFound) == (running is None)
        if running is not None:
            assert await store.drop_deleted(thread) == 0
            await tasks.end(running.id, "cancelled", {})
        assert await store.drop_deleted(thread) > 0
        assert await tasks.find("acme", f"task {number}") is None
