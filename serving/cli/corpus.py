"""`knowledge-agent ingest | search | status`: the documents and their index."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import knowledge.ingest as ingesting
import knowledge.report as reporting
from graph.errors import AgentError
from knowledge.status import IndexStatus, index_status
from serving.cli.transcript import EXIT_ANSWERED, EXIT_ERROR
from serving.gateway.server import ModelServer, ServedModel
from serving.settings import Settings
from serving.wiring import api_key, embedder, index_address, model_url, open_index

T = TypeVar("T")

PHASES = {"read": "reading files", "embed": "embedding", "calibrate": "calibrating the gate"}
SHOWN_CHARS = 240


def ingest(settings: Settings, folder: Path, rebuild: bool, as_json: bool, console: Console) -> int:
    report = ingest_folder(settings, folder, rebuild, None if as_json else console)
    if as_json:
        print(json.dumps(_report_json(report), ensure_ascii=False, indent=2))
    else:
        show_report(report, console)
    return EXIT_ANSWERED if report.complete else EXIT_ERROR


def ingest_folder(
    settings: Settings, folder: Path, rebuild: bool, console: Console | None
) -> reporting.IngestReport:
    with _progress(console) as on_progress:
        return ingesting.ingest(
            folder,
            index_address(settings),
            embedder(settings),
            rebuild=rebuild,
            on_progress=on_progress,
        )


def show_report(report: reporting.IngestReport, console: Console) -> None:
    table = Table("file", "status", "reason", box=None)
    for file in report.files:
        if file.status != "unchanged":
            table.add_row(escape(file.path), file.status, escape(file.reason))
    if table.row_count:
        console.print(table)
    counts = ", ".join(f"{count} {status}" for status, count in report.counts.items())
    console.print(
        f"{counts or 'no files'}; {report.documents} documents, {report.passages} passages, "
        f"{report.embedded} texts embedded, {report.seconds:.1f} s",
        soft_wrap=True,
    )
    if report.problem:
        console.print(escape(report.problem), style="yellow", soft_wrap=True)


def search(settings: Settings, query: str, limit: int, as_json: bool, console: Console) -> int:
    with open_index(settings) as retriever:
        found = asyncio.run(retriever.search(query, limit=limit))
    if as_json:
        print(found.model_dump_json(indent=2))
        return EXIT_ANSWERED
    for rank, hit in enumerate(found.hits, start=1):
        passage = hit.passage
        scores = f"fused {hit.fused:.3f}, dense {_score(hit.dense)}, lexical {_score(hit.lexical)}"
        console.print(
            escape(f"{rank}. {passage.document}, page {passage.page}  ({scores})"),
            style="bold",
            soft_wrap=True,
        )
        text = " ".join(passage.text.split())
        console.print(escape("   " + text[:SHOWN_CHARS]) + "…" * (len(text) > SHOWN_CHARS))
    domain = found.domain
    side = "in" if domain.score >= domain.bound else "out of"
    console.print(
        f"{side} domain: score {domain.score:.3f}, bound {domain.bound:.3f} ({domain.method})"
    )
    for degraded in found.degraded:
        console.print(escape(f"Degraded: {degraded}"), style="yellow", soft_wrap=True)
    return EXIT_ANSWERED


def status(settings: Settings, as_json: bool, console: Console) -> int:
    """Both parts are always shown: what is wrong with one says nothing about the other."""
    index, index_error = _try(lambda: index_status(index_address(settings)))
    server, server_error = _try(lambda: asyncio.run(_served(settings)))
    if as_json:
        report = {
            "index": asdict(index) if index else {"error": index_error},
            "engine": {"url": model_url(settings)}
            | (asdict(server) if server else {"error": server_error}),
        }
        print(json.dumps(report, ensure_ascii=False, indent=2, default=str))
    else:
        table = Table(box=None, show_header=False)
        for line in _index_lines(index) if index else [index_error]:
            table.add_row("index", escape(line))
        table.add_row("engine", model_url(settings))
        known = f"{server.name}, window of {server.context_tokens:,} tokens" if server else ""
        table.add_row("engine", escape(known or server_error))
        console.print(table)
    return EXIT_ANSWERED if index and server else EXIT_ERROR


def _index_lines(index: IndexStatus) -> Iterator[str]:
    yield f"{index.documents} documents, {index.passages} passages"
    if index.unreadable:
        yield f"{index.unreadable} files gave no text (knowledge-agent ingest lists them)"
    if index.vectors_missing:
        yield f"{index.vectors_missing} passages without a vector: ingest again"
    made = index.contract
    yield f"embedder {made.embedder} ({made.dimension} dimensions), chunker {made.chunker}"
    gate = index.calibration
    if gate is None or not index.calibration_current:
        yield "the gate is not calibrated for these passages: ingest again"
    elif gate.with_vectors is None:
        yield "gate: the cautious rule, since there are too few passages to calibrate"
    else:
        yield (
            f"gate: calibrated on {gate.in_domain_questions} questions of its own and "
            f"{gate.foreign_questions} foreign ones, to refuse {gate.false_refusal_target:.0%} of "
            f"the former; refuses {gate.with_vectors.foreign_refused:.0%} of the latter"
        )


async def _served(settings: Settings) -> ServedModel:
    server = ModelServer(model_url(settings), settings.engine_model, api_key(settings))
    try:
        return await server.model()
    finally:
        await server.aclose()


def _try(call: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return call(), ""
    except AgentError as error:
        return None, f"{type(error).__name__}: {error}"


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.3f}"


def _report_json(report: reporting.IngestReport) -> dict[str, object]:
    return {
        **asdict(report),
        "counts": report.counts,
        "complete": report.complete,
        "problem": report.problem,
    }


@contextmanager
def _progress(console: Console | None) -> Iterator[Callable[[reporting.Progress], None]]:
    """A bar with the time left on a terminal; nothing when piped or with `--json`."""
    if console is None or not console.is_terminal:
        yield lambda progress: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks = {}

        def show(progress: reporting.Progress) -> None:
            if progress.phase not in tasks:
                tasks[progress.phase] = bars.add_task(PHASES[progress.phase])
            bars.update(tasks[progress.phase], completed=progress.done, total=progress.total)

        yield show
