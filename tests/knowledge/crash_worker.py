"""Ingests in processes of their own, which can be killed."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, get_args
from unittest.mock import patch

from graph.errors import AgentError
from knowledge.index import VectorIndex
from knowledge.report import Progress
from knowledge.store import IndexAddress
from knowledge.vector_cache import VectorCache
from tests.knowledge.dump import Dump, dump
from tests.knowledge.processes import receive, working
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

Phase = Literal["opening", "reading", "embedding", "storing", "closing"]
PHASES: Sequence[Phase] = get_args(Phase)

_ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Job:
    folder: Path
    address: IndexAddress
    rebuild: bool = False
    reads_apart: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """`seconds` are those of each phase; `dump` is None where `error`, the one line that a user
    sees, ended the ingest."""

    seconds: dict[Phase, float]
    dump: Dump | None
    error: str | None = None


def finish(job: Job) -> Finished:
    """Ingest in peace."""
    with working(_work, job) as (_, events):
        while not isinstance(event := receive(events), Finished):
            continue
    return event


def kill(job: Job, phase: Phase, after_s: float) -> Phase | None:
    """Kill an ingest so long after `phase` began. Returns the phase that it was in at its end;
    None where it had finished before."""
    with working(_work, job) as (process, events):
        last = None
        while last not in (phase, _ENDED):
            last = receive(events)
        time.sleep(after_s)
        process.kill()
        process.join()
        with suppress(EOFError):
            while last != _ENDED:
                last = events.recv()
    return last if last in PHASES else None


def _work(events: Connection, job: Job) -> None:
    began: dict[Phase, float] = {}

    def enter(phase: Phase) -> None:
        if phase not in began:
            began[phase] = time.perf_counter()
            events.send(phase)

    def on_progress(progress: Progress) -> None:
        if progress.phase == "read":
            enter("embedding" if progress.done == progress.total else "reading")

    enter("opening")
    content, error = None, None
    with (
        _told(VectorIndex, "upsert", lambda: enter("storing")),
        _told(VectorCache, "has_too_many", lambda: enter("closing")),
    ):
        try:
            sync(
                job.folder,
                job.address,
                WordsEmbedder(),
                rebuild=job.rebuild,
                reads_apart=job.reads_apart,
                on_progress=on_progress,
            )
        except AgentError as told:
            error = str(told)
    times = [*began.values(), time.perf_counter()]
    seconds = {
        phase: ended - start for phase, (start, ended) in zip(began, pairwise(times), strict=True)
    }
    events.send(_ENDED)
    if error is None:
        content = dump(job.address)
    events.send(Finished(seconds, content, error))


@contextmanager
def _told(owner: type, method: str, tell: Callable[[], None]) -> Iterator[None]:
    """Calls of the method are told first."""
    original = getattr(owner, method)

    def call(*args: object) -> object:
        tell()
        return original(*args)

    with patch.object(owner, method, call):
        yield
