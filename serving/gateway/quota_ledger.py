"""The ledger of a service: a call begins only with tokens that its tenant's quota has reserved."""

import logging
from dataclasses import replace

from graph.answer import CallRecord
from graph.errors import StoreUnavailable
from graph.events import UsageCounted
from graph.ports import Account
from serving.gateway.ledger import MemoryLedger, Reserved
from serving.store.quotas import QuotaStore

logger = logging.getLogger(__name__)


class QuotaLedger(MemoryLedger):
    """What a task has reserved and no call has taken is kept for its next calls."""

    def __init__(self, quotas: QuotaStore) -> None:
        super().__init__()
        self._quotas = quotas
        self._free: dict[str, int] = {}
        self._priorities: dict[str, int] = {}
        self._earlier: dict[str, UsageCounted] = {}

    def begin(
        self, task_id: str, tokens: int, priority: int = 0, earlier: UsageCounted | None = None
    ) -> None:
        """So many are reserved for this task; its calls have this priority, lower is earlier. What
        it took `earlier`, before its review, counts against its limits."""
        self._free[task_id] = tokens
        self._priorities[task_id] = priority
        if earlier is not None:
            self._earlier[task_id] = earlier

    def open(self, account: Account) -> None:
        entry = self._entry(account)
        if (earlier := self._earlier.pop(account.task_id, None)) is not None:
            entry.deadline -= earlier.seconds
            entry.started_calls += len(earlier.calls)
            entry.calls.extend(earlier.calls)

    def end(self, task_id: str) -> None:
        self._free.pop(task_id, None)
        self._priorities.pop(task_id, None)
        self._earlier.pop(task_id, None)

    async def note(self) -> None:
        """Write down what calls that run have taken, in case that this process dies."""
        await self._quotas.note(self.running_calls())

    async def reserve(self, account: Account, tokens: int) -> Reserved:
        """Raises `QuotaExceeded` and `StoreUnavailable` as well; then nothing was counted."""
        reserved = await super().reserve(account, tokens)
        free = self._free[account.task_id]
        kept = min(free, tokens)
        self._free[account.task_id] = free - kept
        if kept < tokens:
            try:
                await self._quotas.reserve_more(account.task_id, tokens - kept)
            except BaseException:
                self._free[account.task_id] += kept
                self.release(account, reserved)
                raise
        return replace(reserved, priority=self._priorities[account.task_id])

    async def record(self, account: Account, call: CallRecord, reserved: Reserved) -> None:
        """A database that is away loses nothing: the end of the task books it, too."""
        await super().record(account, call, reserved)
        self._free[account.task_id] += max(0, reserved.tokens - call.tokens)
        try:
            await self._quotas.settle(account.task_id, call)
        except StoreUnavailable as error:
            logger.warning("a call of the task %s is not booked yet: %s", account.task_id, error)
