"""/v1/chat/completions: the agent, and the engine, for OpenAI's clients."""

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from graph.errors import NotFound
from graph.state import AgentInput
from serving.api.chat.completion import ChatCompletion, completion_of
from serving.api.chat.errors import OPENAI_TAG, OpenAIRoute, documented_errors
from serving.api.chat.request import AGENT_MODELS, MAX_ASKED_CHARS, ChatRequest
from serving.api.chat.stream import chunks
from serving.api.engine import EngineCall, engine_call
from serving.api.examples import COMPLETION, shown, streamed
from serving.api.following import FollowingStream, ended_or_left, found_task
from serving.api.identity import MayAsk
from serving.api.routes.tasks import IdempotencyKey
from serving.api.service import OwnService, Service

STREAM = streamed('data: {"object":"chat.completion.chunk","choices":[…]}\n\ndata: [DONE]\n\n')

router = APIRouter(prefix="/v1/chat", tags=[OPENAI_TAG], route_class=OpenAIRoute)


@router.post(
    "/completions",
    summary="Complete a chat",
    response_model=ChatCompletion,
    responses={
        200: {
            "description": "The message, or its chunks",
            **shown(COMPLETION, STREAM),
        },
        **documented_errors(
            HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT
        ),
    },
)
async def complete(
    given: ChatRequest,
    request: Request,
    principal: MayAsk,
    service: OwnService,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """The last message is the question; earlier ones are the conversation, system messages describe
    the reader. The agent's models answer from the documents or refuse, with a citation in
    `annotations` for each mark in the text. Another model's name is the engine's own: it writes
    what it likes. `GET /v1/tasks/{id}` has the rest, by the id behind `chatcmpl-`.
    """
    asked, work = await _work(service, given)
    tenant = principal.tenant
    task_id = await service.runner.begin(
        tenant, asked, work, attached=True, idempotency_key=idempotency_key
    )
    if given.stream:
        drafts = isinstance(work, EngineCall)
        sent = chunks(service, tenant, task_id, given.model, drafts=drafts, usage=given.wants_usage)
        return FollowingStream(service, tenant, task_id, sent)
    await ended_or_left(service, tenant, task_id, request)
    completion = completion_of(await found_task(service, tenant, task_id), given.model)
    return JSONResponse(completion.model_dump(), headers={"Location": f"/v1/tasks/{task_id}"})


async def _work(
    service: Service, given: ChatRequest
) -> tuple[dict[str, Any], AgentInput | EngineCall]:
    """What is remembered of the request, and what is to be done. Raises `NotFound`."""
    if given.model in AGENT_MODELS:
        task_input = given.task_input()
        turns = [turn.model_dump() for turn in task_input["turns"]]
        return {**task_input, "turns": turns}, task_input
    if given.model != (model := await service.engine.name()):
        known = ", ".join([*AGENT_MODELS, model])
        raise NotFound(f"there is no model {given.model!r}; use one of {known}")
    call = await engine_call(
        service.engine,
        service.limits,
        given.prompt(),
        given.most_output_tokens,
        given.sampling(),
    )
    question = given.messages[-1].content[:MAX_ASKED_CHARS]
    return {"question": question, "mode": "engine", "request_sha256": given.digest()}, call
