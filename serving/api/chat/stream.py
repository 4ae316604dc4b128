"""A completion as a stream of chunks. The agent's drafts are not among them: its text comes when
it has been verified. The engine's comes as it is written."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from sse_starlette import ServerSentEvent

from serving.api.chat.completion import ChatCompletion, completion_id, completion_of
from serving.api.chat.errors import OpenAIError
from serving.api.following import events_of, found_task
from serving.api.service import Service


async def chunks(
    service: Service, tenant: str, task_id: str, model: str, *, drafts: bool, usage: bool
) -> AsyncIterator[ServerSentEvent]:
    """With `drafts` pieces are sent as they come, with `usage` a last chunk tells what was used.
    A task that ends without a text ends the stream with an error in OpenAI's shape."""
    record = await found_task(service, tenant, task_id)
    frame = {
        "id": completion_id(task_id),
        "object": "chat.completion.chunk",
        "created": int(record.created_s),
        "model": model,
        **({"usage": None} if usage else {}),
    }
    yield _chunk(frame, {"role": "assistant", "content": ""})
    sent = False
    async with aclosing(events_of(service, tenant, task_id)) as events:
        async for event in events:
            if drafts and event.type == "token":
                sent = True
                yield _chunk(frame, {"content": json.loads(event.data)["text"]})
    try:
        completion = completion_of(await found_task(service, tenant, task_id), model)
    except OpenAIError as error:
        yield _event(error.body.model_dump())
        return
    for chunk in _end(completion, frame, sent):
        yield chunk
    if usage:
        yield _event({**frame, "choices": [], "usage": completion.usage.model_dump()})
    yield ServerSentEvent("[DONE]", sep="\n")


def _end(completion: ChatCompletion, frame: dict[str, Any], sent: bool) -> list[ServerSentEvent]:
    """The text, where it has not been sent in pieces, and why it ends there."""
    [choice] = completion.choices
    message = choice.message.model_dump(include={"content", "annotations"})
    report = {"knowledge_agent": completion.knowledge_agent.model_dump()}
    return [
        *([] if sent else [_chunk(frame, message)]),
        _chunk({**frame, **report}, {}, choice.finish_reason),
    ]


def _chunk(
    frame: dict[str, Any], delta: dict[str, Any], finish_reason: str | None = None
) -> ServerSentEvent:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return _event({**frame, "choices": [choice]})


def _event(body: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(body, ensure_ascii=False), sep="\n")
