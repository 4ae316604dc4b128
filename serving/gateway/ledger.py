"""What each task has spent on model calls, and may still spend."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from graph.answer import CallRecord
from graph.errors import CallLimitExceeded, DeadlineExceeded, TokenLimitExceeded
from graph.ports import Account

MAX_ACCOUNTS = 1_000

SoFar = Callable[[], CallRecord]
"""What a call that runs has taken by now."""


@dataclass(frozen=True, slots=True, eq=False)
class Reserved:
    """What one call may take: so many tokens, prompt and output together, and seconds. Each stands
    for its call. Of calls that wait at the server, the one with the lowest priority comes first."""

    tokens: int
    timeout_s: float
    priority: int = 0


@dataclass
class _Entry:
    deadline: float
    started_calls: int = 0
    reserved_tokens: int = 0
    calls: list[CallRecord] = field(default_factory=list)
    running: dict[Reserved, SoFar] = field(default_factory=dict)


class MemoryLedger:
    """Accounts of the tasks of this process; the least recently used go first.

    `clock` gives seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: OrderedDict[tuple[str, str], _Entry] = OrderedDict()

    def open(self, account: Account) -> None:
        self._entry(account)

    def calls(self, account: Account) -> tuple[CallRecord, ...]:
        entry = self._entries.get((account.task_id, account.run_id))
        return tuple(entry.calls) if entry else ()

    def calls_of_task(self, task_id: str) -> tuple[CallRecord, ...]:
        """Of all its runs: a task that was resumed has several."""
        of_task = {
            call.id: call
            for (task, _), entry in self._entries.items()
            if task == task_id
            for call in entry.calls
        }
        return tuple(of_task.values())

    def running_calls(self) -> dict[str, list[CallRecord]]:
        """What the calls that run have taken by now, by task."""
        running: dict[str, list[CallRecord]] = {}
        for (task_id, _), entry in self._entries.items():
            if entry.running:
                running.setdefault(task_id, []).extend(ask() for ask in entry.running.values())
        return running

    def watch(self, account: Account, reserved: Reserved, so_far: SoFar) -> None:
        """Until the call is recorded."""
        self._entry(account).running[reserved] = so_far

    async def reserve(self, account: Account, tokens: int) -> Reserved:
        """Count one more call as begun, which takes at most `tokens`.

        Raises `DeadlineExceeded`, `CallLimitExceeded` or `TokenLimitExceeded`; then nothing was
        counted. Calls are counted when they begin, and with all that they may take, so the limits
        hold for parallel ones too.
        """
        entry, limits = self._entry(account), account.limits
        left_s = entry.deadline - self._clock()
        if left_s <= 0:
            raise DeadlineExceeded(
                f"the task's {limits.deadline_s:g} s are over (setting KA_DEADLINE_S)"
            )
        if entry.started_calls >= limits.model_calls:
            raise CallLimitExceeded(
                f"the task has made its {limits.model_calls} model calls (setting KA_MODEL_CALLS)"
            )
        taken = sum(call.tokens for call in entry.calls) + entry.reserved_tokens
        if taken + tokens > limits.tokens:
            raise TokenLimitExceeded(
                f"the task has taken {taken:,} of its {limits.tokens:,} tokens, and its next call "
                f"may need {tokens:,} (setting KA_TOKENS)"
            )
        entry.started_calls += 1
        entry.reserved_tokens += tokens
        return Reserved(tokens, min(left_s, limits.call_timeout_s))

    async def record(self, account: Account, call: CallRecord, reserved: Reserved) -> None:
        """The call has ended and took this; what it did not use is free again."""
        entry = self._entry(account)
        entry.running.pop(reserved, None)
        entry.reserved_tokens -= reserved.tokens
        entry.calls.append(call)

    def release(self, account: Account, reserved: Reserved) -> None:
        """The call did not begin after all."""
        entry = self._entry(account)
        entry.started_calls -= 1
        entry.reserved_tokens -= reserved.tokens

    def _entry(self, account: Account) -> _Entry:
        key = (account.task_id, account.run_id)
        if key not in self._entries:
            self._entries[key] = _Entry(deadline=self._clock() + account.limits.deadline_s)
            if len(self._entries) > MAX_ACCOUNTS:
                self._entries.popitem(last=False)
        self._entries.move_to_end(key)
        return self._entries[key]
