from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

from graph.answer import CallRecord, Money
from serving.store.database import Database
from serving.store.quotas import QuotaStore
from serving.store.tasks import TaskStore
from serving.store.tenants import TenantStore

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def call(cost: Money | None, prompt: int = 10) -> CallRecord:
    return CallRecord(
        id=uuid4().hex,
        node="answer",
        prompt_tokens=prompt,
        cached_tokens=0,
        output_tokens=0,
        seconds=0.1,
        outcome="ok",
        cost=cost,
    )


def won(amount: str) -> Money:
    return Money(amount=Decimal(amount), currency="KRW")


async def test_money_of_a_day_is_added_up_exactly_by_currency(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    await tenants.add("acme")
    tasks = TaskStore(database, quotas, "host-a")
    await tasks.begin("one", "acme", {}, attached=True, idempotency_key=None, tokens=100)
    dollars = Money(amount=Decimal("1.5"), currency="USD")
    calls = [call(won("0.000000000001")) for _ in range(3)] + [call(won("70000.1")), call(dollars)]
    await quotas.settle("one", calls[0])
    await tasks.end("one", "answered", {}, [*calls, call(None), call(None, prompt=0)])
    [today] = await quotas.usage("acme", since=TODAY, until=TODAY)
    assert today.costs == (won("70000.100000000003"), dollars)
    assert (today.unpriced_calls, today.model_calls, today.tasks) == (1, 7, 1)


async def test_a_day_without_prices_has_no_cost(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    await tenants.add("acme")
    tasks = TaskStore(database, quotas, "host-a")
    await tasks.begin("one", "acme", {}, attached=True, idempotency_key=None, tokens=100)
    await tasks.end("one", "answered", {}, [call(None)])
    [today] = await quotas.usage("acme", since=TODAY, until=TODAY)
    assert (today.costs, today.unpriced_calls) == ((), 1)
