"""An OpenAI-compatible server that does as it is told: fails, hangs, breaks off, or answers.

A real HTTP server in a thread, so that the real client, its errors and its cancels are tested.
"""

import asyncio
import json
import math
import re
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODEL = "stub-model"
PLAN = {
    "steps": [
        {"action": "answer", "focus": "what the passages say", "after": []},
        {"action": "summarize", "focus": "the answer in short", "after": [1]},
    ]
}


@dataclass
class Fail:
    """Answer with this status; `message` is the server's own words."""

    status: int
    message: str = "told to fail"


class Hang:
    """Accept the call and never say a word."""


class BreakOff:
    """Send half of a text, then close the connection."""


@dataclass
class Say:
    text: str


@dataclass
class Stall:
    """Say this, and then no more, but keep the stream open."""

    text: str


@dataclass
class Odd:
    """Answer 200 with a body that is no stream of completions."""

    body: str


@dataclass
class Choose:
    """Send one token, the likeliest of these, with the log-probability of each."""

    likely: dict[str, float]


Behaviour = Fail | Hang | BreakOff | Say | Stall | Odd | Choose


@dataclass
class StubEngine:
    """`script` is used up call by call; afterwards the stub answers as a good model would:
    a two-step plan where a schema is asked for, else the first sentence of passage 1, cited. Asked
    to choose, it tells the log-odds that `verdict` has for the prompt. A word is a token; `tokens`
    are those of all prompts that it began to answer, and all that it has written."""

    model: str = MODEL
    max_model_len: int = 8_192
    owned_by: str = "vllm"
    verdict: Callable[[str], float] = lambda prompt: 2.0
    hangs_on_look_ups: bool = False
    script: deque[Behaviour] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    open_streams: int = 0
    tokens: int = 0
    url: str = ""

    def start(self) -> None:
        app = Starlette(
            routes=[
                Route("/v1/models", self._models),
                Route("/tokenize", self._tokenize, methods=["POST"]),
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
            ]
        )
        config = uvicorn.Config(
            app, host="127.0.0.1", port=0, log_level="error", log_config=None, lifespan="off"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
            if not self._thread.is_alive():
                raise RuntimeError("the stub engine did not start")
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)

    async def _models(self, request: Request) -> Response:
        if self.hangs_on_look_ups:
            await asyncio.sleep(3_600)
        model = {"id": self.model, "owned_by": self.owned_by, "max_model_len": self.max_model_len}
        return JSONResponse({"object": "list", "data": [model]})

    async def _tokenize(self, request: Request) -> Response:
        body = await request.json()
        texts = [message["content"] for message in body.get("messages", [])]
        return JSONResponse({"count": len(" ".join([body.get("prompt", ""), *texts]).split())})

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.requests.append(body)
        self.headers = dict(request.headers)
        if body["model"] != self.model:
            return JSONResponse({"error": {"message": "no such model"}}, status_code=404)
        behaviour = self.script.popleft() if self.script else self._good(body)
        if isinstance(behaviour, Odd):
            return Response(behaviour.body, media_type="text/event-stream")
        if isinstance(behaviour, Fail):
            error = {"message": behaviour.message, "type": "stub", "code": behaviour.status}
            return JSONResponse({"error": error}, status_code=behaviour.status)
        return StreamingResponse(self._stream(body, behaviour), media_type="text/event-stream")

    def _good(self, body: dict[str, Any]) -> Behaviour:
        if not body.get("logprobs"):
            return Say(_good_reply(body))
        log_odds = self.verdict(body["messages"][-1]["content"])
        yes, no = -math.log1p(math.exp(-log_odds)), -math.log1p(math.exp(log_odds))
        return Choose({"Yes": yes, "No": no})

    async def _stream(self, body: dict[str, Any], behaviour: Behaviour) -> AsyncIterator[str]:
        self.open_streams += 1
        try:
            if isinstance(behaviour, Hang):
                yield ": waiting\n\n"
                await asyncio.sleep(3_600)
            match behaviour:
                case Say(text) | Stall(text):
                    pass
                case _:
                    text = "half of a sentence that"
            words = re.findall(r"\S+\s*", text)
            likely = behaviour.likely if isinstance(behaviour, Choose) else {}
            if likely:
                words = [max(likely, key=lambda token: likely[token])]
            prompt = sum(len(message["content"].split()) for message in body["messages"])
            self.tokens += prompt
            so_far = body.get("stream_options", {}).get("continuous_usage_stats")
            for number, word in enumerate(words, start=1):
                said = {"role": "assistant", "content": word}
                self.tokens += 1
                yield _chunk(
                    {"delta": said, "logprobs": _logprobs(word, likely)},
                    _usage(prompt, number) if so_far else None,
                )
            if isinstance(behaviour, Stall):
                await asyncio.sleep(3_600)
            if isinstance(behaviour, BreakOff):
                raise ConnectionResetError("told to break off")
            yield _chunk({"delta": {}, "finish_reason": "stop"})
            yield _chunk(None, _usage(prompt, len(words)))
            yield "data: [DONE]\n\n"
        finally:
            self.open_streams -= 1


def _chunk(choice: dict[str, Any] | None, usage: dict[str, Any] | None = None) -> str:
    choices = [{"index": 0, "finish_reason": None, **choice}] if choice else []
    body = {
        "id": "stub",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": choices,
        "usage": usage,
    }
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


def _usage(prompt: int, output: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": prompt // 2},
    }


def _logprobs(token: str, likely: dict[str, float]) -> dict[str, Any] | None:
    """As OpenAI's API tells them."""
    top = [{"token": one, "logprob": at, "bytes": []} for one, at in likely.items()]
    first = {"token": token, "logprob": likely.get(token), "bytes": [], "top_logprobs": top}
    return {"content": [first]} if likely else None


def _good_reply(body: dict[str, Any]) -> str:
    if "response_format" in body:
        return json.dumps(PLAN)
    first = re.search(r"\[1\] [^\n]*\n(.+?[.다]\.?)(?=\s|$)", body["messages"][-1]["content"])
    return f"{first[1]} [1]" if first else "The passages do not say."
