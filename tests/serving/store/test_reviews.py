import asyncio
import json
import time

import pytest

from graph.errors import Conflict, NotFound, QuotaExceeded
from serving.store.database import Database
from serving.store.events import EventStore, NumberedEvent
from serving.store.instances import InstanceStore
from serving.store.quotas import QuotaStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import TaskStore
from serving.store.tenants import Allowance, TenantStore
from tests.serving.store.test_quotas import call, day

RESULT = {"plan": {"질문": "휴가"}}


async def wait(tasks: TaskStore, reviews: ReviewStore, task_id: str = "one") -> None:
    asked = {"question": "휴가는?"}
    await tasks.begin(task_id, "acme", asked, attached=True, idempotency_key=None, tokens=300)
    assert await reviews.begin(task_id, RESULT, [call(f"{task_id} a", 100, 20)])


async def test_a_task_that_waits_has_nothing_reserved_and_its_calls_are_booked(
    tasks: TaskStore, reviews: ReviewStore, quotas: QuotaStore
) -> None:
    await wait(tasks, reviews)
    found = await tasks.find("acme", "one")
    assert found is not None
    assert (found.status, found.result, found.ended_s) == ("awaiting_review", RESULT, None)
    assert await day(quotas) == (120, 0)
    assert await tasks.running("acme") == 0
    assert not await reviews.begin("one", {}, [])


async def test_it_outlives_its_instance_and_runs_on_in_another(
    database: Database, tasks: TaskStore, reviews: ReviewStore, quotas: QuotaStore
) -> None:
    await wait(tasks, reviews)
    await EventStore(database).append({"one": [NumberedEvent(7, "review", "{}")]})
    other = InstanceStore(database, quotas, "host-a")
    await other.begin()
    there = ReviewStore(database, quotas, other.id)
    assert await there.end("acme", "one", attached=False, tokens=200, edited=False) == 7
    found = await tasks.find("acme", "one")
    assert found is not None
    assert (found.status, found.attached) == ("running", False)
    assert await day(quotas) == (120, 200)
    await InstanceStore(database, quotas, "host-a").begin()
    found = await tasks.find("acme", "one")
    assert found is not None
    assert found.status == "interrupted"
    assert found.result is not None
    assert found.result["plan"] == RESULT["plan"]
    assert found.result["usage"]["prompt_tokens"] == 100
    assert await day(quotas) == (120, 0)


async def test_one_of_many_approvals_counts(tasks: TaskStore, reviews: ReviewStore) -> None:
    await wait(tasks, reviews)
    ends = [reviews.end("acme", "one", attached=True, tokens=1, edited=False) for _ in range(5)]
    found = await asyncio.gather(*ends, return_exceptions=True)
    assert sum(isinstance(each, Conflict) for each in found) == 4
    with pytest.raises(NotFound):
        await reviews.end("umbrella", "one", attached=True, tokens=1, edited=False)


async def test_without_tokens_it_waits_on(
    tasks: TaskStore, reviews: ReviewStore, tenants: TenantStore, quotas: QuotaStore
) -> None:
    await wait(tasks, reviews)
    await tenants.allow("acme", Allowance(tokens_per_day=150))
    with pytest.raises(QuotaExceeded):
        await reviews.end("acme", "one", attached=True, tokens=31, edited=False)
    found = await tasks.find("acme", "one")
    assert found is not None
    assert found.status == "awaiting_review"
    assert await day(quotas) == (120, 0)


async def test_what_waits_for_too_long_is_cancelled_and_says_so(
    database: Database, tasks: TaskStore, reviews: ReviewStore
) -> None:
    events = EventStore(database)
    for task_id in ("one", "two"):
        await wait(tasks, reviews, task_id)
    await events.append({"one": [NumberedEvent(7, "review", "{}")]})
    await reviews.end("acme", "two", attached=True, tokens=1, edited=False)
    assert await reviews.cancel_those_since_before(time.time() - 60) == 0
    assert await reviews.cancel_those_since_before(time.time() + 60) == 1
    found = await tasks.find("acme", "one")
    assert found is not None
    assert (found.status, found.result) == ("cancelled", {**RESULT, "cancelled": "not_reviewed"})
    assert found.ended_s is not None
    [_, end] = await events.after("one", 0)
    assert (end.number, end.type) == (8, "end")
    assert json.loads(end.data) == {"status": "cancelled", "cancelled": "not_reviewed"}
    assert await tasks.running("acme") == 1


async def test_only_its_tenant_cancels_it(tasks: TaskStore, reviews: ReviewStore) -> None:
    await wait(tasks, reviews)
    await reviews.cancel("umbrella", "one")
    found = await tasks.find("acme", "one")
    assert found is not None
    assert found.status == "awaiting_review"
    await reviews.cancel("acme", "one")
    with pytest.raises(Conflict, match="the task is cancelled"):
        await reviews.end("acme", "one", attached=True, tokens=1, edited=False)
