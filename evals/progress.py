"""How far a run is, on stderr: a bar on a terminal, else a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evals.outcomes import Record

LINE_EVERY_S = 10.0


@contextmanager
def shown_progress(name: str, console: Console) -> Iterator[Callable[[Record, int], None]]:
    """What it yields is called after each sample, with the number of all."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[errors]} errors"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bars.add_task(name, total=None, errors=0)
    done = errors = 0
    said = 0.0

    def on_done(record: Record, total: int) -> None:
        nonlocal done, errors, said
        if not done:  # not before: a target that is being opened has a display of its own
            bars.start()
            said = time.monotonic()
        done, errors = done + 1, errors + (record.error is not None)
        bars.update(task, completed=done, total=total, errors=errors)
        if not console.is_terminal and time.monotonic() - said >= LINE_EVERY_S:
            said = time.monotonic()
            console.print(f"{name}: {done:,} of {total:,}, {errors} errors")

    try:
        yield on_done
    finally:
        bars.stop()
