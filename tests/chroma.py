"""Chroma without the product: a server of its own, and clients that look past our adapter."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.api import ClientAPI
from chromadb.config import Settings

START_TIMEOUT_S = 60.0
PAUSE_S = 0.05

# Takes milliseconds to make; a client writes its own address into its copy.
_SETTINGS = Settings(anonymized_telemetry=False)


@contextmanager
def chroma_server(folder: Path, port: int | None = None) -> Iterator[str]:
    """A real server that keeps its data in `folder`; gives its URL."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    binary = Path(sys.executable).parent / "chroma"
    with (folder / "server.log").open("wb") as log:
        command = [
            str(binary),
            "run",
            "--path",
            str(folder),
            "--host",
            "127.0.0.1",
            "--port",
            f"{port}",
        ]
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            _wait_for(url, server)
            yield url
        finally:
            server.kill()
            server.wait()


@contextmanager
def chroma_client(place: Path | str) -> Iterator[ClientAPI]:
    """`place` is a folder, or the URL of a server."""
    settings = _SETTINGS.model_copy()
    if isinstance(place, Path):
        client: ClientAPI = chromadb.PersistentClient(str(place), settings=settings)
    else:
        parts = urlsplit(place)
        client = chromadb.HttpClient(parts.hostname or "", parts.port or 80, settings=settings)
    try:
        yield client
    finally:
        client.close()  # type: ignore[attr-defined]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/api/v2/heartbeat", timeout=PAUSE_S * 20).is_success:
                return
        except httpx.HTTPError:
            time.sleep(PAUSE_S)
    raise RuntimeError(f"the Chroma server did not start at {url}; exit code {server.poll()}")
