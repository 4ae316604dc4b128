"""Which tasks this process takes in, and whose turn it is: a bounded queue with priorities.

A task goes before those of the class below that came up to `HEAD_START_S` earlier, and within a
class the first comes first. So nobody starves: what comes later than that cannot go before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from graph.errors import DeadlineExceeded, Overloaded
from serving.store.tenants import Priority, TenantStore

HEAD_START_S = 30.0
RETRY_AFTER_S = 5

RANKS: Mapping[Priority, int] = {"high": -1, "normal": 0, "low": 1}
"""As vLLM's `priority` has it: lower is earlier."""


class Place:
    """Of one task among those that were taken in, until `leave`."""

    def __init__(self, admission: "Admission", rank: int) -> None:
        self._admission = admission
        self._held = True
        self.kept = False
        self.rank = rank

    def keep(self) -> None:
        """The task has begun: whoever ends it leaves."""
        self.kept = True

    def leave(self) -> None:
        """A second time changes nothing."""
        if self._held:
            self._held = False
            self._admission.taken -= 1

    @asynccontextmanager
    async def turn(self, on_wait: Callable[[int], None]) -> AsyncIterator[None]:
        """While the task runs; before that it waits, and `on_wait` is told how many go before it.
        Raises `DeadlineExceeded`."""
        await self._admission.wait_for_turn(self.rank, on_wait)
        try:
            yield
        finally:
            self._admission.end_turn()


class Admission:
    """`running` tasks at a time, up to `queued` more that wait, each at most `wait_s`. `clock`
    gives seconds that never run backwards."""

    def __init__(
        self,
        tenants: TenantStore,
        *,
        running: int,
        queued: int,
        wait_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tenants = tenants
        self._most_running = running
        self._most_queued = queued
        self._wait_s = wait_s
        self._clock = clock
        self._waiting: dict[asyncio.Future[None], float] = {}
        self.taken = 0
        self.running = 0

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def place(self, tenant: str) -> AsyncIterator[Place]:
        """For a task that is about to begin; given back when the block ends, unless it is kept.
        Raises `Overloaded` and `StoreUnavailable`."""
        if self.taken >= self._most_running + self._most_queued:
            raise Overloaded(
                f"{self._most_running} tasks run here and {self._most_queued} wait, as many as "
                f"may; send the task again in {RETRY_AFTER_S} s",
                retry_after_s=RETRY_AFTER_S,
            )
        self.taken += 1
        place = Place(self, RANKS["normal"])
        try:
            allowed = await self._tenants.allowance(tenant)
            if allowed is not None and allowed.priority is not None:
                place.rank = RANKS[allowed.priority]
            yield place
        finally:
            if not place.kept:
                place.leave()

    async def wait_for_turn(self, rank: int, on_wait: Callable[[int], None]) -> None:
        if self.running < self._most_running and not self._waiting:
            self.running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        due = self._clock() + rank * HEAD_START_S
        on_wait(sum(other <= due for other in self._waiting.values()))
        self._waiting[turn] = due
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as error:
            if self._waiting.pop(turn, None) is None:  # its turn had come
                self.end_turn()
            if isinstance(error, TimeoutError):
                raise DeadlineExceeded(
                    f"the server was too busy: the task waited {self._wait_s:g} s for its turn; "
                    "send it again later"
                ) from error
            raise

    def end_turn(self) -> None:
        """The next one's turn; a task that is just being cancelled is passed over."""
        able = [turn for turn in self._waiting if not turn.done()]
        if not able:
            self.running -= 1
            return
        following = min(able, key=self._waiting.__getitem__)
        del self._waiting[following]
        following.set_result(None)
