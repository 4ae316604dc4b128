import time

import pytest

from graph.errors import Conflict
from serving.api.retention import DAY_S, Retention
from serving.store.database import Database
from serving.store.events import EventStore, NumberedEvent
from serving.store.quotas import QuotaStore
from serving.store.retention import RetentionStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import TaskStore
from serving.store.threads import ThreadStore
from tests.serving.store.test_quotas import TODAY, call, day

ASKED = {"question": "휴가는?"}
LATER_S = 60.0


async def begin(
    tasks: TaskStore, task_id: str, *, thread: str | None = None, key: str | None = None
) -> None:
    await tasks.begin(
        task_id, "acme", ASKED, attached=True, idempotency_key=key, tokens=300, thread=thread
    )


@pytest.fixture
def store(database: Database, tasks: TaskStore) -> RetentionStore:
    return RetentionStore(database)


async def test_old_tasks_go_with_their_events_and_keys_and_what_they_used_stays(
    database: Database, tasks: TaskStore, quotas: QuotaStore, store: RetentionStore
) -> None:
    events = EventStore(database)
    for task_id in ("old", "running"):
        await begin(tasks, task_id, key=task_id)
        await events.append({task_id: [NumberedEvent(1, "task", "{}")]})
    await tasks.end("old", "answered", {}, [call("a", 100, 20)])
    assert await store.drop_tasks(time.time() - LATER_S) == 0
    assert await store.drop_tasks(time.time() + LATER_S) == 1
    assert await tasks.find("acme", "old") is None
    assert await events.after("old", 0) == []
    assert await events.after("running", 0) != []
    with pytest.raises(Conflict):
        await tasks.begin("new", "acme", {}, attached=True, idempotency_key="running", tokens=1)
    await begin(tasks, "new", key="old")
    assert (await day(quotas))[0] == 120
    [today] = await quotas.usage("acme", since=TODAY, until=TODAY)
    assert (today.tasks, today.model_calls, today.prompt_tokens) == (1, 1, 100)


async def test_threads_go_when_they_are_old_and_have_no_task(
    tasks: TaskStore, threads: ThreadStore, store: RetentionStore
) -> None:
    empty, used = await threads.make("acme"), await threads.make("acme")
    await begin(tasks, "one", thread=used.id)
    await tasks.end("one", "answered", {})
    assert await store.drop_threads(time.time() - LATER_S) == 0
    assert await store.drop_threads(time.time() + LATER_S) == 1
    assert await threads.find("acme", empty.id) is None
    assert await threads.find("acme", used.id) == used
    await store.drop_tasks(time.time() + LATER_S)
    assert await store.drop_threads(time.time() + LATER_S) == 1


async def test_much_goes_in_portions(
    tasks: TaskStore,
    reviews: ReviewStore,
    store: RetentionStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("serving.store.retention.PORTION", 2)
    for number in range(5):
        await begin(tasks, str(number))
        await tasks.end(str(number), "answered", {})
    assert await store.drop_tasks(time.time() + LATER_S) == 2
    await Retention(store, reviews, days=1, review_days=1).tend()
    assert len(await tasks.page("acme", limit=9)) == 3
    await Retention(store, reviews, days=-LATER_S / DAY_S, review_days=1).tend()
    assert await tasks.page("acme", limit=9) == []


async def test_what_waits_is_not_old_until_it_has_ended(
    tasks: TaskStore, reviews: ReviewStore, store: RetentionStore
) -> None:
    await begin(tasks, "one")
    await reviews.begin("one", {}, [])
    await Retention(store, reviews, days=-LATER_S / DAY_S, review_days=1).tend()
    found = await tasks.find("acme", "one")
    assert found is not None
    assert found.status == "awaiting_review"
    await Retention(store, reviews, days=1, review_days=-LATER_S / DAY_S).tend()
    found = await tasks.find("acme", "one")
    assert found is not None
    assert found.status == "cancelled"
