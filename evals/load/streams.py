"""Many streams at once on one server process, while a stand-in for the engine writes slowly.

    python -m evals.load.streams [--streams 1000] [--per-second 8] [--json]

Starts the stand-in, `knowledge-agent serve` on an index of one page and a home of its own, and
opens the streams at a steady rate, so that all are open for a while. Each is read to its end and
checked: events in order and none missing, and drafts that add up to what the engine wrote. Client,
server and stand-in share the machine. KA_DATABASE_URL may name a PostgreSQL.
"""

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from knowledge.embed import make_embedder
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from serving.store.database import open_database
from serving.store.keys import KeyStore
from serving.store.tenants import TenantStore

PAGE = """# Time to first token

Time to first token is the time from a request to the first token of its answer. It grows with the
length of the prompt, and with the requests that wait before it. A prefix that is cached makes it
shorter, and a chunked prefill keeps it short for those who come while a long prompt is read.
"""
TENANT = "load"
PACE_S = 0.5
QUESTION = "What is time to first token?"
START_TIMEOUT_S = 120.0
SAMPLE_S = 2.0
MEBIBYTE = 2**20


@dataclass
class Stream:
    """What one client saw. `error` is empty for a stream that came to its end whole."""

    first_event_s: float | None = None
    events: int = 0
    drafts: str = ""
    status: str = ""
    error: str = ""


@dataclass
class Load:
    streams: list[Stream] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    most_rss_bytes: int = 0
    processor_s: float = 0.0


async def follow(client: httpx.AsyncClient, load: Load) -> None:
    stream = Stream()
    load.streams.append(stream)
    load.open_now += 1
    load.most_open = max(load.most_open, load.open_now)
    try:
        await _read(client, stream)
    except (httpx.HTTPError, ValueError, KeyError) as error:
        stream.error = f"{type(error).__name__}: {error}"
    finally:
        load.open_now -= 1


async def _read(client: httpx.AsyncClient, stream: Stream) -> None:
    asked = time.perf_counter()
    body = {"question": QUESTION, "mode": "direct"}
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", "/v1/tasks", json=body, headers=headers) as response:
        if response.status_code != httpx.codes.OK:
            stream.error = f"status {response.status_code}"
            return
        kind, number = "", 0
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "id":
                number = int(value)
            elif name == "event":
                kind = value
            elif name == "data":
                if stream.first_event_s is None:
                    stream.first_event_s = time.perf_counter() - asked
                stream.events += 1
                if number != stream.events:
                    stream.error = f"event {number} came as number {stream.events}"
                    return
                data = json.loads(value)
                if kind == "token":
                    stream.drafts += data["text"]
                elif kind == "end":
                    stream.status = data["status"]
    if not stream.status:
        stream.error = "it broke off"


async def drive(url: str, key: str, server: psutil.Process, count: int, per_second: float) -> Load:
    load = Load()
    started = time.perf_counter()
    watching = asyncio.create_task(_watch(server, load))
    client = httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {key}"},
        timeout=httpx.Timeout(120, pool=None),
        limits=httpx.Limits(max_connections=None),
    )
    async with client, asyncio.TaskGroup() as group:
        for number in range(count):
            await asyncio.sleep(started + number / per_second - time.perf_counter())
            group.create_task(follow(client, load))
    watching.cancel()
    times = server.cpu_times()
    load.processor_s = times.user + times.system
    return load


async def _watch(server: psutil.Process, load: Load) -> None:
    told = 0
    while True:
        load.most_rss_bytes = max(load.most_rss_bytes, server.memory_info().rss)
        if load.open_now != told:
            tell(f"{load.open_now} streams are open")
            told = load.open_now
        await asyncio.sleep(SAMPLE_S)


@asynccontextmanager
async def service(home: Path, pieces: int) -> AsyncIterator[tuple[str, str, psutil.Process]]:
    """Its address, a key, and its process."""
    tell("indexing a page")
    (home / "documents").mkdir()
    (home / "documents" / "page.md").write_text(PAGE, encoding="utf-8")
    ingest(home / "documents", IndexAddress(home / "index", TENANT), make_embedder())
    async with open_database(os.environ.get("KA_DATABASE_URL"), home) as database:
        keys = KeyStore(database, TenantStore(database))
        _, key = await keys.make(TENANT, "load", ["ask"], None)
    engine_port, port = _free_port(), _free_port()
    pace = ("--pace-s", str(PACE_S), "--pieces", str(pieces))
    engine = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "evals.load.paced_engine", "--port", str(engine_port), *pace)
    )
    many = str(10**6)
    environment = {
        **os.environ,
        "KA_HOME": str(home),
        "KA_ENGINE_URL": f"http://127.0.0.1:{engine_port}/v1",
        "KA_REQUESTS_PER_MINUTE": many,
        "KA_CONCURRENT_TASKS": many,
        "KA_RUNNING_TASKS": many,
        "KA_DEADLINE_S": "3600",
        "KA_CALL_TIMEOUT_S": "3600",
    }
    with (home / "serve.log").open("wb") as log:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "serving.cli", "serve", "--port", str(port)),
            env=environment,
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"
    tell("waiting for the server")
    try:
        await _ready(url)
        yield url, key, psutil.Process(server.pid)
    finally:
        for process in (server, engine):
            process.terminate()
            await process.wait()


async def _ready(url: str) -> None:
    async with asyncio.timeout(START_TIMEOUT_S), httpx.AsyncClient(base_url=url) as client:
        while True:
            try:
                if (await client.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.5)


def tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def figures(load: Load) -> dict[str, object]:
    """Seconds by quantile; `whole` are streams that came to their end in order."""
    firsts = [each.first_event_s for each in load.streams if each.first_event_s is not None]
    whole = [each for each in load.streams if not each.error]
    return {
        "streams": len(load.streams),
        "most open at once": load.most_open,
        "whole": len(whole),
        "ended": dict(Counter(each.status for each in whole)),
        "different texts": len({each.drafts for each in whole}),
        "events": sum(each.events for each in load.streams),
        "first event p50 (s)": round(float(np.quantile(firsts, 0.5)), 3),
        "first event p99 (s)": round(float(np.quantile(firsts, 0.99)), 3),
        "first event at most (s)": round(max(firsts), 3),
        "most RSS (MiB)": round(load.most_rss_bytes / MEBIBYTE),
        "server's processor time (s)": round(load.processor_s, 1),
        "errors": dict(Counter(each.error for each in load.streams if each.error)),
    }


async def main() -> int:
    parser = argparse.ArgumentParser(description="Many streams at once on one server process.")
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--per-second", type=float, default=8, help="streams opened in a second")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    # The last one opens while the first one still has a fifth of its time to go.
    pieces = round(1.25 * given.streams / given.per_second / PACE_S) + 1
    with tempfile.TemporaryDirectory() as home:
        async with service(Path(home), pieces) as (url, key, server):
            load = await drive(url, key, server, given.streams, given.per_second)
    found = figures(load)
    if given.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        table = Table("figure", "value")
        for name, value in found.items():
            table.add_row(name, str(value))
        Console().print(table)
    return 0 if found["whole"] == given.streams else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
