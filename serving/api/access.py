"""Around every request: its trace from outside, its place in metrics and in the access log."""

import logging
import time

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.telemetry.context import forget
from serving.telemetry.metrics import Metrics
from serving.telemetry.traces import incoming

UNMATCHED = "unmatched"
BROKEN_OFF = 499
"""The client left before there was a status; nginx's number for it."""

logger = logging.getLogger(__name__)


def route_of(scope: Scope) -> str:
    """The template of the path: paths themselves have no bound."""
    path: str = getattr(scope.get("route"), "path", UNMATCHED)
    return path


class Access:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        forget()
        response = _Response(send)
        try:
            with incoming(Headers(scope=scope)):
                await self._app(scope, receive, response.send)
        finally:
            response.tell(scope)


class _Response:
    def __init__(self, send: Send) -> None:
        self._send = send
        self._started_s = time.perf_counter()
        self._status: int | None = None
        self._streams = False
        self._first_s: float | None = None
        self._bytes = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            kind = Headers(raw=message["headers"]).get("content-type", "")
            self._streams = kind.startswith("text/event-stream")
        body = message.get("body", b"")
        if body and self._first_s is None:
            self._first_s = self._seconds
        self._bytes += len(body)
        await self._send(message)

    def tell(self, scope: Scope) -> None:
        metrics: Metrics = scope["app"].state.service.telemetry.metrics
        method, route, seconds = scope["method"], route_of(scope), self._seconds
        status = self._status or BROKEN_OFF
        metrics.request(method, route, status, seconds)
        if self._streams and self._first_s is not None:
            metrics.first_event(route, self._first_s)
        told = {
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "bytes": self._bytes,
        }
        logger.info("%s %s %d", method, route, status, extra=told)

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started_s
