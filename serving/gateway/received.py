"""What arrives of a completion, and what of it is booked."""

import time
from dataclasses import dataclass, field
from typing import Literal

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata

from graph.answer import CallRecord
from graph.ports import ModelRequest
from serving.gateway.server import estimate_tokens


@dataclass
class Received:
    """What has arrived so far."""

    started_s: float = field(default_factory=time.time)  # since 1970
    began_s: float = field(default_factory=time.perf_counter)
    pieces: list[str] = field(default_factory=list)
    first_piece_s: float | None = None  # after it began
    model: str | None = None  # that was asked
    usage: UsageMetadata | None = None
    finish_reason: str | None = None
    first_token: object = None  # with its log-probabilities, where they were asked for

    def take(self, chunk: AIMessageChunk) -> str:
        piece = chunk.content if isinstance(chunk.content, str) else ""
        if piece:
            self.pieces.append(piece)
            if self.first_piece_s is None:
                self.first_piece_s = self.seconds
        self.usage = chunk.usage_metadata or self.usage
        self.finish_reason = chunk.response_metadata.get("finish_reason") or self.finish_reason
        match chunk.response_metadata.get("logprobs"):
            case {"content": [first, *_]} if self.first_token is None:
                self.first_token = first
        return piece

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began_s

    def booked(
        self, call_id: str, request: ModelRequest, outcome: Literal["ok", "failed", "cancelled"]
    ) -> CallRecord:
        """The server's own count, or ours where a broken-off stream brought none: vLLM sends a
        token a piece, and a call that brought no piece may not have been worked on at all."""
        if self.usage is not None:
            prompt, output = self.usage["input_tokens"], self.usage["output_tokens"]
            cached = self.usage.get("input_token_details", {}).get("cache_read", 0)
        else:
            text = "".join(message.content for message in request.messages)
            prompt = estimate_tokens(text) if self.pieces else 0
            cached, output = 0, len(self.pieces)
        return CallRecord(
            id=call_id,
            node=request.node,
            step=request.step,
            prompt_tokens=prompt,
            cached_tokens=cached,
            output_tokens=output,
            started_s=self.started_s,
            seconds=self.seconds,
            outcome=outcome,
            estimated=self.usage is None,
            model=self.model,
        )
