"""A constrained choice: what is sent, and how probable each of its words is."""

import math
from collections.abc import AsyncIterator

import pytest

from graph.errors import ModelOutputUnusable, ModelUnavailable
from graph.ports import Message, ModelRequest
from serving.gateway.choices import probabilities
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from tests.fakes import account
from tests.stub_engine import Choose, Fail, Say, StubEngine

MASKED = -9999.0  # what vLLM tells of a token that the choice excludes


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
async def model(stub_engine: StubEngine, ledger: MemoryLedger) -> AsyncIterator[GatewayModel]:
    gateway = GatewayModel(ModelServer(stub_engine.url, None, None), ledger, None)
    yield gateway
    await gateway.aclose()


def request(*choices: str) -> ModelRequest:
    return ModelRequest(
        messages=[Message("user", "is a cache fast?")],
        account=account(),
        node="verdict",
        max_tokens=1,
        choices=choices or ("Yes", "No"),
    )


@pytest.mark.parametrize(
    ("likely", "yes"),
    [
        ({"Yes": math.log(0.7), "No": math.log(0.3)}, 0.7),
        ({"No": math.log(0.6), "Yes": math.log(0.25), "Y": math.log(0.15), "#": MASKED}, 0.4),
        ({"No": 0.0, "Yes": MASKED}, 0.0),
        ({"No": 1e-9, "Yes": -math.inf}, 0.0),
        # A server that does not mask: what is no choice is left out.
        ({"The": math.log(0.5), " yes": math.log(0.3), "No": math.log(0.1), "Not": -2.0}, 0.75),
    ],
)
async def test_the_first_token_tells_how_probable_each_choice_is(
    likely: dict[str, float], yes: float, stub_engine: StubEngine, model: GatewayModel
) -> None:
    stub_engine.script.append(Choose(likely))
    completion = await model.complete(request())
    assert completion.probabilities == pytest.approx({"Yes": yes, "No": 1 - yes})


async def test_a_choice_costs_one_booked_call_like_any_other(
    stub_engine: StubEngine, model: GatewayModel, ledger: MemoryLedger
) -> None:
    await model.complete(request())
    (booked,) = ledger.calls(account())
    assert (booked.node, booked.prompt_tokens, booked.output_tokens) == ("verdict", 4, 1)
    assert (booked.outcome, booked.estimated) == ("ok", False)


@pytest.mark.parametrize("owner", ["vllm", "somebody"])
async def test_vllm_is_told_to_choose_and_every_server_to_tell_probabilities(
    owner: str, stub_engine: StubEngine, model: GatewayModel
) -> None:
    stub_engine.owned_by = owner
    await model.complete(request())
    (sent,) = stub_engine.requests
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 20)
    assert sent["max_completion_tokens"] == 1
    masked = {"choice": ["Yes", "No"]} if owner == "vllm" else None
    assert sent.get("structured_outputs") == masked
    assert "frequency_penalty" not in sent


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        "yes",
        {},
        {"top_logprobs": None},
        {"top_logprobs": [{"token": "Yes"}]},
        {"top_logprobs": [{"token": 7, "logprob": -1.0}]},
        {"top_logprobs": [{"token": "Yes", "logprob": 1_000.0}]},
        {"top_logprobs": [{"token": "Yes", "logprob": math.nan}]},
    ],
)
def test_log_probabilities_that_are_none_are_an_error_of_ours(logprobs: object) -> None:
    with pytest.raises(ModelOutputUnusable):
        probabilities(("Yes", "No"), logprobs)


@pytest.mark.parametrize("reply", [Say("Yes"), Choose({"The": -0.1}), Choose({"Yes": MASKED})])
async def test_no_probability_is_made_up_where_the_server_tells_none(
    reply: Say | Choose, stub_engine: StubEngine, model: GatewayModel, ledger: MemoryLedger
) -> None:
    stub_engine.script.append(reply)
    with pytest.raises(ModelOutputUnusable, match="logprobs, as vLLM does"):
        await model.complete(request())
    assert len(ledger.calls(account())) == 1


async def test_a_choice_that_fails_is_an_error_of_ours(
    stub_engine: StubEngine, model: GatewayModel
) -> None:
    stub_engine.script.append(Fail(503))
    with pytest.raises(ModelUnavailable):
        await model.complete(request())


@pytest.mark.parametrize("choices", [("yes", "Yeah"), ("예", "아니요"), ("Yes", "")])
def test_choices_that_the_first_token_does_not_tell_apart_are_a_defect(
    choices: tuple[str, ...],
) -> None:
    with pytest.raises(ValueError, match="does not tell these choices apart"):
        request(*choices)
