"""`knowledge-agent ingest`: make the index equal to a folder, and tell what was done."""

import json
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from knowledge.ingest import ingest
from knowledge.report import FileReport, IngestReport
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_ERROR
from serving.cli.progress import no_progress, shown_progress
from serving.settings import Settings
from serving.wiring.documents import embedder, index_address, load_options
from serving.wiring.indexing import hand_over


class Ingest:
    """An ingest of one folder, to be run as often as wanted: its embedder loads once."""

    def __init__(self, settings: Settings, folder: Path, *, replace_all: bool = False) -> None:
        self.folder = folder
        self._settings = settings
        self.home = settings.home
        self._address = index_address(settings)
        self._embedder = embedder(settings)
        self._options = load_options(settings)
        self._replace_all = replace_all
        self._false_refusals = settings.false_refusals

    def run(self, *, rebuild: bool = False, shown: bool = True) -> IngestReport:
        hand_over(self._settings, self.folder, replace_all=self._replace_all)
        with shown_progress() if shown else no_progress() as on_progress:
            return ingest(
                self.folder,
                self._address,
                self._embedder,
                rebuild=rebuild,
                replace_all=self._replace_all,
                options=self._options,
                false_refusals=self._false_refusals,
                on_progress=on_progress,
            )


def run_once(order: Ingest, *, rebuild: bool, as_json: bool, console: Console) -> int:
    report = order.run(rebuild=rebuild, shown=not as_json)
    if as_json:
        print(json.dumps(report_json(report, report.files), ensure_ascii=False, indent=2))
    else:
        show_report(report, console)
    return EXIT_ANSWERED if report.complete else EXIT_ERROR


def changed_files(report: IngestReport) -> list[FileReport]:
    """Files that the ingest has something to say about."""
    return [file for file in report.files if file.status != "unchanged"]


def show_report(report: IngestReport, console: Console) -> None:
    table = Table("file", "status", "reason", box=None)
    for file in changed_files(report):
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


def report_json(report: IngestReport, files: Collection[FileReport]) -> dict[str, object]:
    """The report as an object, with these of its files."""
    return {
        **asdict(report),
        "files": [asdict(file) for file in files],
        "counts": report.counts,
        "complete": report.complete,
        "problem": report.problem,
    }
