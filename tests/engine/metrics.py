"""The real server's own counters."""

import httpx

from serving.engine.state import EngineState

TIMEOUT_S = 30.0


def metric(engine: EngineState, name: str) -> float:
    """The sum of a Prometheus metric over its labels."""
    text = httpx.get(engine.root_url + "/metrics", timeout=TIMEOUT_S).text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + "{"))
