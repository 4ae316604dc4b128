"""How large a request's body may be: counted while it arrives, whatever it says of itself."""

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.api.problems import problem_of, respond
from serving.api.service import Service

MAX_BODY_BYTES = 1024**2
DROP_S = 5.0
UPLOADS = ("POST", "/v1/documents")


class BodyLimit:
    """Answers 413 where a body is larger than its route takes, and keeps nothing of the rest."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = _most(scope)
        stated = Headers(scope=scope).get("content-length", "")
        if stated.isdecimal() and int(stated) > most:
            await _refuse(most, scope, receive, send)
            return
        arrived = 0
        answered = False

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            # Who reads it gives up, as if the client had left.
            return message if arrived <= most else {"type": "http.disconnect"}

        async def sent(message: Message) -> None:
            nonlocal answered
            if arrived <= most:
                answered = True
                await send(message)

        try:
            await self._app(scope, counted, sent)
        except ClientDisconnect:
            if arrived <= most:
                raise
        if arrived > most and not answered:
            await _refuse(most, scope, receive, send)


def _most(scope: Scope) -> int:
    if (scope["method"], scope["path"].rstrip("/")) == UPLOADS:
        service: Service = scope["app"].state.service
        return service.receiver.bounds.request_bytes
    return MAX_BODY_BYTES


async def _refuse(most: int, scope: Scope, receive: Receive, send: Send) -> None:
    detail = f"the request's body may have {most:,} bytes; send less at a time"
    response = respond(problem_of("TooLarge", detail), {"Connection": "close"})

    async def sent(message: Message) -> None:
        """Many clients read no answer before they have sent all, or lose it when they cannot: what
        they still send is taken, and dropped, for a while."""
        if message["type"] == "http.response.start":
            await send(message)
            return
        await send({**message, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(DROP_S):
                while (await receive()).get("more_body"):
                    pass
        await send({"type": "http.response.body"})

    await response(scope, receive, sent)
