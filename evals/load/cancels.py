"""How soon the engine stops writing for a task that is cancelled, however it is cancelled.

    knowledge-agent engine up
    python -m evals.load.cancels [--times 20] [--json]

Each time the service is opened anew on one document of the handbook, a task is begun, and it is
cancelled when the engine has written its first token: a step over a prompt cannot be broken off,
and takes seconds on a CPU. Seconds run from the cancel until the engine's own metrics say that it
works on nothing; they are asked every 20 ms. Nobody else may use the engine meanwhile.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from statistics import median
from urllib.request import urlopen

import httpx
from rich.console import Console
from rich.table import Table

from graph.errors import EngineError
from knowledge.ingest import ingest
from serving.api.app import create_app
from serving.api.opening import open_service
from serving.api.server import Server
from serving.engine.state import is_alive, read_state
from serving.settings import Settings, load_settings
from serving.wiring.documents import embedder, index_address

DOCUMENT = "09-ray-serve-kuberay.pdf"
QUESTION = "Explain in detail what RayService and RayCluster are and how they differ."
BODY = {"question": QUESTION, "mode": "direct"}
STREAM = {"Accept": "text/event-stream"}
BACKGROUND = {"Prefer": "respond-async"}
INTERRUPTED = 130  # the exit code of a cancelled command
AIM_S = 1.0
DEADLINE_S = 4.0
PAUSE_S = 0.02
TIMEOUT_S = 60.0


def metric(engine: str, name: str) -> float:
    """The sum of a Prometheus metric, over its labels, of the server at the address `engine`."""
    # Not httpx, which reads all certificates for each call: this is asked 50 times a second.
    with urlopen(engine + "/metrics", timeout=TIMEOUT_S) as response:
        lines = response.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name + "{"))


def running(engine: str) -> int:
    """Requests that the server works on right now; it counts a new one at its first step."""
    return int(metric(engine, "vllm:num_requests_running"))


def written(engine: str) -> int:
    """Tokens that the server has written since it began."""
    return int(metric(engine, "vllm:generation_tokens_total"))


async def it_writes(engine: str) -> None:
    before = await asyncio.to_thread(written, engine)
    await _until(lambda: written(engine) > before)
    if not await asyncio.to_thread(running, engine):
        raise RuntimeError("the answer was over before its task could be cancelled")


async def seconds_until_idle(engine: str) -> float:
    began = time.perf_counter()
    await _until(lambda: running(engine) == 0)
    return time.perf_counter() - began


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110  # nobody sets an event
            await asyncio.sleep(PAUSE_S)


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[tuple[httpx.AsyncClient, Server]]:
    settings = settings.model_copy(update={"api_auth": False, "requests_per_minute": 10_000})
    server = Server(create_app(lambda: open_service(settings)), "127.0.0.1", 0, grace_s=0)
    serving = asyncio.create_task(server.serve())
    await _until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S) as client:
            yield client, server
    finally:
        server.should_exit = True
        await serving


Way = Callable[[Settings, str], Awaitable[float]]
"""Begins a task with these settings, cancels it, and returns the seconds until the engine, at this
address, works on nothing."""


async def stream_left(settings: Settings, engine: str) -> float:
    async with served(settings) as (client, _):
        async with client.stream("POST", "/v1/tasks", json=BODY, headers=STREAM):
            await it_writes(engine)
        return await seconds_until_idle(engine)


async def request_left(settings: Settings, engine: str) -> float:
    async with served(settings) as (client, _):
        asking = asyncio.create_task(client.post("/v1/tasks", json=BODY))
        await it_writes(engine)
        asking.cancel()
        seconds = await seconds_until_idle(engine)
        with suppress(asyncio.CancelledError):
            await asking
        return seconds


async def deleted(settings: Settings, engine: str) -> float:
    async with served(settings) as (client, _):
        begun = await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
        await it_writes(engine)
        deleting = asyncio.create_task(client.delete(begun.headers["location"]))
        seconds = await seconds_until_idle(engine)
        (await deleting).raise_for_status()
        return seconds


async def deadline(settings: Settings, engine: str) -> float:
    """Seconds after the deadline, which runs from the moment that the task is kept."""
    await stream_left(settings, engine)  # a prompt that is not cached may take longer to be read
    async with served(settings.model_copy(update={"deadline_s": DEADLINE_S})) as (client, _):
        begun = await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
        kept = datetime.fromisoformat(begun.json()["created_at"])
        await it_writes(engine)
        await seconds_until_idle(engine)
        seconds = time.time() - kept.timestamp() - DEADLINE_S
        async with client.stream("GET", begun.headers["location"] + "/events") as events:
            await events.aread()  # the task ends in quotes, which takes it a moment
        return seconds


async def shutdown(settings: Settings, engine: str) -> float:
    async with served(settings) as (client, server):
        await client.post("/v1/tasks", json=BODY, headers=BACKGROUND)
        await it_writes(engine)
        server.handle_exit(signal.SIGTERM, None)
        return await seconds_until_idle(engine)


async def ctrl_c(settings: Settings, engine: str) -> float:
    """At the command `knowledge-agent ask`, which runs without the service."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "serving.cli", "ask", QUESTION),
        env={**os.environ, "KA_HOME": str(settings.home), "KA_ENGINE_URL": engine + "/v1"},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await it_writes(engine)
    process.send_signal(signal.SIGINT)
    seconds = await seconds_until_idle(engine)
    if (code := await asyncio.wait_for(process.wait(), TIMEOUT_S)) != INTERRUPTED:
        raise RuntimeError(f"the command ended with {code}, and not {INTERRUPTED}")
    return seconds


WAYS: dict[str, Way] = {
    "client gone (stream)": stream_left,
    "client gone (JSON)": request_left,
    "DELETE": deleted,
    "deadline": deadline,
    "shutdown": shutdown,
    "Ctrl-C": ctrl_c,
}


async def measure(settings: Settings, engine: str, times: int) -> dict[str, list[float]]:
    """Seconds by way, the ways by turns."""
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for number in range(times):
        for name, way in WAYS.items():
            found[name].append(await way(settings, engine))
        print(f"{number + 1} of {times}", file=sys.stderr, flush=True)
    return found


def prepared(settings: Settings, home: Path) -> tuple[Settings, str]:
    """Settings of a new home with the document in its index, and the engine's address."""
    state = read_state(settings.engine_dir)
    if state is None or not is_alive(state):
        raise EngineError("no engine is up; start it: knowledge-agent engine up")
    settings = settings.model_copy(update={"home": home, "engine_url": state.base_url})
    handbook = Path(__file__).parents[2] / "examples" / "handbook"
    folder = home / "documents"
    folder.mkdir()
    shutil.copy(handbook / DOCUMENT, folder)
    ingest(folder, index_address(settings), embedder(settings))
    return settings, state.root_url


def main() -> int:
    parser = argparse.ArgumentParser(description="How soon a cancel reaches the engine.")
    parser.add_argument("--times", type=int, default=20, help="for each way to cancel")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    # A shell has what it runs in the background ignore SIGINT, and commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as home:
        try:
            settings, engine = prepared(load_settings(), Path(home))
        except EngineError as error:
            parser.exit(2, f"{error}\n")
        found = asyncio.run(measure(settings, engine, given.times))
    if given.json:
        print(json.dumps(found))
    else:
        table = Table("cancelled by", "median (s)", "at most (s)", f"within {AIM_S:g} s")
        for name, seconds in found.items():
            within = sum(each <= AIM_S for each in seconds)
            times = (f"{median(seconds):.2f}", f"{max(seconds):.2f}")
            table.add_row(name, *times, f"{within} of {len(seconds)}")
        Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
