"""Money: exact, and never claimed where no price is known."""

from contextlib import nullcontext
from decimal import Decimal

import pytest

from graph.answer import CallRecord, Money
from graph.errors import ConfigError, ModelRejected
from graph.ports import Account, Limits, Message, ModelRequest
from graph.transcript import bill, total_cost
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.prices import Price, Prices
from serving.settings import Settings, load_settings
from serving.wiring.agent import checkpoint_serializer
from tests.stub_engine import MODEL, Fail, StubEngine

PRICE = Price(input=Decimal("0.15"), cached_input=Decimal("0.015"), output=Decimal("0.000001"))
PRICES = Prices("EUR", {"big": PRICE})


def call(model: str | None = "big", prompt: int = 1_000, cached: int = 900) -> CallRecord:
    return CallRecord(
        id="a",
        node="answer",
        prompt_tokens=prompt,
        cached_tokens=cached,
        output_tokens=min(prompt, 7),
        seconds=1,
        outcome="ok",
        model=model,
    )


def test_cached_prompt_tokens_have_their_own_price_and_nothing_is_rounded() -> None:
    cost = PRICES.priced(call()).cost
    # (100 × 0.15 + 900 × 0.015 + 7 × 0.000001) / 1,000,000
    assert cost == Money(amount=Decimal("0.000028500007"), currency="EUR")
    assert cost.model_dump(mode="json") == {"amount": "0.000028500007", "currency": "EUR"}


@pytest.mark.parametrize("model", [None, "another"])
def test_a_model_without_a_price_costs_nothing_that_is_known(model: str | None) -> None:
    assert PRICES.priced(call(model)).cost is None


def test_a_task_with_a_call_that_has_no_price_has_no_cost() -> None:
    priced, unpriced = PRICES.priced(call()), call("another")
    failed = call(None, prompt=0, cached=0)  # it never reached a model
    assert total_cost([priced, priced, failed]) == Money(
        amount=Decimal("0.000057000014"), currency="EUR"
    )
    in_dollars = Prices("USD", {"big": PRICE}).priced(call())
    for calls in ([], [failed], [priced, unpriced], [priced, in_dollars]):
        assert total_cost(calls) is None
        assert bill(calls)["cost"] is None


def test_money_comes_back_from_a_checkpoint_as_it_was() -> None:
    serializer, priced = checkpoint_serializer(), PRICES.priced(call())
    assert serializer.loads_typed(serializer.dumps_typed(priced)) == priced


@pytest.mark.parametrize(("fails", "cost"), [(False, "0.00000315"), (True, None)])
async def test_a_call_to_the_engine_is_priced_by_its_own_count(
    stub_engine: StubEngine, fails: bool, cost: str | None
) -> None:
    if fails:
        stub_engine.script.append(Fail(400))
    ledger, charged_to = MemoryLedger(), Account("task", "run", Limits())
    prices = Prices("USD", {MODEL: Price(input=1, cached_input=Decimal("0.05"), output=0)})
    gateway = GatewayModel(ModelServer(stub_engine.url, None, None), ledger, None, prices=prices)
    asked = ModelRequest([Message("user", "one two three four five six")], charged_to, "answer", 9)
    with pytest.raises(ModelRejected) if fails else nullcontext():
        await gateway.complete(asked)
    await gateway.aclose()
    (booked,) = ledger.calls(charged_to)
    assert booked.model == MODEL
    assert (bill([booked])["cost"] or {}).get("amount") == cost


def test_prices_are_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_PRICES", '{"m": {"input": 0.2, "cached_input": "0.02", "output": 3}}')
    monkeypatch.setenv("KA_CURRENCY", "KRW")
    prices = load_settings().price_list
    assert prices.currency == "KRW"
    assert prices.by_model["m"].cached_input == Decimal("0.02")
    assert Settings.model_fields["prices"].get_default() == {}


@pytest.mark.parametrize(
    "prices",
    [
        "0.2",
        '{"m": 0.2}',
        '{"m": {"input": 1, "output": 1}}',
        '{"m": {"input": -1, "cached_input": 0, "output": 1}}',
        '{"m": {"input": 0.0000001, "cached_input": 0, "output": 1}}',
        '{"m": {"input": 1, "cached_input": 0, "output": 1, "image": 1}}',
        "{",
    ],
)
def test_prices_that_are_none_are_named_at_the_start(
    prices: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KA_PRICES", prices)
    with pytest.raises(ConfigError, match="KA_PRICES"):
        load_settings()
