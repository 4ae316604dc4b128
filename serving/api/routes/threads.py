"""/v1/threads: questions that follow up on one another."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from graph.errors import NotFound
from serving.api.following import cancel_task
from serving.api.identity import MayAsk
from serving.api.problems import documented
from serving.api.service import OwnService
from serving.api.wire import cursor, read_cursor, task_of
from serving.api.wire_threads import Thread, ThreadPage, ThreadWithTasks, thread_of

ThreadId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Limit = Annotated[int, Query(ge=1, le=100)]
After = Annotated[str | None, Query(max_length=200)]

NO_THREAD = "there is no such thread"

router = APIRouter(prefix="/v1/threads", tags=["threads"])


@router.post("", summary="Begin a thread", status_code=HTTPStatus.CREATED)
async def make(principal: MayAsk, service: OwnService, response: Response) -> Thread:
    """A new thread. Ask its questions with `POST /v1/tasks` and `thread`."""
    thread = thread_of(await service.threads.make(principal.tenant))
    response.headers["Location"] = f"{router.prefix}/{thread.id}"
    return thread


@router.get("", summary="List the threads")
async def page(
    principal: MayAsk, service: OwnService, limit: Limit = 20, after: After = None
) -> ThreadPage:
    """The tenant's threads, the newest first."""
    position = None if after is None else read_cursor(after)
    found = await service.threads.page(principal.tenant, limit=limit + 1, after=position)
    return ThreadPage(
        threads=[thread_of(record) for record in found[:limit]],
        next=cursor(found[limit - 1]) if len(found) > limit else None,
    )


@router.get("/{thread_id}", summary="Read a thread", responses=documented(HTTPStatus.NOT_FOUND))
async def look_up(
    thread_id: ThreadId,
    principal: MayAsk,
    service: OwnService,
    limit: Limit = 20,
    after: After = None,
) -> ThreadWithTasks:
    """A thread and its tasks, the oldest first, in pages."""
    thread = await service.threads.find(principal.tenant, thread_id)
    if thread is None:
        raise NotFound(NO_THREAD)
    position = None if after is None else read_cursor(after)
    found = await service.tasks.of_thread(
        principal.tenant, thread_id, limit=limit + 1, after=position
    )
    return ThreadWithTasks(
        **thread_of(thread).model_dump(),
        tasks=[task_of(record) for record in found[:limit]],
        next=cursor(found[limit - 1]) if len(found) > limit else None,
    )


@router.delete(
    "/{thread_id}",
    summary="Delete a thread",
    status_code=HTTPStatus.NO_CONTENT,
    responses=documented(HTTPStatus.NOT_FOUND),
)
async def delete(thread_id: ThreadId, principal: MayAsk, service: OwnService) -> None:
    """Delete a thread with its tasks and their events; one that runs is cancelled. What they used
    still counts."""
    if not await service.threads.delete(principal.tenant, thread_id):
        raise NotFound(NO_THREAD)
    if task := await service.tasks.open_in(principal.tenant, thread_id):
        await cancel_task(service, task)
    await service.retention.drop_thread(thread_id)
