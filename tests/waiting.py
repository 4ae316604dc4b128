"""Wait for something that another thread or process does."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PAUSE_S = 0.02


async def until(condition: Callable[[], bool], *, timeout_s: float = 10) -> None:
    """Ask `condition`, in a thread since it may block, until it holds or the seconds are over."""
    deadline = time.monotonic() + timeout_s
    while not await asyncio.to_thread(condition):
        await asyncio.sleep(PAUSE_S)
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so after {timeout_s:g} s")


async def until_async(condition: Callable[[], Awaitable[bool]], *, timeout_s: float = 10) -> None:
    """The same for a condition that has to be awaited."""
    async with asyncio.timeout(timeout_s):
        while not await condition():  # noqa: ASYNC110  # nobody sets an event
            await asyncio.sleep(PAUSE_S)
