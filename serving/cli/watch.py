"""`knowledge-agent ingest DIR --watch`: ingest again whenever something in the folder changes.

Between two ingests nothing of the index is open: others may search it, or ingest into it.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from watchfiles import watch

from graph.errors import AgentError, IndexLocked, InputError, KnowledgeError
from knowledge.report import IngestReport
from serving.cli.ingest import Ingest, changed_files, report_json, show_report

QUIET_MS = 200
GROUPED_MS = 3_000
"""An ingest begins when nothing has changed for so long, or something has for so much longer."""

TICK_MS = 400
POLL_MS = 5_000
"""Between two looks at every file, where the system cannot tell of changes."""

RETRY_S = 2.0
"""Between two tries while another process has the index."""

RESCAN_S = 300.0
"""An ingest without any sign of a change: network drives tell only of this machine's own. It also
completes what a failed one has left."""


class Watch:
    """Runs an ingest and tells its report: as text, or as one line of JSON without the files that
    are unchanged."""

    def __init__(self, order: Ingest, *, as_json: bool, console: Console) -> None:
        self._order = order
        self._as_json = as_json
        self._console = console
        self._root = order.folder.resolve()
        self._index = order.home.resolve()
        self._last: IngestReport | None = None
        self._is_waiting = False

    def run(self, *, rebuild: bool) -> None:
        """Until Ctrl-C. An error before the first report is raised, and any where the folder is
        gone; later ones are told, and the next change or `RESCAN_S` brings another try."""
        next_try = 0.0
        for changed in self._changes():
            if changed or time.monotonic() >= next_try:
                self._ingest(
                    rebuild=rebuild and not (self._last and self._last.in_use), was_asked=changed
                )
                next_try = time.monotonic() + (RETRY_S if self._is_waiting else RESCAN_S)

    def _ingest(self, *, rebuild: bool, was_asked: bool) -> None:
        try:
            report = self._order.run(rebuild=rebuild, shown=not self._as_json)
        except IndexLocked as error:
            if not self._is_waiting:
                self._tell_error(error, "trying again until it is free")
            self._is_waiting = True
            return
        except AgentError as error:
            if self._last is None or not self._root.is_dir():
                raise
            self._is_waiting = False
            self._tell_error(error, "going on")
            return
        self._is_waiting = False
        if was_asked or self._is_news(report):
            self._tell(report)
        self._last = report

    def _is_news(self, report: IngestReport) -> bool:
        """Whether a report that nobody asked for says more than the last one."""
        if self._last is None:
            return True
        new = set(changed_files(report)) - set(self._last.files)
        return bool(new or report.embedded or report.problem != self._last.problem)

    def _changes(self) -> Iterator[bool]:
        """Whether something has changed, every `TICK_MS`. Begins to look before the first ingest,
        so that no change falls between the two."""
        for polling in (None, True):
            may_have_missed = bool(polling)
            try:
                for changes in watch(
                    self._root,
                    watch_filter=None,
                    debounce=GROUPED_MS,
                    step=QUIET_MS,
                    rust_timeout=TICK_MS,
                    yield_on_timeout=True,
                    force_polling=polling,
                    poll_delay_ms=POLL_MS,
                    ignore_permission_denied=True,
                ):
                    seen = any(self._is_of_interest(Path(path)) for _, path in changes)
                    yield seen or may_have_missed
                    may_have_missed = False
            except (OSError, RuntimeError) as error:  # the latter is watchfiles' own
                if not self._root.is_dir():
                    raise InputError(f"{self._order.folder} is not a folder, or no more") from error
                if polling:
                    raise KnowledgeError(f"{self._root} cannot be watched: {error}") from error
                every = f"looking for changes every {POLL_MS // 1000} s"
                self._tell_error(error, every)

    def _is_of_interest(self, path: Path) -> bool:
        """Not what an ingest leaves out, and not the index, which may lie in the folder."""
        hidden = any(part.startswith((".", "~$")) for part in path.relative_to(self._root).parts)
        return not hidden and not path.is_relative_to(self._index)

    def _tell(self, report: IngestReport) -> None:
        if self._as_json:
            line = report_json(report, changed_files(report))
            print(json.dumps(line, ensure_ascii=False), flush=True)
            return
        self._console.print(time.strftime("%Y-%m-%d %H:%M:%S"), style="dim")
        show_report(report, self._console)
        if self._last is None:
            self._console.print(f"watching {escape(str(self._order.folder))}; Ctrl-C ends it")

    def _tell_error(self, error: Exception, then: str) -> None:
        name = type(error).__name__
        if self._as_json:
            problem = {"error": {"error": name, "message": str(error), "then": then}}
            print(json.dumps(problem, ensure_ascii=False), flush=True)
        else:
            text = escape(f"{name}: {error}; {then}")
            Console(stderr=True, highlight=False).print(text, style="yellow", soft_wrap=True)
