"""What happens to tasks, written down: their events as they come, and how they ended."""

import asyncio
import json
import logging
from collections.abc import Sequence

from graph.answer import CallRecord
from graph.errors import StoreUnavailable
from graph.transcript import Transcript
from serving.api.run import Run
from serving.store.events import EventStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import CancelReason, TaskStatus, TaskStore

END_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Between attempts to write down how a task ended; then it stays `running` there until this
instance has ended."""

logger = logging.getLogger(__name__)


class TaskLog:
    def __init__(self, tasks: TaskStore, events: EventStore, reviews: ReviewStore) -> None:
        self._tasks = tasks
        self._events = events
        self._reviews = reviews
        self._saving = asyncio.Lock()

    async def save(self, *runs: Run) -> None:
        """Events that are not kept yet. Raises `StoreUnavailable`; then they are kept next time."""
        async with self._saving:
            new = [(run, events) for run in runs if (events := run.unsaved())]
            await self._events.append({run.task_id: events for run, events in new})
            for run, events in new:
                run.saved(len(events))

    async def end(
        self,
        run: Run,
        transcript: Transcript,
        calls: Sequence[CallRecord],
        *,
        cancelled: CancelReason | None,
        for_review: bool,
    ) -> None:
        """A database that is away is asked again for half a minute. `for_review`: a task that has
        its plan stops there."""
        status: TaskStatus
        if transcript.outcome is not None:
            status, cancelled = transcript.outcome.kind, None
        elif transcript.completion is not None:
            status, cancelled = "completed", None
        elif cancelled:
            status = "cancelled"
        elif for_review and transcript.made is not None and transcript.error is None:
            status = "awaiting_review"
        else:
            status = "failed"
        run.observed.end(status, transcript)
        kind = "review" if status == "awaiting_review" else "end"
        run.add(kind, json.dumps({"status": status, "cancelled": cancelled}))
        result = {**transcript.as_json(), "cancelled": cancelled}
        for pause_s in (*END_PAUSES_S, None):
            try:
                await self.save(run)
                if status == "awaiting_review":
                    await self._reviews.begin(run.task_id, result, calls)
                else:
                    await self._tasks.end(run.task_id, status, result, calls)
                return
            except StoreUnavailable as error:
                logger.warning("the end of the task %s is not written: %s", run.task_id, error)
                if pause_s is not None:
                    await asyncio.sleep(pause_s)
