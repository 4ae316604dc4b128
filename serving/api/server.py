"""The server process: one event loop, and a shutdown that lets tasks end."""

import asyncio
from types import FrameType

import uvicorn
from fastapi import FastAPI

from serving.api.connection import Connection
from serving.api.service import Service

CLOSE_S = 5
"""For connections that are still open when all tasks have ended."""


class Server(uvicorn.Server):
    """On the first SIGTERM or SIGINT no new task begins, and those that run may end within
    `grace_s`; the second one cancels them at once. The socket stays open meanwhile, so that
    streams and look-ups go on."""

    def __init__(self, app: FastAPI, host: str, port: int, grace_s: float) -> None:
        config = uvicorn.Config(
            app,
            http=Connection,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=CLOSE_S,
        )
        super().__init__(config)
        self._app = app
        self._grace_s = grace_s
        self._draining: list[asyncio.Task[None]] = []

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.started:
            self.should_exit = True
            return
        grace_s = 0.0 if self._draining else self._grace_s
        self._draining.append(asyncio.get_running_loop().create_task(self._drain(grace_s)))

    async def _drain(self, grace_s: float) -> None:
        service: Service = self._app.state.service
        await service.runner.drain(grace_s)
        self.should_exit = True
