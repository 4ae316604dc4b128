"""Stands below `ChatOpenAI` in the place of the OpenAI client's completions; reads what is sent.

What the OpenAI client and langchain_core make of each chunk would take most of the processor time
of a stream, so the response is read here. langchain_core is given two chunks alone: the first
piece, and all the rest. So its traces have the time to the first token, the text and the server's
last count.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, Self

import httpx2
from openai import APIError, AsyncOpenAI, AsyncStream

from serving.gateway.received import Chunk, Received, Usage

MAX_EVENT_BYTES = 2**20
DRAIN_S = 1.0
"""For the end of the response behind the last event: then its connection can be used again."""

_LINE_END = re.compile(rb"\r\n|\n|\r")


class ReadCompletions:
    """Of one call: `received` takes each chunk, `on_draft` each piece of text."""

    def __init__(
        self, client: AsyncOpenAI, received: Received, on_draft: Callable[[str], None] | None
    ) -> None:
        self._client = client
        self._received = received
        self._on_draft = on_draft or (lambda piece: None)

    async def create(self, *, extra_body: Mapping[str, Any], **body: Any) -> "ReadStream":
        stream = await self._client.post(
            "/chat/completions",
            cast_to=object,
            body={**body, **extra_body},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        return ReadStream(stream.response, self._received, self._on_draft)


class ReadStream:
    """Its block ends the response."""

    def __init__(
        self, response: httpx2.Response, received: Received, on_draft: Callable[[str], None]
    ) -> None:
        self._response = response
        self._received = received
        self._on_draft = on_draft

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._response.aclose()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        """Raises `openai.APIError` for an error that the server tells, `httpx2.TransportError`, and
        ValueError for a chunk that is none."""
        received, told = self._received, ""
        sent = self._response.aiter_bytes()
        async with aclosing(event_data(sent)) as events:
            async for data in events:
                if data.startswith(b"[DONE]"):
                    break
                if piece := received.take(self._chunk(data)):
                    self._on_draft(piece)
                    if not told:
                        told = piece
                        yield _chunk(told)
        await _drain(sent)
        if received.chunks:
            rest = received.text.removeprefix(told)
            yield _chunk(rest, received.finish_reason, received.usage)

    def _chunk(self, data: bytes) -> Chunk:
        chunk = Chunk.model_validate_json(data)
        if error := chunk.error:
            message = isinstance(error, Mapping) and error.get("message")
            raise APIError(str(message or error), self._response.request, body=error)
        if chunk.choices is None:
            raise ValueError("a chunk has no choices")
        return chunk


async def event_data(sent: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each event in a stream of server-sent events. Raises ValueError where one has
    over `MAX_EVENT_BYTES` and no end yet."""
    unread, lines_of_data, half_end = b"", list[bytes](), False
    async for piece in sent:
        rest = piece.removeprefix(b"\n") if half_end else piece
        half_end = piece.endswith(b"\r")
        *lines, unread = _LINE_END.split(unread + rest)
        for line in lines:
            if line.startswith(b"data:"):
                lines_of_data.append(line[len(b"data:") :].removeprefix(b" "))
            elif not line and lines_of_data:
                yield b"\n".join(lines_of_data)
                lines_of_data.clear()
        if len(unread) + sum(map(len, lines_of_data)) > MAX_EVENT_BYTES:
            raise ValueError(f"an event has over {MAX_EVENT_BYTES:,} bytes and no end")


async def _drain(sent: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError, httpx2.TransportError):
        async with asyncio.timeout(DRAIN_S):
            async for _ in sent:
                pass


def _chunk(
    text: str, finish_reason: str | None = None, usage: Usage | None = None
) -> dict[str, Any]:
    delta = {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "object": "chat.completion.chunk",
        "choices": [choice],
        "usage": usage and usage.model_dump(),
    }
