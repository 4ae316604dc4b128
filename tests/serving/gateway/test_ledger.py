import pytest

from graph.answer import CallRecord
from graph.errors import CallLimitExceeded, DeadlineExceeded, TokenLimitExceeded
from graph.ports import Account, Limits
from serving.gateway import ledger as ledger_module
from serving.gateway.ledger import MemoryLedger
from tests.fakes import account


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def call(prompt_tokens: int = 10, output_tokens: int = 5) -> CallRecord:
    return CallRecord(
        id="call",
        node="answer",
        prompt_tokens=prompt_tokens,
        cached_tokens=0,
        output_tokens=output_tokens,
        seconds=0.1,
        outcome="ok",
    )


async def test_a_call_may_take_what_the_deadline_leaves() -> None:
    clock = Clock()
    ledger = MemoryLedger(clock)
    one = account(Limits(deadline_s=100, call_timeout_s=60))
    assert (await ledger.reserve(one, 5)).timeout_s == 60
    clock.now = 90
    assert (await ledger.reserve(one, 5)).timeout_s == 10


async def test_after_the_deadline_no_call_begins() -> None:
    clock = Clock()
    ledger = MemoryLedger(clock)
    one = account(Limits(deadline_s=100))
    ledger.open(one)
    clock.now = 100
    with pytest.raises(DeadlineExceeded, match="KA_DEADLINE_S"):
        await ledger.reserve(one, 5)


async def test_the_call_limit_counts_calls_that_have_begun_and_not_ended() -> None:
    ledger = MemoryLedger()
    one = account(Limits(model_calls=2))
    await ledger.reserve(one, 5)
    await ledger.reserve(one, 5)
    with pytest.raises(CallLimitExceeded, match="2 model calls"):
        await ledger.reserve(one, 5)


async def test_the_token_limit_counts_prompts_and_output() -> None:
    ledger = MemoryLedger()
    one = account(Limits(tokens=15))
    await ledger.record(one, call(prompt_tokens=8, output_tokens=3), await ledger.reserve(one, 15))
    with pytest.raises(TokenLimitExceeded, match="11 of its 15 tokens, and its next call may need"):
        await ledger.reserve(one, 5)


async def test_the_token_limit_counts_calls_that_have_begun_with_all_they_may_take() -> None:
    ledger = MemoryLedger()
    one = account(Limits(tokens=100))
    first = await ledger.reserve(one, 60)
    with pytest.raises(TokenLimitExceeded, match="60 of its 100"):
        await ledger.reserve(one, 41)
    second = await ledger.reserve(one, 40)
    await ledger.record(one, call(prompt_tokens=10, output_tokens=5), first)
    with pytest.raises(TokenLimitExceeded, match="55 of its 100"):
        await ledger.reserve(one, 46)
    await ledger.record(one, call(prompt_tokens=0, output_tokens=0), second)
    assert (await ledger.reserve(one, 85)).tokens == 85


async def test_a_resumed_task_is_a_new_run_with_fresh_bounds() -> None:
    ledger = MemoryLedger()
    limits = Limits(model_calls=1)
    await ledger.reserve(Account("task", "first run", limits), 5)
    second = await ledger.reserve(Account("task", "second run", limits), 5)
    assert second.timeout_s == limits.call_timeout_s


async def test_the_number_of_accounts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "MAX_ACCOUNTS", 2)
    ledger = MemoryLedger()
    accounts = [Account(f"task {n}", "run", Limits()) for n in range(3)]
    for one in accounts:
        await ledger.record(one, call(), await ledger.reserve(one, 15))
    assert [len(ledger.calls(one)) for one in accounts] == [0, 1, 1]
