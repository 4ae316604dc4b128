import asyncio
from datetime import UTC, datetime

import pytest

from graph.answer import CallRecord
from graph.errors import NotFound, QuotaExceeded, RateLimited
from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.quotas import QuotaStore
from serving.store.tasks import TaskStore
from serving.store.tenants import Allowance, TenantStore

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def call(call_id: str, prompt: int, output: int) -> CallRecord:
    return CallRecord(
        id=call_id,
        node="answer",
        prompt_tokens=prompt,
        cached_tokens=prompt // 2,
        output_tokens=output,
        seconds=0.1,
        outcome="ok",
    )


@pytest.fixture(autouse=True)
async def _acme(tenants: TenantStore) -> None:
    await tenants.add("acme")
    await tenants.allow("acme", Allowance(tokens_per_day=1_000, tokens_per_month=5_000))


@pytest.fixture
async def tasks(database: Database, quotas: QuotaStore) -> TaskStore:
    instance = InstanceStore(database, quotas, "host-a")
    await instance.begin()
    return TaskStore(database, quotas, instance.id)


async def begin(tasks: TaskStore, task_id: str, tokens: int, tenant: str = "acme") -> None:
    await tasks.begin(
        task_id, tenant, {"question": "휴가는?"}, attached=True, idempotency_key=None, tokens=tokens
    )


async def day(quotas: QuotaStore, tenant: str = "acme") -> tuple[int, int]:
    """Used and reserved today; the month has the same, since nothing was used before."""
    today, month = await quotas.standing(tenant)
    assert (today.used, today.reserved) == (month.used, month.reserved)
    return today.used, today.reserved


async def test_a_task_reserves_uses_and_releases(quotas: QuotaStore, tasks: TaskStore) -> None:
    await begin(tasks, "one", 300)
    assert await day(quotas) == (0, 300)
    await quotas.settle("one", call("a", 100, 20))
    assert await day(quotas) == (120, 180)
    await quotas.reserve_more("one", 400)
    assert await day(quotas) == (120, 580)
    await tasks.end("one", "answered", {}, [call("a", 100, 20), call("b", 200, 30)])
    assert await day(quotas) == (350, 0)


async def test_a_call_is_booked_once(quotas: QuotaStore, tasks: TaskStore) -> None:
    await begin(tasks, "one", 300)
    await asyncio.gather(*(quotas.settle("one", call("a", 100, 20)) for _ in range(5)))
    assert await day(quotas) == (120, 180)


async def test_parallel_reservations_never_exceed_the_quota(
    quotas: QuotaStore, tasks: TaskStore
) -> None:
    begun = await asyncio.gather(
        *(begin(tasks, f"task {number}", 150) for number in range(20)), return_exceptions=True
    )
    refused = [each for each in begun if isinstance(each, QuotaExceeded)]
    assert len(refused) == 14  # 6 * 150 = 900 fit into 1,000
    assert all(0 < each.retry_after_s <= 86_400 for each in refused)
    assert await day(quotas) == (0, 900)
    assert await tasks.running("acme") == 6


async def test_a_task_that_was_refused_has_not_begun(quotas: QuotaStore, tasks: TaskStore) -> None:
    with pytest.raises(QuotaExceeded, match=f"1,000 tokens for {TODAY}"):
        await begin(tasks, "one", 1_001)
    assert await tasks.find("acme", "one") is None
    assert await day(quotas) == (0, 0)


async def test_the_month_counts_too(
    tenants: TenantStore, quotas: QuotaStore, tasks: TaskStore
) -> None:
    await tenants.allow("acme", Allowance(tokens_per_day=10_000, tokens_per_month=400))
    await begin(tasks, "one", 300)
    with pytest.raises(QuotaExceeded, match=f"400 tokens for {TODAY[:7]} "):
        await begin(tasks, "two", 101)
    assert await day(quotas) == (0, 300)  # the day's share of the second was undone


async def test_a_task_cannot_reserve_more_than_is_left(
    quotas: QuotaStore, tasks: TaskStore
) -> None:
    await begin(tasks, "one", 300)
    with pytest.raises(QuotaExceeded):
        await quotas.reserve_more("one", 701)
    await quotas.reserve_more("one", 700)
    assert await day(quotas) == (0, 1_000)


async def test_each_tenant_has_its_own(
    tenants: TenantStore, quotas: QuotaStore, tasks: TaskStore
) -> None:
    await tenants.add("umbrella")
    await tenants.allow("umbrella", Allowance(tokens_per_day=1_000))
    await begin(tasks, "one", 1_000)
    await begin(tasks, "two", 1_000, "umbrella")
    assert await day(quotas, "umbrella") == (0, 1_000)
    with pytest.raises(NotFound, match="keys make nobody"):
        await tenants.allow("nobody", Allowance())


async def test_so_many_tasks_run_at_a_time_and_no_more(
    tenants: TenantStore, quotas: QuotaStore, tasks: TaskStore
) -> None:
    await tenants.allow("acme", Allowance(concurrent_tasks=3))
    begun = await asyncio.gather(
        *(begin(tasks, f"task {number}", 10) for number in range(10)), return_exceptions=True
    )
    assert sum(isinstance(each, RateLimited) for each in begun) == 7
    assert await tasks.running("acme") == 3
    assert await day(quotas) == (0, 30)
    [ended, *_] = [task.id for task in await tasks.page("acme", limit=3)]
    await tasks.end(ended, "answered", {})
    await begin(tasks, "one more", 10)


async def test_what_a_tenant_has_not_of_its_own_holds_by_default(database: Database) -> None:
    tenants = TenantStore(database, Allowance(tokens_per_day=500, requests_per_minute=60))
    await tenants.allow("acme", Allowance(tokens_per_day=700))
    assert await tenants.allowance("acme") == Allowance(tokens_per_day=700, requests_per_minute=60)
    assert await tenants.allowance("nobody") is None


async def test_a_lost_process_leaves_no_reservation(
    database: Database, quotas: QuotaStore, tasks: TaskStore
) -> None:
    await begin(tasks, "one", 500)
    await quotas.settle("one", call("a", 100, 20))
    restarted = InstanceStore(database, quotas, "host-a")
    await restarted.begin()
    assert await day(quotas) == (120, 0)
    await quotas.settle("one", call("b", 100, 20))  # of a process that was thought to be gone
    assert await day(quotas) == (120, 0)


async def test_usage_adds_up_what_was_booked(quotas: QuotaStore, tasks: TaskStore) -> None:
    await begin(tasks, "one", 300)
    await begin(tasks, "two", 300)
    await tasks.end("one", "answered", {}, [call("a", 100, 20), call("b", 50, 5)])
    await tasks.end("two", "cancelled", {}, [call("c", 10, 1)])
    assert await day(quotas) == (186, 0)
    [today] = await quotas.usage("acme", since=TODAY, until=TODAY)
    assert (today.tasks, today.model_calls) == (2, 3)
    assert (today.prompt_tokens, today.cached_tokens, today.output_tokens) == (160, 80, 26)
    assert await quotas.usage("acme", since="2020-01-01", until="2020-12-31") == []
