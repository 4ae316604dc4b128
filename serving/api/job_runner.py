"""Runs jobs: each makes a tenant's index equal to the documents that it has uploaded."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict
from threading import Event, Thread
from typing import Any

from graph.errors import AgentError, IndexLocked, StoreUnavailable
from knowledge.ingest import OnProgress
from knowledge.report import IngestReport, Progress
from serving.store.instances import BEAT_S
from serving.store.jobs import JobRecord, JobStore

LOOK_S = 2.0
"""How often jobs are looked for that another instance has taken in, or left."""

TELL_S = 0.5
STOP_S = 20.0
"""For an ingest to come to a place where it can end; then it ends with the process, which it is
made to bear."""

LOCKED_S = 600.0
LOCKED_PAUSE_S = 2.0
"""An index that another process holds is tried again for so long, and with such pauses."""

END_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)

MAX_TOLD = 1_000
"""Files in the result of a job."""

logger = logging.getLogger(__name__)

Index = Callable[[str, OnProgress], IngestReport]
"""Blocking; of a tenant's documents. Ends with what `on_progress` raises."""


class Stopped(Exception):
    """Raised in an ingest that is to end before its time."""


class JobRunner:
    """`at_once` jobs run at the same time, each in a thread: with the embedded index only the
    process that searches it may also write it."""

    def __init__(self, jobs: JobStore, index: Index, at_once: int) -> None:
        self._jobs = jobs
        self._index = index
        self._at_once = at_once
        self._running: set[asyncio.Task[None]] = set()
        self._more = asyncio.Event()
        self._stop = Event()

    async def begin(self, tenant: str) -> JobRecord:
        """A job that sees the documents as they are now, or newer."""
        job = await self._jobs.add(tenant)
        self._more.set()
        return job

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """While the block runs, jobs run; at its end those that do not end are handed over."""
        chores = [
            asyncio.create_task(self._take_up()),
            asyncio.create_task(self._tend()),
        ]
        try:
            yield
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.wait(chores)
            self._stop.set()
            if self._running:
                await asyncio.wait(self._running)

    async def _take_up(self) -> None:
        while True:
            self._more.clear()
            with _outages_told():
                while len(self._running) < self._at_once and (job := await self._jobs.claim()):
                    task = asyncio.create_task(self._run(job))
                    self._running.add(task)
                    task.add_done_callback(self._ended)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._more.wait()

    async def _tend(self) -> None:
        while True:
            with _outages_told():
                await self._jobs.end_orphans()
            self._more.set()
            await asyncio.sleep(BEAT_S)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._more.set()

    async def _run(self, job: JobRecord) -> None:
        work = _Work(self._index, job.tenant, self._stop)
        told: Progress | None = None
        while not await work.ended_within(TELL_S):
            if self._stop.is_set() and await work.ended_within(STOP_S):
                break
            if self._stop.is_set():
                logger.warning("the job %s does not stop; it is left to the next start", job.id)
                break
            if work.progress not in (None, told):
                told = work.progress
                with _outages_told():
                    await self._jobs.tell(job.id, asdict(told))
        await self._write_end(job, work)

    async def _write_end(self, job: JobRecord, work: "_Work") -> None:
        try:
            report = work.result()
        except Stopped:
            await _tried(lambda: self._jobs.hand_over(job))
            return
        except AgentError as error:
            logger.warning("the job %s failed: %s", job.id, error)
            result = {"error": type(error).__name__, "message": str(error)}
            await _tried(lambda: self._jobs.end(job, "failed", result))
            return
        except Exception:
            logger.exception("the job %s met a defect", job.id)
            defect = {"error": "Defect", "message": "a defect of this server; its log has more"}
            await _tried(lambda: self._jobs.end(job, "failed", defect))
            return
        await _tried(
            lambda: self._jobs.end(job, "failed" if _lacks(report) else "done", job_result(report))
        )


class _Work:
    """An ingest in a thread of its own. Not of a pool: what hangs must not hold up the end of the
    process."""

    def __init__(self, index: Index, tenant: str, stop: Event) -> None:
        self.progress: Progress | None = None
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[IngestReport] = self._loop.create_future()
        Thread(target=self._work, args=(index, tenant), name="job", daemon=True).start()

    async def ended_within(self, seconds: float) -> bool:
        await asyncio.wait([self._done], timeout=seconds)
        return self._done.done()

    def result(self) -> IngestReport:
        """Raises what the ingest has raised, and `Stopped` where it still runs."""
        if not self._done.done():
            raise Stopped
        return self._done.result()

    def _work(self, index: Index, tenant: str) -> None:
        try:
            report = self._index_when_free(index, tenant)
        except BaseException as error:  # noqa: BLE001  raised where the result is awaited
            self._tell(self._done.set_exception, error)
        else:
            self._tell(self._done.set_result, report)

    def _index_when_free(self, index: Index, tenant: str) -> IngestReport:
        waits_until_s = time.monotonic() + LOCKED_S
        while True:
            try:
                return index(tenant, self._take)
            except IndexLocked:
                if time.monotonic() > waits_until_s:
                    raise
            if self._stop.wait(LOCKED_PAUSE_S):
                raise Stopped

    def _take(self, progress: Progress) -> None:
        self.progress = progress
        if self._stop.is_set():
            raise Stopped

    def _tell(self, settle: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the process ends, and nobody waits any more
            self._loop.call_soon_threadsafe(settle, value)


def _lacks(report: IngestReport) -> bool:
    return bool(report.vectors_missing or report.embedder_error or not report.in_use)


def job_result(report: IngestReport) -> Mapping[str, Any]:
    """What is kept of a report: files that are unchanged are left out."""
    changed = [asdict(file) for file in report.files if file.status != "unchanged"]
    result: dict[str, Any] = {
        "files": changed[:MAX_TOLD],
        "files_left_out": len(changed[MAX_TOLD:]),
        "documents": report.documents,
        "passages": report.passages,
        "seconds": report.seconds,
    }
    if _lacks(report):
        result["error"] = "EmbedderUnavailable"
        result["message"] = (
            f"{report.vectors_missing} passages have no vector yet and are found by words alone, "
            "or the gate is not calibrated for the documents as they are; the next upload "
            f"completes them. Cause: {report.embedder_error}"
        )
    return result


@contextmanager
def _outages_told() -> Iterator[None]:
    """A database that is away for a while ends no chore."""
    try:
        yield
    except StoreUnavailable as error:
        logger.warning("%s", error)


async def _tried(write: Callable[[], Awaitable[None]]) -> None:
    """Where the database stays away, the job stays `running` there until this instance is gone."""
    for pause_s in END_PAUSES_S:
        try:
            await write()
            return
        except StoreUnavailable as error:
            logger.warning("how a job ended is not written: %s", error)
            await asyncio.sleep(pause_s)
