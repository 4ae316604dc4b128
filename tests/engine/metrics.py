"""The real server's own counters."""

import asyncio

from evals.load.cancels import metric, written


def finished(engine: str) -> int:
    """Requests that the server wrote to their end; one that was broken off is not among them."""
    return int(metric(engine, "vllm:request_success_total"))


async def nothing_is_generated(engine: str) -> None:
    before = written(engine)
    await asyncio.sleep(1)
    assert written(engine) == before
