"""A run as the command line orders it: samples, outcomes, figures, gates, report."""

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from evals.gates import GATES, check_names, judge, read_gates
from evals.progress import shown_progress
from evals.report import Report, write_report
from evals.runner import Limits, run
from evals.sampling import stratified
from evals.statistics import figures
from evals.suite import Options, Suite
from graph.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Order:
    suite: Suite
    options: Options
    folder: Path
    limit: int | None
    seed: int
    limits: Limits
    gates: Path | None


def run_order(order: Order, console: Console) -> Report:
    """Raises `ConfigError` where the gates or the options cannot be used, or another run writes to
    the folder; and what the suite's target raises when it opens."""
    started, clock = datetime.now(UTC), time.monotonic()
    suite, options = order.suite, order.options
    gates = read_gates(order.gates or GATES).get(suite.name, ())
    check_names(gates, suite)
    samples = suite.dataset(options)
    if order.limit is not None:
        samples = stratified(samples, order.limit, order.seed)
    order.folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            FileLock(order.folder / "run.lock", timeout=0),
            shown_progress(suite.name, console) as on_done,
        ):
            done = asyncio.run(run(suite, samples, options, order.folder, order.limits, on_done))
            found = tuple(figures(suite.metrics, done.results))
            report = Report(
                suite=suite,
                run=done,
                figures=found,
                verdict=judge(gates, done.results, found, engine=options.engine),
                asked_for={
                    "limit": order.limit,
                    "seed": order.seed,
                    "engine": options.engine,
                    "corpora": ", ".join(options.corpora) or "all",
                },
                started=started.isoformat(" ", "seconds"),
                seconds=time.monotonic() - clock,
            )
            write_report(order.folder, report)
            return report
    except Timeout:
        raise ConfigError(
            f"another run writes to {order.folder}: wait for it, or name another folder with --out"
        ) from None
