"""The gateway against a real HTTP server that misbehaves."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator

import pytest

from graph.errors import (
    ContextOverflow,
    ModelOutputUnusable,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from graph.ports import Account, Limits, Message, ModelRequest
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import (
    DEFAULT_CONTEXT_TOKENS,
    ModelServer,
    ServedModel,
    estimate_tokens,
)
from tests.fakes import account
from tests.stub_engine import BreakOff, Fail, Hang, Odd, Say, Stall, StubEngine
from tests.waiting import until


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
async def model(stub_engine: StubEngine, ledger: MemoryLedger) -> AsyncIterator[GatewayModel]:
    gateway = GatewayModel(ModelServer(stub_engine.url, None, None), ledger, None)
    yield gateway
    await gateway.aclose()


def request(charged_to: Account | None = None, drafts: list[str] | None = None) -> ModelRequest:
    return ModelRequest(
        messages=[Message("system", "be brief"), Message("user", "what is a cache?")],
        account=charged_to or account(),
        node="answer",
        max_tokens=64,
        on_draft=drafts.append if drafts is not None else None,
    )


async def test_a_completion_streams_its_drafts_and_books_the_servers_count(
    stub_engine: StubEngine, model: GatewayModel, ledger: MemoryLedger
) -> None:
    stub_engine.script.append(Say("a cache keeps things"))
    drafts: list[str] = []
    before_s = time.time()
    completion = await model.complete(request(drafts=drafts))
    assert completion.text == "".join(drafts) == "a cache keeps things"
    (booked,) = ledger.calls(account())
    assert booked.started_s is not None
    assert before_s <= booked.started_s <= time.time()
    assert (booked.prompt_tokens, booked.cached_tokens, booked.output_tokens) == (6, 3, 4)
    assert (booked.outcome, booked.estimated) == ("ok", False)


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Fail(500), ModelUnavailable),
        (Fail(503), ModelUnavailable),
        (Fail(429), ModelRateLimited),
        (Fail(401), ModelRejected),
        (Fail(404), ModelRejected),
        (Fail(400), ModelRejected),
        (Fail(400, "This model's maximum context length is 8192 tokens"), ContextOverflow),
        (BreakOff(), ModelUnavailable),
    ],
)
async def test_what_the_server_does_becomes_an_error_of_ours_after_one_call(
    behaviour: Fail | BreakOff,
    error: type[Exception],
    stub_engine: StubEngine,
    model: GatewayModel,
    ledger: MemoryLedger,
) -> None:
    stub_engine.script.append(behaviour)
    with pytest.raises(error):
        await model.complete(request())
    assert len(stub_engine.requests) == 1
    (booked,) = ledger.calls(account())
    assert booked.outcome == "failed"
    assert booked.estimated is not isinstance(behaviour, BreakOff)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "<html>a login page</html>",
        "data: [DONE]\n\n",
        "data: {not json\n\n",
        "data: [1]\n\n",
        'data: {"choices": null}\n\n',
        'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
        'data: {"choices": [], "usage": {"prompt_tokens": "many"}}\n\n',
    ],
)
async def test_an_answer_that_is_no_completion_is_an_error_of_ours(
    body: str, stub_engine: StubEngine, model: GatewayModel
) -> None:
    stub_engine.script.append(Odd(body))
    with pytest.raises((ModelOutputUnusable, ModelUnavailable)):
        await model.complete(request())


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ('{"error": {"message": "out of memory", "code": 500}}', "out of memory"),
        ('{"error": "메모리가 부족합니다"}', "메모리가 부족합니다"),
        ('{"choices": [], "error": {"code": 500}}', ".*500"),
    ],
)
async def test_an_error_that_the_server_tells_in_a_stream_is_told(
    told: str, message: str, stub_engine: StubEngine, model: GatewayModel
) -> None:
    begun = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
    stub_engine.script.append(Odd(f"{begun}data: {told}\n\n"))
    with pytest.raises(ModelUnavailable, match=f"broke off: {message}"):
        await model.complete(request())


async def test_a_server_that_came_back_with_another_model_is_asked_for_its_name_again(
    stub_engine: StubEngine, model: GatewayModel
) -> None:
    await model.complete(request())
    stub_engine.model = "another-model"
    with pytest.raises(ModelRejected):
        await model.complete(request())
    stub_engine.script.append(Say("hello again"))
    assert (await model.complete(request())).text == "hello again"


async def test_a_server_that_hangs_on_look_ups_is_waited_for_once(
    stub_engine: StubEngine, model: GatewayModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_engine.hangs_on_look_ups = True
    asked = 0
    look_up = ModelServer.model

    async def counted(server: ModelServer) -> ServedModel:
        nonlocal asked
        asked += 1
        return await look_up(server)

    monkeypatch.setattr(ModelServer, "model", counted)
    assert [await model.count_tokens(text) for text in ("one", "two", "three")] == [2, 2, 3]
    assert await model.context_tokens() == DEFAULT_CONTEXT_TOKENS
    assert asked == 1


async def test_a_server_that_hangs_ends_in_a_timeout(
    stub_engine: StubEngine, model: GatewayModel
) -> None:
    stub_engine.script.append(Hang())
    with pytest.raises(ModelTimeout, match=r"within 0\.3 s"):
        await model.complete(request(account(Limits(call_timeout_s=0.3))))


async def test_no_other_timeout_goes_before_that_of_the_call(
    stub_engine: StubEngine,
    model: GatewayModel,
    ledger: MemoryLedger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGCHAIN_OPENAI_STREAM_CHUNK_TIMEOUT_S", "0.1")
    stub_engine.script.append(Hang())
    with pytest.raises(ModelTimeout):
        await model.complete(request(account(Limits(call_timeout_s=0.8))))
    (call,) = ledger.calls(account())
    assert call.seconds >= 0.8


async def test_no_server_is_an_error_that_says_how_to_start_one(ledger: MemoryLedger) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    gateway = GatewayModel(ModelServer(url, None, None), ledger, None)
    with pytest.raises(ModelUnavailable, match="knowledge-agent engine up"):
        await gateway.complete(request())
    assert await gateway.count_tokens("접두사 캐시") == estimate_tokens("접두사 캐시")


async def test_a_server_that_hangs_up_is_away_and_not_slow(ledger: MemoryLedger) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        if asked.startswith(b"GET /v1/models "):
            body = b'{"data": [{"id": "brief"}]}'
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        gateway = GatewayModel(ModelServer(url, None, None), ledger, None)
        with pytest.raises(ModelUnavailable, match="closed the connection"):
            await gateway.complete(request())
        await gateway.aclose()


async def test_a_cancelled_call_closes_its_connection_and_is_booked(
    stub_engine: StubEngine, model: GatewayModel, ledger: MemoryLedger
) -> None:
    stub_engine.script.append(Hang())
    call = asyncio.create_task(model.complete(request()))
    await until(lambda: stub_engine.open_streams == 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(lambda: stub_engine.open_streams == 0)
    assert [booked.outcome for booked in ledger.calls(account())] == ["cancelled"]


@pytest.mark.parametrize("is_vllm", [True, False])
async def test_a_call_that_is_left_in_the_middle_is_booked_to_its_last_piece(
    stub_engine: StubEngine, model: GatewayModel, ledger: MemoryLedger, is_vllm: bool
) -> None:
    stub_engine.owned_by = "vllm" if is_vllm else "someone"
    stub_engine.script.append(Stall("a cache keeps"))
    drafts: list[str] = []
    call = asyncio.create_task(model.complete(request(drafts=drafts)))
    await until(lambda: len(drafts) == 3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    (booked,) = ledger.calls(account())
    assert (booked.output_tokens, booked.estimated) == (3, not is_vllm)
    if is_vllm:
        assert booked.prompt_tokens + booked.output_tokens == stub_engine.tokens
        assert booked.cached_tokens == 3


async def test_what_the_environment_says_of_openai_is_not_told_to_the_owners_server(
    stub_engine: StubEngine, model: GatewayModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "leaked")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "leaked")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer leaked\nX-Other: leaked")
    await model.complete(request())
    assert "leaked" not in str(stub_engine.headers)
    assert stub_engine.headers["authorization"] == "Bearer none"


async def test_tokens_are_counted_by_the_server_once_a_text(
    stub_engine: StubEngine, model: GatewayModel
) -> None:
    assert await model.count_tokens("one two three") == 3
    stub_engine.stop()
    assert await model.count_tokens("one two three") == 3


@pytest.mark.parametrize("text", ["a", "prefix cache", "접두사 캐시", "한", "🙂"])
def test_an_estimate_is_never_zero_and_grows_with_the_text(text: str) -> None:
    assert 0 < estimate_tokens(text) <= estimate_tokens(text + text)
