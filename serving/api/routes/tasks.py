"""/v1/tasks: ask, watch, look up, cancel."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack, aclosing, nullcontext, suppress
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from graph.errors import NotFound
from serving.api.identity import MayAsk, Principal
from serving.api.problems import documented, respond
from serving.api.service import OwnService, Service
from serving.api.wire import Task, TaskPage, TaskRequest, cursor, read_cursor, task_of
from serving.store.events import NumberedEvent
from serving.store.tasks import TaskRecord, TaskStatus

EVENT_STREAM = "text/event-stream"
PING_S = 10
SEND_TIMEOUT_S = 30.0
"""A client that takes nothing for so long is gone."""

CANCEL_WAIT_S = 15.0
POLL_S = 0.3
"""For the events of a task that another instance runs."""

INTERRUPTED = json.dumps({"status": "interrupted", "cancelled": None})

TaskId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=255, description="a repeat with this key begins no new task"),
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
    response_model=Task,
    responses={
        200: {"description": "How the task ended, or its events", "content": STREAM},
        202: {"description": "It runs in the background", "model": Task},
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
        str | None, Header(description="respond-async: do not wait for the end")
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
        return _EventStream(service, principal.tenant, task_id, 0)
    if not background:
        await _ended_or_left(service, principal.tenant, task_id, request)
    task = task_of(await _found(service, principal, task_id))
    headers = _headers(task_id, task.trace_id)
    if background:
        return JSONResponse(task.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers=headers)
    if task.error is not None:
        return respond(task.error, headers)
    return JSONResponse(task.model_dump(mode="json"), headers=headers)


@router.get("", responses=documented(HTTPStatus.NOT_FOUND))
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


@router.get("/{task_id}", responses=documented(HTTPStatus.NOT_FOUND))
async def look_up(task_id: TaskId, principal: MayAsk, service: OwnService) -> Task:
    return task_of(await _found(service, principal, task_id))


@router.get(
    "/{task_id}/events",
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
    await _found(service, principal, task_id)
    return _EventStream(service, principal.tenant, task_id, last_event_id or 0)


@router.delete("/{task_id}", responses=documented(HTTPStatus.NOT_FOUND))
async def cancel(task_id: TaskId, principal: MayAsk, service: OwnService) -> Task:
    """Cancel a task, wherever it runs; one that has ended stays as it is."""
    record = await _found(service, principal, task_id)
    if record.status == "running":
        await service.runner.cancel(record)
        with suppress(TimeoutError):  # then the task tells that it still runs
            async with asyncio.timeout(CANCEL_WAIT_S):
                await _ended(service, principal.tenant, task_id)
    return task_of(await _found(service, principal, task_id))


async def _found(service: Service, principal: Principal, task_id: str) -> TaskRecord:
    record = await service.tasks.find(principal.tenant, task_id)
    if record is None:
        raise NotFound("there is no such task")
    return record


def _headers(task_id: str, trace_id: str | None) -> dict[str, str]:
    trace = {"Trace-Id": trace_id} if trace_id else {}
    return {"Location": f"{router.prefix}/{task_id}", **trace}


class _EventStream(EventSourceResponse):
    """Whoever is sent it follows the task, from now until it has ended or the client has left."""

    def __init__(self, service: Service, tenant: str, task_id: str, after: int) -> None:
        self._following = ExitStack()
        run = service.runner.run(tenant, task_id)
        if run is not None:
            self._following.enter_context(run.followed())
        super().__init__(
            _sent(service, tenant, task_id, after),
            headers=_headers(task_id, run.observed.trace_id if run else None),
            ping=PING_S,
            send_timeout=SEND_TIMEOUT_S,
            sep="\n",
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._following:
            await super().__call__(scope, receive, send)


async def _sent(
    service: Service, tenant: str, task_id: str, after: int
) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(_events(service, tenant, task_id, after)) as events:
        async for event in events:
            yield ServerSentEvent(event.data, event=event.type, id=str(event.number), sep="\n")


async def _events(
    service: Service, tenant: str, task_id: str, after: int
) -> AsyncGenerator[NumberedEvent, None]:
    """From this process where it runs here, else from the database."""
    if run := service.runner.run(tenant, task_id):
        async with aclosing(run.events(after)) as events:
            async for event in events:
                yield event
        return
    while True:
        record = await service.tasks.find(tenant, task_id)
        while page := await service.events.after(task_id, after):
            for event in page:
                yield event
            after = page[-1].number
        if record is None or record.status != "running":
            if record is not None and record.status == "interrupted":
                yield NumberedEvent(after + 1, "end", INTERRUPTED)  # who ran it wrote no end
            return
        await asyncio.sleep(POLL_S)


async def _ended(service: Service, tenant: str, task_id: str) -> None:
    async with aclosing(_events(service, tenant, task_id, 0)) as events:
        async for _ in events:
            pass


async def _ended_or_left(service: Service, tenant: str, task_id: str, request: Request) -> None:
    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    run = service.runner.run(tenant, task_id)
    with run.followed() if run else nullcontext():
        waiting = [
            asyncio.create_task(_ended(service, tenant, task_id)),
            asyncio.create_task(left()),
        ]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
