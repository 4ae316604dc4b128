"""A stand-in for the model server that writes to each stream at a steady pace.

    python -m evals.load.paced_engine --port N --pace-s S --pieces N

It answers with the first passage's prose, in pieces of equal length.
"""

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODEL = "paced"
CONTEXT_TOKENS = 32_768
BACKLOG = 2_048


def make_app(pace_s: float, pieces: int) -> Starlette:
    async def models(request: Request) -> Response:
        model = {"id": MODEL, "owned_by": "vllm", "max_model_len": CONTEXT_TOKENS}
        return JSONResponse({"object": "list", "data": [model]})

    async def tokenize(request: Request) -> Response:
        body = await request.json()
        texts = [message["content"] for message in body.get("messages", [])]
        return JSONResponse({"count": _tokens(body.get("prompt", ""), *texts)})

    async def complete(request: Request) -> Response:
        body = await request.json()
        return StreamingResponse(_stream(body, pace_s, pieces), media_type="text/event-stream")

    return Starlette(
        routes=[
            Route("/v1/models", models),
            Route("/tokenize", tokenize, methods=["POST"]),
            Route("/v1/chat/completions", complete, methods=["POST"]),
        ]
    )


async def _stream(body: dict[str, Any], pace_s: float, pieces: int) -> AsyncIterator[str]:
    prompt = _tokens(*(message["content"] for message in body["messages"]))
    loop = asyncio.get_running_loop()
    due = loop.time()
    written = 0
    for written, piece in enumerate(_cut(_reply(body), pieces), start=1):
        yield _chunk({"delta": {"content": piece}}, prompt, written)
        due += pace_s
        await asyncio.sleep(due - loop.time())
    yield _chunk({"delta": {}, "finish_reason": "stop"}, prompt, written)
    yield "data: [DONE]\n\n"


def _reply(body: dict[str, Any]) -> str:
    """The sentences of the first passage, as it stands in our prompts, without its heading."""
    first = re.search(
        r"\[1\] [^\n]*\n(?:#[^\n]*\n)?(.+?)\n\n(?:\[2\]|Question:)",
        body["messages"][-1]["content"],
        re.DOTALL,
    )
    if first is None:
        return "The passages do not say."
    return " ".join(f"{sentence} [1]" for sentence in re.split(r"(?<=[.!?])\s+", first[1].strip()))


def _cut(text: str, pieces: int) -> list[str]:
    """Into so many, of lengths that differ by one; of a shorter text, into its characters."""
    bounds = [len(text) * number // pieces for number in range(pieces + 1)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


def _tokens(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)


def _chunk(choice: dict[str, Any], prompt: int, output: int) -> str:
    body = {
        "id": "paced",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": None, **choice}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
        },
    }
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pace-s", type=float, required=True)
    parser.add_argument("--pieces", type=int, required=True)
    given = parser.parse_args()
    app = make_app(given.pace_s, given.pieces)
    uvicorn.run(app, port=given.port, log_level="warning", backlog=BACKLOG)
