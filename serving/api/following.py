"""Follow a task to its end, wherever it runs; whoever leaves before may end it."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack, aclosing, nullcontext, suppress

from fastapi import Request
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Message, Receive, Scope, Send

from graph.errors import NotFound
from serving.api.service import Service
from serving.store.events import NumberedEvent
from serving.store.tasks import TaskRecord

PING_S = 15
CANCEL_WAIT_S = 15.0
POLL_S = 0.3
"""For the events of a task that another instance runs."""

MAX_NUMBER = 2**31 - 1

INTERRUPTED = json.dumps({"status": "interrupted", "cancelled": None})


async def found_task(service: Service, tenant: str, task_id: str) -> TaskRecord:
    """Raises `NotFound`, also for the task of another tenant."""
    record = await service.tasks.find(tenant, task_id)
    if record is None:
        raise NotFound("there is no such task")
    return record


def headers_of(task_id: str, trace_id: str | None) -> dict[str, str]:
    trace = {"Trace-Id": trace_id} if trace_id else {}
    return {"Location": f"/v1/tasks/{task_id}", **trace}


class FollowingStream(EventSourceResponse):
    """Whoever is sent it follows the task, from now until it has ended or the client has left."""

    def __init__(
        self, service: Service, tenant: str, task_id: str, content: AsyncIterator[ServerSentEvent]
    ) -> None:
        self._following = ExitStack()
        run = service.runner.run(tenant, task_id)
        if run is not None:
            self._following.enter_context(run.followed())
        super().__init__(
            content,
            headers=headers_of(task_id, run.observed.trace_id if run else None),
            ping=PING_S,
            sep="\n",
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._following:
            await super().__call__(scope, receive, send)

    async def _send_with_timeout(self, send: Send, message: Message) -> None:
        """Without the time limit of its own that a message has in sse_starlette, a third of what it
        takes: the connection breaks off clients that take nothing (`serving.api.connection`)."""
        await send(message)


async def events_of(
    service: Service, tenant: str, task_id: str, after: int = 0
) -> AsyncGenerator[NumberedEvent, None]:
    """From this process where it runs here, else from the database; its end is written down when
    they are over."""
    if run := service.runner.run(tenant, task_id):
        if after < run.earlier:
            async for event in _kept(service, task_id, after, run.earlier):
                yield event
        async with aclosing(run.events(after)) as events:
            async for event in events:
                yield event
        return
    while True:
        record = await service.tasks.find(tenant, task_id)
        async for event in _kept(service, task_id, after):
            yield event
            after = event.number
        if record is None or record.status != "running":
            if record is not None and record.status == "interrupted":
                yield NumberedEvent(after + 1, "end", INTERRUPTED)  # who ran it wrote no end
            return
        await asyncio.sleep(POLL_S)


async def _kept(
    service: Service, task_id: str, after: int, last: int = MAX_NUMBER
) -> AsyncGenerator[NumberedEvent, None]:
    while page := await service.events.after(task_id, after):
        for event in page:
            if event.number > last:
                return
            yield event
        after = page[-1].number


async def ended(service: Service, tenant: str, task_id: str) -> None:
    async with aclosing(events_of(service, tenant, task_id)) as events:
        async for _ in events:
            pass


async def cancel_task(service: Service, task: TaskRecord) -> None:
    """Wherever it runs or waits; one that takes long to end still runs afterwards."""
    if task.status == "running":
        await service.runner.cancel(task)
        with suppress(TimeoutError):
            async with asyncio.timeout(CANCEL_WAIT_S):
                await ended(service, task.tenant, task.id)
    await service.reviews.cancel(task.tenant, task.id)  # it may have stopped for its review


async def ended_or_left(service: Service, tenant: str, task_id: str, request: Request) -> None:
    """Until the task has ended or the client of this request has left."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    run = service.runner.run(tenant, task_id)
    with run.followed() if run else nullcontext():
        waiting = [
            asyncio.create_task(ended(service, tenant, task_id)),
            asyncio.create_task(left()),
        ]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
