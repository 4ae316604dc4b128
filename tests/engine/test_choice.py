"""A constrained choice on the real engine: what it tells is a distribution over the choices."""

from collections.abc import AsyncIterator

import pytest

from graph.ports import Message, ModelRequest
from nodes.verdict import NO, YES
from serving.engine.state import EngineState
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from tests.fakes import account

pytestmark = pytest.mark.engine


@pytest.fixture
async def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
async def model(engine: EngineState, ledger: MemoryLedger) -> AsyncIterator[GatewayModel]:
    gateway = GatewayModel(ModelServer(engine.base_url, None, None), ledger, None)
    yield gateway
    await gateway.aclose()


async def chosen(model: GatewayModel, question: str, choices: tuple[str, ...]) -> dict[str, float]:
    completion = await model.complete(
        ModelRequest(
            messages=[Message("system", "Write one word."), Message("user", question)],
            account=account(),
            node="verdict",
            max_tokens=1,
            choices=choices,
        )
    )
    return dict(completion.probabilities)


@pytest.mark.parametrize("question", ["Is a cache fast?", "캐시는 빠른가?"])
async def test_the_engine_chooses_and_tells_how_sure_it_is(
    question: str, model: GatewayModel, ledger: MemoryLedger
) -> None:
    found = await chosen(model, question, (YES, NO))
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(0 < probability < 1 for probability in found.values())
    (booked,) = ledger.calls(account())
    assert (booked.outcome, booked.output_tokens, booked.estimated) == ("ok", 1, False)


async def test_words_that_the_model_would_not_write_by_itself_have_a_probability_too(
    model: GatewayModel,
) -> None:
    """The engine masks before it tells: unmasked, these would not be among the likeliest 20."""
    found = await chosen(model, "What is the capital of France?", ("Zebra", "Quartz"))
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(0 < probability < 1 for probability in found.values())


async def test_the_question_moves_the_choice(model: GatewayModel) -> None:
    colours = ("red", "green")
    red = await chosen(model, "Repeat this word: red", colours)
    green = await chosen(model, "Repeat this word: green", colours)
    assert red["red"] > green["red"]
