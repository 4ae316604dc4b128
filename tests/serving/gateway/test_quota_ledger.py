"""A task that was reviewed has one bill and one budget over both of its runs."""

import pytest

from graph.errors import CallLimitExceeded, DeadlineExceeded, TokenLimitExceeded
from graph.events import UsageCounted
from graph.ports import Account, Limits
from serving.gateway.quota_ledger import QuotaLedger
from serving.store.database import Database
from serving.store.quotas import QuotaStore
from serving.store.tenants import TenantStore
from tests.serving.gateway.test_ledger import call

EARLIER = UsageCounted(calls=(call(10, 5),), node_seconds={}, seconds=40)


@pytest.fixture
def ledger(database: Database) -> QuotaLedger:
    return QuotaLedger(QuotaStore(database, TenantStore(database)))


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (Limits(model_calls=1), CallLimitExceeded),
        (Limits(tokens=20), TokenLimitExceeded),
        (Limits(deadline_s=40), DeadlineExceeded),
    ],
)
async def test_what_a_task_took_before_its_review_counts_against_its_limits(
    ledger: QuotaLedger, limits: Limits, error: type[Exception]
) -> None:
    again, fresh = Account("reviewed", "run", limits), Account("fresh", "run", limits)
    ledger.begin("reviewed", 100, earlier=EARLIER)
    ledger.begin("fresh", 100)
    for account in (again, fresh):
        ledger.open(account)
    with pytest.raises(error):
        await ledger.reserve(again, 6)
    await ledger.reserve(fresh, 6)


async def test_the_bill_has_the_calls_of_both_runs_once(ledger: QuotaLedger) -> None:
    first, second = Account("task", "first", Limits()), Account("task", "second", Limits())
    ledger.begin("task", 100)
    await ledger.record(first, EARLIER.calls[0], await ledger.reserve(first, 20))
    ledger.end("task")
    ledger.begin("task", 100, earlier=EARLIER)
    ledger.open(second)
    ledger.open(second)
    assert ledger.calls(second) == EARLIER.calls
    later = call(20, 1).model_copy(update={"id": "later"})
    await ledger.record(second, later, await ledger.reserve(second, 30))
    assert ledger.calls(second) == ledger.calls_of_task("task") == (*EARLIER.calls, later)
