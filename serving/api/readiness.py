"""What `/readyz` looks at: the parts that a task needs, asked now and all at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from graph.errors import AgentError

ANSWER_S = 5.0
"""A part that takes longer is not there."""

Ask = Callable[[], Awaitable[object]]
"""Raises an `AgentError` where the part cannot do its work."""


class Parts:
    """Implements `serving.api.service.Health`."""

    def __init__(self, asks: Mapping[str, Ask]) -> None:
        self._asks = asks

    async def checks(self) -> dict[str, str | None]:
        lacks = await asyncio.gather(*map(_lack, self._asks.values()))
        return dict(zip(self._asks, lacks, strict=True))


async def _lack(ask: Ask) -> str | None:
    try:
        async with asyncio.timeout(ANSWER_S):
            await ask()
    except AgentError as error:
        return str(error)
    except TimeoutError:
        return f"no answer within {ANSWER_S:g} s"
    return None
