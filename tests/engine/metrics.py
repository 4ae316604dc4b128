"""The real server's own counters."""

import asyncio
from urllib.request import urlopen

from serving.engine.state import EngineState

TIMEOUT_S = 5.0


def metric(engine: EngineState, name: str) -> float:
    """The sum of a Prometheus metric over its labels."""
    # Not httpx, which reads all certificates for each call: this is asked 50 times a second.
    with urlopen(engine.root_url + "/metrics", timeout=TIMEOUT_S) as response:
        text = response.read().decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + "{"))


def running(engine: EngineState) -> int:
    """Requests that the server works on right now; it counts a new one at its first step."""
    return int(metric(engine, "vllm:num_requests_running"))


async def nothing_is_generated(engine: EngineState) -> None:
    before = metric(engine, "vllm:generation_tokens_total")
    await asyncio.sleep(1)
    assert metric(engine, "vllm:generation_tokens_total") == before
