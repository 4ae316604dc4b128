"""What a client's connection may do, against a real server on the product's protocol."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from serving.api import connection
from serving.api.connection import HEAD_BYTES, Connection
from tests.waiting import until

PIECE = b"x" * 2**16
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class App:
    """Reads the body and tells its length; or, for /endless, answers until the client has left."""

    def __init__(self) -> None:
        self.pieces = 0
        self.left = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._endless if scope["path"] == "/endless" else self._told
        await answer(receive, send)

    async def _told(self, receive: Receive, send: Send) -> None:
        length, more = 0, True
        while more:
            message = await receive()
            length += len(message.get("body", b""))
            more = message.get("more_body", False)
        body = str(length).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _endless(self, receive: Receive, send: Send) -> None:
        await receive()
        leaving = asyncio.create_task(self._leave(receive))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not self.left:
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
            self.pieces += 1
            await asyncio.sleep(0)
        await leaving

    async def _leave(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.left = True


@asynccontextmanager
async def serving(app: App) -> AsyncIterator[int]:
    config = uvicorn.Config(app, http=Connection, port=0, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await running


async def answer_to(sent: bytes, then: Callable[[], bytes] | None = None) -> bytes:
    """What the server says; `then` makes what follows until the server has enough of it."""
    async with serving(App()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        try:
            for _ in range(4 * HEAD_BYTES // 1_024 if then else 0):
                assert then is not None
                writer.write(then())
                await writer.drain()
        except ConnectionError:
            pass
        async with asyncio.timeout(10):
            answer = await reader.read(4_096)
        writer.close()
        return answer


@pytest.mark.parametrize(
    ("begun", "piece"),
    [
        (b"GET /", b"a" * 1_024),
        (b"GET / HTTP/1.1\r\n", b"X-One: " + b"a" * 1_014 + b"\r\n"),
        (b"GET / HTTP/1.1\r\nX-Endless: ", b"a" * 1_024),
        (CHUNKED + b"3;ext=", b"a" * 1_024),
        (CHUNKED + b"3\r\nabc\r\n0\r\n", b"X-Trailer: " + b"a" * 1_010 + b"\r\n"),
    ],
)
async def test_what_never_becomes_a_request_is_refused(begun: bytes, piece: bytes) -> None:
    answer = await answer_to(begun, lambda: piece)
    assert answer.startswith(b"HTTP/1.1 400 ")


async def test_headers_below_the_bound_and_a_long_body_are_read() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 60_000 + b"\r\n"
    length = 5 * HEAD_BYTES
    answer = await answer_to(head + b"Content-Length: %d\r\n\r\n" % length + b"b" * length)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\n%d" % length)


async def test_many_requests_of_one_connection_are_not_added_up() -> None:
    one = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 40_000 + b"\r\n\r\n"
    async with serving(App()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(4):
            writer.write(one)
            async with asyncio.timeout(10):
                assert (await reader.readuntil(b"\r\n\r\n0")).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_a_client_that_takes_nothing_is_gone_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "STALLED_S", 0.3)
    app = App()
    async with serving(app) as port:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            await until(lambda: app.left)
    assert app.pieces


async def test_a_client_that_takes_its_time_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STALLED_S", 2.0)
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(8):
            await asyncio.sleep(0.4)
            async with asyncio.timeout(10):
                await reader.readexactly(2**22)
        assert not app.left
        writer.close()
        await until(lambda: app.left)
