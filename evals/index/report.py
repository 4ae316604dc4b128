"""The measured figures as tables, each beside what it has to reach."""

from collections.abc import Callable, Sequence
from statistics import median

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from evals.index.large import Large
from evals.index.machine import Machine
from evals.index.outcome import Ingested
from evals.index.resync import Resync
from evals.index.throughput import PEERS, PRODUCT, SYSTEMS, Comparison, Survey

WIDTH = 110
MIB = 1024**2

TIMES_THE_PEERS = 3.0
RESYNC_S = 2.0
INGEST_RSS_MIB = 1024
P50_MS, P99_MS = 40.0, 120.0
P99_OF_A_MILLION_MS = 250.0
MILLION = 1_000_000
ENOUGH_PASSAGES = 95_000
"""How many passages come out of a folder is known only roughly before."""


def machine_line(machine: Machine) -> str:
    return (
        f"{machine.processor}, {machine.cores} cores, {machine.memory_bytes / 1024**3:.0f} GiB, "
        f"{machine.system}, Python {machine.python}, load {machine.load:.1f} at the start"
    )


def comparison(found: Comparison) -> Group:
    table = Table(
        title=f"ingest of {found.corpus}: {found.documents} files, {found.embedder} vectors, "
        f"medians of {len(found.runs[PRODUCT])}"
    )
    for heading in ("", *SYSTEMS):
        table.add_column(heading, justify="right" if heading else "left")

    def row(name: str, digits: int, value: Callable[[Ingested], float]) -> None:
        table.add_row(name, *(f"{found.of(system, value):,.{digits}f}" for system in SYSTEMS))

    row("passages", 0, lambda run: run.passages)
    row("tokens a passage", 1, lambda run: run.tokens_per_passage)
    row("characters a passage", 0, lambda run: run.characters_per_passage)
    row("seconds", 2, lambda run: run.seconds)
    row("  embedding", 2, lambda run: run.embed_seconds)
    row("  the rest", 2, lambda run: run.rest_seconds)
    row("    calibrating the gate", 2, lambda run: run.calibrating_seconds)
    row("CPU seconds", 2, lambda run: run.cpu_seconds)
    for name, rate in (("passages", found.passages_per_second), ("pages", found.pages_per_second)):
        table.add_row(f"{name}/s on the rest", *(f"{rate(system):,.1f}" for system in SYSTEMS))
    lines = [f"{system}: {_phases(found, system)}" for system in SYSTEMS]
    lines += [_ratio(found, peer, calibrated) for peer in PEERS for calibrated in (False, True)]
    return Group(table, *lines)


def _ratio(found: Comparison, peer: str, calibrated: bool) -> str:
    passages, pages = (
        rate(PRODUCT, calibrated) / rate(peer, calibrated)
        for rate in (found.passages_per_second, found.pages_per_second)
    )
    work = "all of the rest" if calibrated else "the rest less the calibration of the gate"
    return (
        f"{peer}, {work}: {passages:.2f} times its passages/s, {pages:.2f} times its pages/s; "
        + verdict(passages >= TIMES_THE_PEERS, f"{TIMES_THE_PEERS:g} times")
    )


def _phases(found: Comparison, system: str) -> str:
    runs = found.runs[system]
    medians = {name: median(run.phases[name] for run in runs) for name in runs[0].phases}
    return ", ".join(f"{name} {seconds:.2f} s" for name, seconds in medians.items())


def survey(found: Survey) -> Table:
    """Files that at least one system got no text from."""
    table = Table("file", *SYSTEMS, title=f"{len(found.readable)} of {len(found.files)} files read")
    for file in found.files:
        told = [found.problems[system].get(file, "") for system in SYSTEMS]
        if any(told):
            table.add_row(file, *(escape(problem) or "text" for problem in told))
    return table


def resync(found: Resync) -> Table:
    table = Table("", "measured", "", title=f"{found.files:,} files, {found.passages:,} passages")
    table.add_row("first ingest", f"{found.first_seconds:.1f} s")
    table.add_row(
        "the whole command again, nothing changed",
        f"{found.second_seconds:.2f} s",
        verdict(found.second_seconds < RESYNC_S, f"under {RESYNC_S:g} s"),
    )
    table.add_row("  its CPU seconds", f"{found.second_cpu_seconds:.2f} s")
    table.add_row(
        "  calls of the embedder", f"{found.second_calls}", verdict(found.second_calls == 0, "0")
    )
    table.add_row("one file changed", f"{found.changed_seconds:.2f} s")
    table.add_row(
        "  passages embedded",
        f"{found.changed_passages_embedded} of the file's {found.changed_file_passages}",
        verdict(
            found.changed_passages_embedded <= found.changed_file_passages, "its passages only"
        ),
    )
    table.add_row("  questions embedded to calibrate", f"{found.changed_queries_embedded}")
    return table


def large(found: Large) -> Table:
    made, asked = found.ingested, found.latencies
    table = Table("", "measured", "", title=f"{made.passages:,} passages")
    rss = found.ingest_peak_rss / MIB
    table.add_row("ingest", f"{made.passages / made.seconds:,.0f} passages/s, {made.seconds:.0f} s")
    for phase, seconds in made.phases.items():
        table.add_row(f"  {phase}", f"{seconds:.0f} s")
    table.add_row(
        "  peak RSS of all its processes",
        f"{rss:,.0f} MiB",
        _if_large(made, rss < INGEST_RSS_MIB, f"under {INGEST_RSS_MIB:,} MiB"),
    )
    p50, p99 = asked.total
    if made.passages < MILLION / 2:
        reached, target = p50 < P50_MS and p99 < P99_MS, f"p50 under {P50_MS:g}, p99 {P99_MS:g}"
    else:
        reached, target = p99 < P99_OF_A_MILLION_MS, f"p99 under {P99_OF_A_MILLION_MS:g}"
    table.add_row(
        f"{asked.queries:,} queries, one at a time",
        _ms(asked.total),
        _if_large(made, reached, target),
    )
    for name in ("embedding", "lexical", "dense", "rest"):
        table.add_row(f"  {name}", _ms(getattr(asked, name)))
    table.add_row(
        "32 at once",
        f"{_ms(asked.concurrent)}, {asked.concurrent_per_second:.0f} queries/s",
    )
    table.add_row(
        "  errors",
        "; ".join(escape(error) for error in asked.errors) or "none",
        verdict(not asked.errors, "none"),
    )
    table.add_row("  peak RSS", f"{found.query_peak_rss / MIB:,.0f} MiB")
    return table


def _if_large(made: Ingested, reached: bool, target: str) -> str:
    """A target of an index of `ENOUGH_PASSAGES` is not reached by a smaller one."""
    if made.passages < ENOUGH_PASSAGES:
        return f"{target}, with {ENOUGH_PASSAGES:,} passages: not measured"
    return verdict(reached, target)


def _ms(percentiles: Sequence[float]) -> str:
    p50, p99 = percentiles
    return f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"


def verdict(reached: bool, target: str) -> str:
    return f"[green]{target}: reached" if reached else f"[red]{target}: NOT reached"
