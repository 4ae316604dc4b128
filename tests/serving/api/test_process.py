"""How the process ends, and what it finds when it begins again."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from tests.serving.api.process import ASK, BACKGROUND, log_of, new_home, served
from tests.serving.api.sse import received
from tests.stub_engine import Hang, StubEngine
from tests.waiting import until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return new_home(tmp_path)


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
        await asyncio.wait_for(process.wait(), 30)
        assert process.returncode == 0
        assert "Traceback" not in log_of(home).read_text("utf-8")
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
