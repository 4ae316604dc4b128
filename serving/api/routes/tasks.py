"""/v1/tasks: ask, watch, look up, cancel."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse, ServerSentEvent

from serving.api.examples import EVENT_STREAM, TASK, TASKS, shown, streamed
from serving.api.following import (
    FollowingStream,
    cancel_task,
    ended_or_left,
    events_of,
    found_task,
    headers_of,
)
from serving.api.identity import MayAsk
from serving.api.problems import documented, respond
from serving.api.service import OwnService, Service
from serving.api.wire import (
    Approval,
    Task,
    TaskPage,
    TaskRequest,
    cursor,
    read_cursor,
    task_of,
)
from serving.store.reviews import not_awaiting
from serving.store.tasks import TaskStatus

RESPOND_ASYNC = "respond-async"

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
Prefer = Annotated[str | None, Header(description=f"{RESPOND_ASYNC}: do not wait for the end")]
LastEventId = Annotated[
    int | None, Header(ge=0, le=2**31 - 1, description="the last event that arrived")
]

STREAM = streamed('id: 1\nevent: task\ndata: {"type":"task","task_id":"0f…"}\n\n')

RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "How the task ended, or its events", **shown(TASK, STREAM)},
    202: {"description": "It runs in the background", "model": Task, **shown(TASK)},
    **documented(
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.GATEWAY_TIMEOUT,
    ),
}

router = APIRouter(prefix="/v1/tasks", tags=["tasks"])


@router.post("", summary="Ask a question", response_model=Task, responses=RESPONSES)
async def begin(
    given: TaskRequest,
    request: Request,
    principal: MayAsk,
    service: OwnService,
    idempotency_key: IdempotencyKey = None,
    prefer: Prefer = None,
) -> Response:
    """Ask a question.

    With `Accept: text/event-stream` the typed events of the task come as they happen; else its end
    as JSON. A client that leaves cancels the task. With `Prefer: respond-async` the task runs in
    the background, to be followed by its events.

    A question of a `thread` is understood with the thread's last answers; one task of a thread runs
    at a time. With `review: "plan"` the task stops when it has its plan, as `awaiting_review`.
    """
    task_id = await service.runner.begin(
        principal.tenant,
        given.model_dump(mode="json"),
        given.task_input(),
        attached=not _in_background(prefer),
        idempotency_key=idempotency_key,
        thread=given.thread,
    )
    return await _followed(service, principal.tenant, task_id, request, prefer)


@router.post(
    "/{task_id}/plan",
    summary="Approve or edit a plan",
    response_model=Task,
    responses=RESPONSES,
)
async def approve(
    task_id: TaskId,
    given: Approval,
    request: Request,
    principal: MayAsk,
    service: OwnService,
    prefer: Prefer = None,
) -> Response:
    """Approve the plan of a task that awaits its review, or put another one in its place; the task
    goes on, and is answered like a new one. A stream begins with the first event after the review.
    """
    tenant = principal.tenant
    record = await found_task(service, tenant, task_id)
    if record.status != "awaiting_review":
        raise not_awaiting(record.status)
    last = await service.runner.go_on(
        record, given.task_input(record), attached=not _in_background(prefer)
    )
    return await _followed(service, tenant, task_id, request, prefer, after=last)


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
    leaves gaps; the last event is `end`. Those of a task that awaits its review stop at `review`.
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
    await cancel_task(service, await found_task(service, principal.tenant, task_id))
    return task_of(await found_task(service, principal.tenant, task_id))


def _in_background(prefer: str | None) -> bool:
    return RESPOND_ASYNC in (prefer or "")


async def _followed(
    service: Service,
    tenant: str,
    task_id: str,
    request: Request,
    prefer: str | None,
    after: int = 0,
) -> Response:
    """The task as its caller wants it: its events, its end, or that it runs."""
    background = _in_background(prefer)
    if not background and EVENT_STREAM in request.headers.get("accept", "").lower():
        return _event_stream(service, tenant, task_id, after)
    if not background:
        await ended_or_left(service, tenant, task_id, request)
    task = task_of(await found_task(service, tenant, task_id))
    headers = headers_of(task_id, task.trace_id)
    if background:
        return JSONResponse(task.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers=headers)
    if task.error is not None:
        return respond(task.error, headers)
    return JSONResponse(task.model_dump(mode="json"), headers=headers)


def _event_stream(service: Service, tenant: str, task_id: str, after: int) -> FollowingStream:
    return FollowingStream(service, tenant, task_id, _sent(service, tenant, task_id, after))


async def _sent(
    service: Service, tenant: str, task_id: str, after: int
) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(events_of(service, tenant, task_id, after)) as events:
        async for event in events:
            yield ServerSentEvent(event.data, event=event.type, id=str(event.number), sep="\n")
