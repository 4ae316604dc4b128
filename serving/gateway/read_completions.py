"""Stands below `ChatOpenAI` in the place of the OpenAI client's completions; reads what is sent.

The models that the OpenAI client and langchain_core make of each chunk would take most of the
processor time of a stream. langchain_core is given two chunks alone: the first piece, and all
the rest. So its traces have the time to the first token, the text and the server's last count.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Self

from openai import AsyncOpenAI, AsyncStream

from serving.gateway.received import Received, Usage


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
        return ReadStream(stream, self._received, self._on_draft)


class ReadStream:
    """Its block ends the connection."""

    def __init__(
        self, stream: AsyncStream[object], received: Received, on_draft: Callable[[str], None]
    ) -> None:
        self._stream = stream
        self._received = received
        self._on_draft = on_draft

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.close()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        """Raises ValueError for a chunk that is none."""
        received, told = self._received, ""
        async for sent in self._stream:
            if piece := received.take(sent):
                self._on_draft(piece)
                if not told:
                    told = piece
                    yield _chunk(told)
        if received.chunks:
            rest = received.text.removeprefix(told)
            yield _chunk(rest, received.finish_reason, received.usage)


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
