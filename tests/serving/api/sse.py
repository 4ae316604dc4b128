"""Server-sent events as a client reads them."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Received:
    id: int
    type: str
    data: dict[str, Any]


async def received(response: httpx.Response) -> AsyncIterator[Received]:
    assert response.headers["content-type"].startswith("text/event-stream")
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Received(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}
