"""Chores for what has waited, or been kept, for long enough."""

import time
from collections.abc import Awaitable, Callable

from serving.store.retention import RetentionStore
from serving.store.reviews import ReviewStore

DAY_S = 86_400
PORTIONS = 20
"""At most so many one after the other; what is left goes the next time."""


class Retention:
    def __init__(
        self, store: RetentionStore, reviews: ReviewStore, *, days: float, review_days: float
    ) -> None:
        """Tasks are kept for so many days after their end, and wait so many for their review."""
        self._store = store
        self._reviews = reviews
        self._days = days
        self._review_days = review_days

    async def tend(self) -> None:
        now = time.time()
        kept_since_s = now - self._days * DAY_S
        waiting_since_s = now - self._review_days * DAY_S
        await _in_portions(lambda: self._reviews.cancel_those_since_before(waiting_since_s))
        await _in_portions(lambda: self._store.drop_tasks(kept_since_s))
        await _in_portions(lambda: self._store.drop_threads(kept_since_s))
        await _in_portions(self._store.drop_deleted)

    async def drop_thread(self, thread: str) -> None:
        """One that is deleted and of which no task runs."""
        await _in_portions(lambda: self._store.drop_deleted(thread))


async def _in_portions(work: Callable[[], Awaitable[int]]) -> None:
    for _ in range(PORTIONS):
        if not await work():
            return
