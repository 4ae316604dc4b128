"""What each task has spent on model calls, and may still spend."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from graph.answer import CallRecord
from graph.errors import CallLimitExceeded, DeadlineExceeded, TokenLimitExceeded
from graph.ports import Account

MAX_ACCOUNTS = 1_000


@dataclass
class _Entry:
    deadline: float
    started_calls: int = 0
    calls: list[CallRecord] = field(default_factory=list)


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

    def reserve(self, account: Account) -> float:
        """Count one more call as begun, and give the seconds that it may take.

        Raises `DeadlineExceeded`, `CallLimitExceeded` or `TokenLimitExceeded`; then nothing was
        counted. Calls are counted when they begin, so the limit holds for parallel ones too.
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
        spent = sum(call.prompt_tokens + call.output_tokens for call in entry.calls)
        if spent >= limits.tokens:
            raise TokenLimitExceeded(
                f"the task has used {spent:,} of its {limits.tokens:,} tokens (setting KA_TOKENS)"
            )
        entry.started_calls += 1
        return min(left_s, limits.call_timeout_s)

    def record(self, account: Account, call: CallRecord) -> None:
        self._entry(account).calls.append(call)

    def _entry(self, account: Account) -> _Entry:
        key = (account.task_id, account.run_id)
        if key not in self._entries:
            self._entries[key] = _Entry(deadline=self._clock() + account.limits.deadline_s)
            if len(self._entries) > MAX_ACCOUNTS:
                self._entries.popitem(last=False)
        self._entries.move_to_end(key)
        return self._entries[key]
