"""The real command on its real parts, but for a stub in the engine's place."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from serving.store.database import open_database
from serving.store.keys import KeyStore
from serving.store.tenants import TenantStore
from tests.serving.api.sse import received
from tests.stub_engine import Hang, StubEngine
from tests.waiting import until

TEXTS = {
    "caching.txt": "A response cache keeps whole answers for 60 seconds.",
    "캐시.txt": "응답 캐시는 답변 전체를 60초 동안 보관한다.",
}
ASK = {"question": "How long does a response cache keep answers?", "mode": "direct"}
NAME = {"KA_INSTANCE": "the one"}  # the same after a restart on another port
BACKGROUND = {"Prefer": "respond-async"}


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in TEXTS.items():
        (documents / name).write_text(text, "utf-8")
    ingest(documents, IndexAddress(tmp_path / "home" / "index", "acme"), make_embedder())
    return tmp_path / "home"


@asynccontextmanager
async def served(
    home: Path, engine: StubEngine, **settings: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, httpx.AsyncClient]]:
    async with open_database(None, home) as database:
        keys = KeyStore(database, TenantStore(database))
        _, key = await keys.make("acme", "test", ["ask"], None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.cli", "serve", "--port", str(port)),
        env={**os.environ, "KA_HOME": str(home), "KA_ENGINE_URL": engine.url, **NAME, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    headers = {"Authorization": f"Bearer {key}"}
    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        try:
            await until(lambda: _answers(url), timeout_s=60)
            yield process, client
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=1).status_code == 200
    except httpx.HTTPError:
        return False


async def _hanging(client: httpx.AsyncClient, engine: StubEngine) -> str:
    """The address of a task whose model call hangs."""
    engine.script.append(Hang())
    begun = await client.post("/v1/tasks", json=ASK, headers=BACKGROUND)
    assert begun.status_code == 202, begun.text
    await until(lambda: engine.open_streams == 1)
    return begun.headers["location"]


async def test_a_shutdown_lets_tasks_end_and_cancels_the_rest(
    home: Path, stub_engine: StubEngine
) -> None:
    async with served(home, stub_engine, KA_SHUTDOWN_GRACE_S="1") as (process, client):
        answered = (await client.post("/v1/tasks", json=ASK)).json()
        assert answered["answer"]["text"].startswith("A response cache keeps whole answers")
        url = await _hanging(client, stub_engine)
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        refused = await client.post("/v1/tasks", json=ASK)
        assert refused.status_code == 503
        assert "retry-after" in refused.headers
        assert (await client.get(url)).json()["status"] == "running"
        await until(lambda: stub_engine.open_streams == 0, timeout_s=5)
        out, _ = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0
        assert b"Traceback" not in out
    async with served(home, stub_engine) as (_, client):
        task = (await client.get(url)).json()
        assert (task["status"], task["cancelled"]) == ("cancelled", "shutdown")
        assert task["usage"]["calls"][0]["outcome"] == "cancelled"


async def test_after_kill_9_a_task_is_interrupted_and_never_runs_again(
    home: Path, stub_engine: StubEngine
) -> None:
    async with served(home, stub_engine) as (process, client):
        url = await _hanging(client, stub_engine)
        process.kill()
        await process.wait()
    await until(lambda: stub_engine.open_streams == 0)
    async with served(home, stub_engine) as (_, client):
        task = (await client.get(url)).json()
        assert task["status"] == "interrupted"
        async with client.stream("GET", url + "/events") as response:
            events = [event async for event in received(response)]
        assert events[0].type == "task"
        assert events[-1].data == {"status": "interrupted", "cancelled": None}
    assert len(stub_engine.requests) == 1


async def test_after_kill_9_a_plan_still_awaits_its_review_and_can_be_approved(
    home: Path, stub_engine: StubEngine
) -> None:
    async with served(home, stub_engine) as (process, client):
        body = {**ASK, "mode": "plan", "review": "plan"}
        task = (await client.post("/v1/tasks", json=body)).json()
        assert (task["status"], task["plan"]["maker"]) == ("awaiting_review", "model")
        process.kill()
        await process.wait()
    async with served(home, stub_engine) as (_, client):
        url = f"/v1/tasks/{task['id']}"
        assert (await client.get(url)).json() == task
        ended = (await client.post(f"{url}/plan", json={})).json()
        assert ended["status"] == "answered"
        assert ended["plan"] == task["plan"]
        assert [call["node"] for call in ended["usage"]["calls"]] == ["plan", "answer", "summarize"]
