"""A run as the command line orders it: samples, outcomes, figures, gates, report."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from evals.compare import stored_results
from evals.gates import GATES, Gate, NoWorse, check_names, judge, read_gates
from evals.progress import shown_progress
from evals.released import last_released
from evals.report import Comparison, Report, write_report
from evals.runner import Limits, run
from evals.sampling import stratified
from evals.statistics import LEVEL, Figure, differences, figures
from evals.suite import Options, Result, Suite
from graph.errors import ConfigError
from serving.telemetry.langsmith import untraced


@dataclass(frozen=True, slots=True)
class Order:
    suite: Suite
    options: Options
    folder: Path
    limit: int | None
    seed: int
    limits: Limits
    gates: Path | None
    released: Path
    """The folder of the runs that are marked as released."""


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
    if drafts := sum(sample.gold.get("reviewed") is False for sample in samples):
        console.print(
            f"WARNING: {drafts} of {len(samples)} questions are drafts that no person has "
            "reviewed. They are asked, but the run cannot pass.",
            style="bold yellow",
        )
    order.folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            FileLock(order.folder / "run.lock", timeout=0),
            untraced(),
            shown_progress(suite.name, console) as on_done,
        ):
            done = asyncio.run(run(suite, samples, options, order.folder, order.limits, on_done))
            found = tuple(figures(suite.metrics, done.results))
            comparison = _compared(order, gates, done.results, found)
            report = Report(
                suite=suite,
                run=done,
                figures=found,
                verdict=judge(
                    gates,
                    done.results,
                    found,
                    engine=options.engine,
                    changes=comparison.differences if comparison else None,
                ),
                comparison=comparison,
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


def _compared(
    order: Order,
    gates: Sequence[Gate | NoWorse],
    results: Sequence[Result],
    found: Sequence[Figure],
) -> Comparison | None:
    """With the last released run, where gates ask for it and there is one. The intervals are so
    wide that all of them hold at once with 95%, or one of many would be off by chance (Bonferroni's
    correction)."""
    asked = {gate.metric for gate in gates if isinstance(gate, NoWorse)}
    run = last_released(order.released, order.suite.name)
    if not asked or run is None:
        return None
    metrics = [metric for metric in order.suite.metrics if metric.name in asked]
    level = 1 - (1 - LEVEL) / max(1, sum(figure.metric in asked for figure in found))
    before = stored_results(order.suite, run)
    changes = tuple(differences(metrics, before, results, level=level))
    return Comparison(str(run), level, changes)
