"""/v1/tasks: ask, watch, look up, cancel."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse, ServerSentEvent

from serving.api.examples import TASK, TASKS, shown
from serving.api.following import FollowingStream, ended, ended_or_left, events_of, found_task
from serving.api.identity import MayAsk
from serving.api.problems import documented, respond
from serving.api.service import OwnService, Service
from serving.api.wire import Task, TaskPage, TaskRequest, cursor, read_cursor, task_of
from serving.store.tasks import TaskStatus

EVENT_STREAM = "text/event-stream"
CANCEL_WAIT_S = 15.0

TaskId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern="^[ -~]+$",
        description="a repeat with this key begins no new task",
    ),
]
LastEventId = Annotated[
    int | None, Header(ge=0, le=2**31 - 1, description="the last event that arrived")
]

STREAM: dict[str, Any] = {
    EVENT_STREAM: {
        "schema": {"type": "string"},
        "example": 'id: 1\nevent: task\ndata: {"type":"task","task_id":"0f…"}\n\n',
    }
}

router = APIRouter(prefix="/v1/tasks", tags=["tasks"])


@router.post(
    "",
    summary="Ask a question",
    response_model=Task,
    responses={
        200: {
            "description": "How the task ended, or its events",
            **shown(TASK, STREAM),
        },
        202: {"description": "It runs in the background", "model": Task, **shown(TASK)},
        **documented(
            HTTPStatus.CONFLICT,
            HTTPStatus.BAD_GATEWAY,
            HTTPStatus.GATEWAY_TIMEOUT,
        ),
    },
)
async def begin(
    given: TaskRequest,
    request: Request,
    principal: MayAsk,
    service: OwnService,
    idempotency_key: IdempotencyKey = None,
    prefer: Annotated[
        str | None,
        Header(
            max_length=255, pattern="^[ -~]*$", description="respond-async: do not wait for the end"
        ),
    ] = None,
) -> Response:
    """Ask a question.

    With `Accept: text/event-stream` the typed events of the task come as they happen; else its end
    as JSON. A client that leaves cancels the task. With `Prefer: respond-async` the task runs in
    the background, to be followed by its events.
    """
    background = "respond-async" in (prefer or "")
    task_id = await service.runner.begin(
        principal.tenant,
        given.model_dump(mode="json"),
        given.task_input(),
        attached=not background,
        idempotency_key=idempotency_key,
    )
    if not background and EVENT_STREAM in request.headers.get("accept", "").lower():
        return _event_stream(service, principal.tenant, task_id, 0)
    location = {"Location": f"{router.prefix}/{task_id}"}
    if background:
        task = task_of(await found_task(service, principal.tenant, task_id))
        return JSONResponse(task.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers=location)
    await ended_or_left(service, principal.tenant, task_id, request)
    task = task_of(await found_task(service, principal.tenant, task_id))
    if task.error is not None:
        return respond(task.error, location)
    return JSONResponse(task.model_dump(mode="json"), headers=location)


@router.get("", summary="List the tasks", responses={200: shown(TASKS)})
async def page(
    principal: MayAsk,
    service: OwnService,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    after: Annotated[str | None, Query(max_length=200)] = None,
    status: TaskStatus | None = None,
) -> TaskPage:
    """The tenant's tasks, the newest first."""
    position = None if after is None else read_cursor(after)
    found = await service.tasks.page(
        principal.tenant, limit=limit + 1, after=position, status=status
    )
    more = len(found) > limit
    return TaskPage(
        tasks=[task_of(record) for record in found[:limit]],
        next=cursor(found[limit - 1]) if more else None,
    )


@router.get(
    "/{task_id}",
    summary="Look up a task",
    responses={200: shown(TASK), **documented(HTTPStatus.NOT_FOUND)},
)
async def look_up(task_id: TaskId, principal: MayAsk, service: OwnService) -> Task:
    """How it stands: its plan so far lies in its events, its end in it."""
    return task_of(await found_task(service, principal.tenant, task_id))


@router.get(
    "/{task_id}/events",
    summary="Follow a task",
    response_class=EventSourceResponse,
    responses={
        200: {"description": "The events", "content": STREAM},
        **documented(HTTPStatus.NOT_FOUND),
    },
)
async def events(
    task_id: TaskId,
    principal: MayAsk,
    service: OwnService,
    last_event_id: LastEventId = None,
) -> Response:
    """The events of a task, from the first or from after `Last-Event-ID`, and on as they come.

    Events are numbered in order. Pieces of drafts are not kept when the task has ended, which
    leaves gaps; the last event is `end`.
    """
    await found_task(service, principal.tenant, task_id)
    return _event_stream(service, principal.tenant, task_id, last_event_id or 0)


@router.delete(
    "/{task_id}",
    summary="Cancel a task",
    responses={200: shown(TASK), **documented(HTTPStatus.NOT_FOUND)},
)
async def cancel(task_id: TaskId, principal: MayAsk, service: OwnService) -> Task:
    """Cancel a task, wherever it runs; one that has ended stays as it is."""
    record = await found_task(service, principal.tenant, task_id)
    if record.status == "running":
        await service.runner.cancel(record)
        with suppress(TimeoutError):  # then the task tells that it still runs
            async with asyncio.timeout(CANCEL_WAIT_S):
                await ended(service, principal.tenant, task_id)
    return task_of(await found_task(service, principal.tenant, task_id))


def _event_stream(service: Service, tenant: str, task_id: str, after: int) -> FollowingStream:
    return FollowingStream(service, tenant, task_id, _sent(service, tenant, task_id, after))


async def _sent(
    service: Service, tenant: str, task_id: str, after: int
) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(events_of(service, tenant, task_id, after)) as events:
        async for event in events:
            yield ServerSentEvent(event.data, event=event.type, id=str(event.number), sep="\n")
