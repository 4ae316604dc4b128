"""How far long work is: a bar where stderr is a terminal, else a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from knowledge.report import Phase
from knowledge.report import Progress as Done

OnProgress = Callable[[Done], None]

PHASES: dict[Phase, str] = {
    "read": "reading files",
    "embed": "embedding",
    "calibrate": "calibrating the gate",
    "verdict": "asking the model twice a question",
}
ESTIMATED_OVER_S = 120.0
"""The time left follows the pace of these last seconds: passages differ in length."""

LINE_EVERY_S = 10.0


@contextmanager
def no_progress() -> Iterator[OnProgress]:
    yield lambda done: None


@contextmanager
def shown_progress() -> Iterator[OnProgress]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield progress_lines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bars = Progress(
        *columns, console=console, transient=True, speed_estimate_period=ESTIMATED_OVER_S
    )
    phases = _Phases(bars)

    def show(done: Done) -> None:
        phases.update(done)

    with bars:
        yield show


def progress_lines(clock: Callable[[], float] = time.monotonic) -> OnProgress:
    """Prints to stderr every `LINE_EVERY_S`: work that is shorter prints nothing."""
    started = said = clock()
    # Never started, so it draws nothing: it makes the estimates.
    phases = _Phases(Progress(get_time=clock, speed_estimate_period=ESTIMATED_OVER_S))

    def show(done: Done) -> None:
        nonlocal said
        task = phases.update(done)
        if clock() - said < LINE_EVERY_S:
            return
        said = clock()
        left = task.time_remaining
        estimate = f", {timedelta(seconds=int(left))} left" if left is not None else ""
        print(
            f"[{said - started:4.0f} s] {task.description}: {done.done:,} of {done.total:,}"
            + estimate,
            file=sys.stderr,
            flush=True,
        )

    return show


class _Phases:
    """A task of rich's for each phase."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[Phase, TaskID] = {}

    def update(self, done: Done) -> Task:
        if done.phase not in self._tasks:
            self._tasks[done.phase] = self._bars.add_task(
                PHASES[done.phase], completed=done.done, total=done.total
            )
        task = self._tasks[done.phase]
        self._bars.update(task, completed=done.done, total=done.total)
        return next(known for known in self._bars.tasks if known.id == task)
