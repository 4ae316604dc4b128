"""What a server does again and again while it runs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from graph.errors import StoreUnavailable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    work: Callable[[], Awaitable[object]]
    every_s: float


@asynccontextmanager
async def doing(chores: Sequence[Chore]) -> AsyncIterator[None]:
    """While the block runs."""
    working = [asyncio.create_task(_repeat(chore)) for chore in chores]
    try:
        yield
    finally:
        for each in working:
            each.cancel()
        await asyncio.wait(working)


async def _repeat(chore: Chore) -> None:
    """A database that is away for a while ends no chore, and neither does a defect."""
    while True:
        await asyncio.sleep(chore.every_s)
        try:
            await chore.work()
        except StoreUnavailable as error:
            logger.warning("%s", error)
        except Exception:
            logger.exception("a chore met a defect")
