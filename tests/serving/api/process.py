"""The real command on its real parts, but for a stub in the engine's place."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from serving.store.database import open_database
from serving.store.keys import SCOPES, KeyStore
from serving.store.tenants import TenantStore
from tests.stub_engine import StubEngine
from tests.waiting import until_async

TEXTS = {
    "caching.txt": "A response cache keeps whole answers for 60 seconds.",
    "캐시.txt": "응답 캐시는 답변 전체를 60초 동안 보관한다.",
}
ASK = {"question": "How long does a response cache keep answers?", "mode": "direct"}
NAME = {"KA_INSTANCE": "the one"}  # the same after a restart on another port
CLIENT_TIMEOUT_S = 300  # tasks that hang are part of some tests
BACKGROUND = {"Prefer": "respond-async"}


def new_home(folder: Path) -> Path:
    """With an index of the texts."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in TEXTS.items():
        (documents / name).write_text(text, "utf-8")
    ingest(documents, IndexAddress(folder / "home" / "index", "acme"), make_embedder())
    return folder / "home"


def log_of(home: Path) -> Path:
    """What all processes on this home have written."""
    return home / "serve.log"


@asynccontextmanager
async def served(
    home: Path, engine: StubEngine, **settings: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, httpx.AsyncClient]]:
    async with open_database(settings.get("KA_DATABASE_URL"), home) as database:
        keys = KeyStore(database, TenantStore(database))
        _, key = await keys.make("acme", "test", SCOPES, None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log_of(home).open("ab") as log:  # a pipe that nobody reads would stop it
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "serving.cli", "serve", "--port", str(port)),
            env={**os.environ, "KA_HOME": str(home), "KA_ENGINE_URL": engine.url}
            | {**NAME, **settings},
            stdout=log,
            stderr=log,
        )
    headers = {"Authorization": f"Bearer {key}"}
    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=CLIENT_TIMEOUT_S) as client:
        try:
            await until_async(lambda: _ready(client), timeout_s=120)
            yield process, client
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz", timeout=5)).status_code == 200
    except httpx.HTTPError:
        return False
