"""What arrives of a completion, and what of it is booked."""

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from graph.answer import CallRecord
from graph.ports import ModelRequest
from serving.gateway.server import estimate_tokens


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class Usage(BaseModel):
    """Of the call so far, as the server counts."""

    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _PromptDetails | None = None


class _Delta(BaseModel):
    content: str | None = None


class _Logprobs(BaseModel):
    content: list[Any] | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class Chunk(BaseModel):
    """What is read of OpenAI's `chat.completion.chunk`."""

    choices: list[_Choice] | None = None  # an empty one ends the stream with its usage
    usage: Usage | None = None
    error: Any = None


@dataclass
class Received:
    """What has arrived so far."""

    started_s: float = field(default_factory=time.time)  # since 1970
    began_s: float = field(default_factory=time.perf_counter)
    chunks: int = 0
    pieces: list[str] = field(default_factory=list)
    first_piece_s: float | None = None  # after it began
    model: str | None = None  # that was asked
    usage: Usage | None = None
    finish_reason: str | None = None
    first_token: object = None  # with its log-probabilities, where they were asked for

    def take(self, chunk: Chunk) -> str:
        """The piece of text in a chunk, '' for none."""
        self.chunks += 1
        self.usage = chunk.usage or self.usage
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self.finish_reason = choice.finish_reason or self.finish_reason
        if self.first_token is None and choice.logprobs and choice.logprobs.content:
            self.first_token = choice.logprobs.content[0]
        piece = (choice.delta and choice.delta.content) or ""
        if piece:
            self.pieces.append(piece)
            if self.first_piece_s is None:
                self.first_piece_s = self.seconds
        return piece

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began_s

    def booked(
        self, call_id: str, request: ModelRequest, outcome: Literal["ok", "failed", "cancelled"]
    ) -> CallRecord:
        """The server's own count, or ours where a broken-off stream brought none: vLLM sends a
        token a piece, and a call that brought no piece may not have been worked on at all."""
        if self.usage is not None:
            prompt, output = self.usage.prompt_tokens, self.usage.completion_tokens
            details = self.usage.prompt_tokens_details
            cached = (details and details.cached_tokens) or 0
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
