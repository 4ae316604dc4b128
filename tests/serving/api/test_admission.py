"""More tasks than may run: some wait, in their order, and the rest are sent away."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from graph.errors import DeadlineExceeded, Overloaded
from serving.api.admission import HEAD_START_S, Admission
from serving.store.database import Database
from serving.store.tenants import Allowance, Priority, TenantStore
from tests.waiting import until


@pytest.fixture
async def tenants(database: Database) -> TenantStore:
    """`high`, `normal` and `low`, each of its own priority."""
    found = TenantStore(database)
    priorities: tuple[Priority, ...] = ("high", "normal", "low")
    for priority in priorities:
        await found.add(priority)
        await found.allow(priority, Allowance(priority=priority))
    return found


class Queue:
    """One task runs until `end`; those that come meanwhile write down when their turn was."""

    def __init__(self, tenants: TenantStore, wait_s: float = 60) -> None:
        self.now_s = 0.0
        self.order: list[str] = []
        self.ahead: list[int] = []
        self.admission = Admission(
            tenants, running=1, queued=9, wait_s=wait_s, clock=lambda: self.now_s
        )
        self._end = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self, tenant: str, at_s: float = 0, name: str = "") -> asyncio.Task[None]:
        self.now_s = at_s
        before = self.admission.waiting + self.admission.running
        task = asyncio.create_task(self._run(tenant, name or tenant))
        self._tasks.append(task)
        await until(lambda: self.admission.waiting + self.admission.running == before + 1)
        return task

    async def end(self) -> list[str]:
        self._end.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        assert (self.admission.taken, self.admission.running, self.admission.waiting) == (0, 0, 0)
        return self.order

    async def _run(self, tenant: str, name: str) -> None:
        async with self.admission.place(tenant) as place, place.turn(self.ahead.append):
            self.order.append(name)
            await self._end.wait()


async def test_a_higher_class_goes_first_and_within_one_the_first_comes_first(
    tenants: TenantStore,
) -> None:
    queue = Queue(tenants)
    await queue.come("normal", name="runs")
    for second, tenant in enumerate(["low", "normal", "high", "normal", "high", "low"]):
        await queue.come(tenant, second, f"{tenant} {second}")
    assert queue.ahead == [0, 0, 0, 2, 1, 5]
    assert await queue.end() == [
        "runs",
        *("high 2", "high 4", "normal 1", "normal 3", "low 0", "low 5"),
    ]


async def test_nobody_starves(tenants: TenantStore) -> None:
    queue = Queue(tenants)
    await queue.come("normal", name="runs")
    await queue.come("low", 0)
    await queue.come("high", 2 * HEAD_START_S - 1, "in time")
    await queue.come("high", 2 * HEAD_START_S + 1, "too late")
    assert await queue.end() == ["runs", "in time", "low", "too late"]


async def test_one_that_is_cancelled_keeps_no_turn_and_no_place(tenants: TenantStore) -> None:
    queue = Queue(tenants)
    running = await queue.come("normal", name="runs")
    gone = await queue.come("high", 1, "gone")
    await queue.come("normal", 2, "stays")
    running.cancel()
    gone.cancel()  # at the same time: the turn must not be lost with it
    assert await queue.end() == ["runs", "stays"]


async def test_a_turn_that_comes_with_a_cancel_is_passed_on(tenants: TenantStore) -> None:
    admission = Admission(tenants, running=1, queued=2, wait_s=60)
    ahead: list[int] = []
    await admission.wait_for_turn(0, ahead.append)
    given, stays = (asyncio.create_task(admission.wait_for_turn(0, ahead.append)) for _ in range(2))
    await until(lambda: admission.waiting == 2)
    admission.end_turn()
    given.cancel()  # before it could notice that its turn has come
    await asyncio.wait_for(stays, 5)
    assert given.cancelled()
    assert (admission.running, admission.waiting) == (1, 0)


async def test_waiting_ends_at_the_deadline(tenants: TenantStore) -> None:
    queue = Queue(tenants, wait_s=0.05)
    await queue.come("normal", name="runs")
    with pytest.raises(DeadlineExceeded, match=r"waited 0\.05 s for its turn"):
        await (await queue.come("normal", name="waits"))
    assert await queue.end() == ["runs"]


async def test_beyond_the_queue_tasks_are_sent_away(tenants: TenantStore) -> None:
    admission = Admission(tenants, running=1, queued=2, wait_s=60)
    async with AsyncExitStack() as taken:
        for _ in range(3):
            await taken.enter_async_context(admission.place("normal"))
        with pytest.raises(Overloaded, match="1 tasks run here and 2 wait") as refused:
            await taken.enter_async_context(admission.place("high"))
        assert refused.value.retry_after_s > 0
    async with admission.place("high") as place:
        assert (admission.taken, place.rank) == (1, -1)
