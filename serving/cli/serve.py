"""`knowledge-agent serve`: the REST API, until it is told to end."""

import gc
import sys
from ipaddress import ip_address
from socket import socket

from rich.console import Console

from graph.errors import ConfigError
from serving.api.app import create_app
from serving.api.opening import open_service
from serving.api.server import Server
from serving.settings import Settings
from serving.telemetry.langsmith import tracing
from serving.telemetry.logs import configure_logging

GC_THRESHOLDS = (20_000, 10, 10)
"""Of the three generations. By Python's own, 700 new objects, a few streams are enough to have all
of them looked at again and again."""


def serve(settings: Settings, console: Console) -> None:
    """Raises `ConfigError` for a server that would be open to everybody."""
    if not settings.api_auth:
        _check_loopback(settings.api_host)
        console.print(
            "No keys are asked for (KA_API_AUTH=false): for development on this machine alone.",
            style="yellow",
        )
    configure_logging(settings, sys.stderr)
    app = create_app(lambda: open_service(settings))
    host = f"[{settings.api_host}]" if ":" in settings.api_host else settings.api_host
    console.print(f"http://{host}:{settings.api_port}/docs shows the API; Ctrl-C ends it")
    with tracing(settings):
        _Process(app, settings.api_host, settings.api_port, settings.shutdown_grace_s).run()


class _Process(Server):
    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        # What is loaded by now stays: a full collection that looks at it all stops every stream.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)


def _check_loopback(host: str) -> None:
    try:
        loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise ConfigError(
            f"KA_API_HOST is {host} and KA_API_AUTH is false: everybody there could read your "
            "documents. Listen on 127.0.0.1, or ask for keys"
        )
