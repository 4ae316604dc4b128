"""However a task over REST is cancelled, the real server stops writing for it within a second."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from serving.api.app import create_app
from serving.api.opening import open_service
from serving.api.server import Server
from serving.engine.state import EngineState
from serving.settings import Settings
from tests.engine.metrics import metric, nothing_is_generated, running
from tests.waiting import until

pytestmark = pytest.mark.engine

CANCELS = 20
WITHIN_S = 1.0
DEADLINE_S = 4.0
BODY = {
    "question": "Explain in detail what RayService and RayCluster are and how they differ.",
    "mode": "direct",
}
STREAM = {"Accept": "text/event-stream"}
BACKGROUND = {"Prefer": "respond-async"}

Cancel = Callable[[httpx.AsyncClient, EngineState, Server], Awaitable[None]]


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[tuple[httpx.AsyncClient, Server]]:
    settings = settings.model_copy(update={"api_auth": False, "requests_per_minute": 10_000})
    server = Server(create_app(lambda: open_service(settings)), "127.0.0.1", 0, grace_s=0)
    serving = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client, server
    finally:
        server.should_exit = True
        await serving


async def it_writes(engine: EngineState) -> None:
    """At the first token: a step over a prompt takes a CPU seconds, and cannot be broken off."""
    before = metric(engine, "vllm:generation_tokens_total")
    await until(lambda: metric(engine, "vllm:generation_tokens_total") > before, timeout_s=60)
    assert running(engine) == 1


async def cancelled(client: httpx.AsyncClient) -> set[str]:
    page = await client.get("/v1/tasks", params={"status": "cancelled", "limit": 100})
    return {task["id"] for task in page.json()["tasks"]}


async def a_stream_is_left(client: httpx.AsyncClient, engine: EngineState, _: Server) -> None:
    async with client.stream("POST", "/v1/tasks", json=BODY, headers=STREAM):
        await it_writes(engine)


async def a_request_is_left(client: httpx.AsyncClient, engine: EngineState, _: Server) -> None:
    asking = asyncio.create_task(client.post("/v1/tasks", json=BODY))
    await it_writes(engine)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking


async def it_is_deleted(client: httpx.AsyncClient, engine: EngineState, _: Server) -> None:
    begun = await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
    await it_writes(engine)
    deleting = asyncio.create_task(client.delete(begun.headers["location"]))
    await until(lambda: running(engine) == 0, timeout_s=WITHIN_S)
    assert (await deleting).json()["cancelled"] == "requested"


@pytest.mark.parametrize("cancel", [a_stream_is_left, a_request_is_left, it_is_deleted])
async def test_a_cancel_reaches_the_engine_within_a_second(
    cancel: Cancel, engine: EngineState, settings: Settings
) -> None:
    async with served(settings) as (client, server):
        before = await cancelled(client)
        for _ in range(CANCELS):
            await cancel(client, engine, server)
            await until(lambda: running(engine) == 0, timeout_s=WITHIN_S)
        assert len(await cancelled(client) - before) == CANCELS
    await nothing_is_generated(engine)


async def test_a_deadline_reaches_the_engine_within_a_second(
    engine: EngineState, settings: Settings
) -> None:
    settings = settings.model_copy(update={"deadline_s": DEADLINE_S})
    async with served(settings) as (client, _):
        for _ in range(CANCELS):
            begun = await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
            await it_writes(engine)
            await until(lambda: running(engine) == 0, timeout_s=DEADLINE_S + WITHIN_S)
            async with client.stream("GET", begun.headers["location"] + "/events") as events:
                await events.aread()
            task = (await client.get(begun.headers["location"])).json()
            # The call was broken off at the deadline; its task ends in quotes.
            (call,) = task["usage"]["calls"]
            assert call["outcome"] == "failed"
            assert call["seconds"] < DEADLINE_S + WITHIN_S
    await nothing_is_generated(engine)


async def test_a_shutdown_reaches_the_engine_within_a_second(
    engine: EngineState, settings: Settings
) -> None:
    for _ in range(CANCELS):
        async with served(settings) as (client, server):
            await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
            await it_writes(engine)
            server.handle_exit(signal.SIGTERM, None)
            await until(lambda: running(engine) == 0, timeout_s=WITHIN_S)
    await nothing_is_generated(engine)
