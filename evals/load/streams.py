"""Many streams at once on one server process, while a stand-in for the engine writes slowly.

    python -m evals.load.streams [--streams 1000] [--per-second 4] [--json]

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
from http import HTTPStatus
from pathlib import Path

import aiohttp
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

Time to first token is the time from a request to the first token of its answer. It grows with \
the length of the prompt, because the whole prompt is read before anything is written. It also \
grows with the requests that wait in the queue of the engine before this one. A prefix that \
stands in the cache makes it shorter, since those tokens are not read again. A chunked prefill \
keeps it short for those who come while a long prompt is read, because the long one is read in \
parts. Time to first token is told for a share of requests, such as the fastest ninety-five of a \
hundred. A mean would hide the few users who wait longest. It is measured where the user sees it, \
behind the gateway and the network, and not at the engine alone. An agent makes several calls for \
one question, so that the time to first token of each call adds up before the user reads a word.
"""
TENANT = "load"
PACE_S = 0.5
QUESTION = "What is time to first token?"
START_TIMEOUT_S = 120.0
SILENCE_S = 120.0
SAMPLE_S = 2.0
MEBIBYTE = 2**20


@dataclass
class Stream:
    """What one client saw. `error` is empty for a stream that came to its end whole."""

    first_event_s: float | None = None
    events: int = 0
    drafts: list[str] = field(default_factory=list)
    status: str = ""
    error: str = ""

    def take(self, event: str, at_s: float) -> None:
        number, kind, data = (line.partition(": ")[2] for line in event.split("\n"))
        self.first_event_s = at_s if self.first_event_s is None else self.first_event_s
        self.events += 1
        if int(number) != self.events:
            self.error = f"event {number} came as number {self.events}"
        elif kind == "token":
            self.drafts.append(json.loads(data)["text"])
        elif kind == "end":
            self.status = json.loads(data)["status"]


@dataclass
class Load:
    streams: list[Stream] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    most_rss_bytes: int = 0
    processor_s: float = 0.0


async def follow(client: aiohttp.ClientSession, load: Load) -> None:
    stream = Stream()
    load.streams.append(stream)
    load.open_now += 1
    load.most_open = max(load.most_open, load.open_now)
    try:
        await _read(client, stream)
    except (aiohttp.ClientError, TimeoutError, ValueError, KeyError) as error:
        stream.error = f"{type(error).__name__}: {error}"
    finally:
        load.open_now -= 1


async def _read(client: aiohttp.ClientSession, stream: Stream) -> None:
    asked = time.perf_counter()
    body = {"question": QUESTION, "mode": "direct"}
    headers = {"Accept": "text/event-stream"}
    async with client.post("/v1/tasks", json=body, headers=headers) as response:
        if response.status != HTTPStatus.OK:
            stream.error = f"status {response.status}"
            return
        unread = b""
        async for sent in response.content.iter_any():
            *events, unread = (unread + sent).split(b"\n\n")
            for event in events:
                if not event.startswith(b":"):  # a heartbeat
                    stream.take(event.decode(), time.perf_counter() - asked)
                    if stream.error:
                        return
    if not stream.status:
        stream.error = "it broke off"


async def drive(url: str, key: str, server: psutil.Process, count: int, per_second: float) -> Load:
    load = Load()
    started = time.perf_counter()
    watching = asyncio.create_task(_watch(server, load))
    client = aiohttp.ClientSession(
        url,
        headers={"Authorization": f"Bearer {key}"},
        timeout=aiohttp.ClientTimeout(total=None, sock_read=SILENCE_S),
        connector=aiohttp.TCPConnector(limit=0),
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
        "different texts": len({"".join(each.drafts) for each in whole}),
        "drafts of a stream, at least": min((len(each.drafts) for each in whole), default=0),
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
    parser.add_argument("--per-second", type=float, default=4, help="streams opened in a second")
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
