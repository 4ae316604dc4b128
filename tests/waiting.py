"""Wait for something that another thread or process does."""

import asyncio
from collections.abc import Callable

PAUSE_S = 0.02


async def until(condition: Callable[[], bool], *, timeout_s: float = 10) -> None:
    for _ in range(int(timeout_s / PAUSE_S)):
        if condition():
            return
        await asyncio.sleep(PAUSE_S)
    raise TimeoutError(f"not so after {timeout_s:g} s")
