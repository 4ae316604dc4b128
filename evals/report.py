"""What a run found: one HTML page that stands alone, a Markdown summary, and JSON."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from evals.gates import Verdict
from evals.plots import draw
from evals.runner import Run
from evals.statistics import Difference, Figure
from evals.suite import Result, Suite

RESULTS, RUN = "results.jsonl", "run.json"
HTML, MARKDOWN = "report.html", "report.md"

WORST_OF_SLICE = 5
ERRORS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Comparison:
    """With the run that is marked as released; `level` is that of each interval."""

    released: str
    level: float
    differences: tuple[Difference, ...]

    def as_json(self) -> dict[str, Any]:
        rows = [asdict(each) | {"verdict": each.verdict} for each in self.differences]
        return {"run": self.released, "level": self.level, "differences": rows}


@dataclass(frozen=True, slots=True)
class Report:
    """`asked_for` is what the command line said about the run; `started` is a day and time."""

    suite: Suite
    run: Run
    figures: tuple[Figure, ...]
    verdict: Verdict
    asked_for: Mapping[str, Any]
    started: str
    seconds: float
    comparison: Comparison | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite.name,
            "passed": self.verdict.passed,
            "problems": list(self.verdict.problems),
            "gates": [
                {"gate": str(each.gate), "state": each.state, "why": each.why}
                for each in self.verdict.checked
            ],
            "released": self.comparison.as_json() if self.comparison else None,
            "samples": len(self.run.results),
            "asked": self.run.asked,
            "errors": len(self.run.errors),
            "figures": [asdict(figure) for figure in self.figures],
            "target_version": self.run.target_version,
            "options": dict(self.asked_for),
            "started": self.started,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class FigureTable:
    """Of one corpus and language: a row for each metric, a column for each kind."""

    title: str
    kinds: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def write_report(folder: Path, report: Report) -> None:
    with (folder / RESULTS).open("w", encoding="utf-8") as file:
        for result in report.run.results:
            file.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
    written = json.dumps(report.as_json(), ensure_ascii=False, indent=2)
    (folder / RUN).write_text(written, "utf-8")
    (folder / HTML).write_text(as_html(report), "utf-8")
    (folder / MARKDOWN).write_text(as_markdown(report), "utf-8")


def as_html(report: Report) -> str:
    pages = Environment(
        loader=PackageLoader("evals"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return pages.get_template("report.html").render(
        report=report,
        tables=figure_tables(report.figures),
        shown=shown,
        plots=[svg for plot in report.suite.plots for svg in draw(plot, report.run.results)],
        worst=worst_cases(report.suite, report.run.results),
        errors=report.run.errors[:ERRORS_SHOWN],
        metrics=report.suite.metrics,
    )


def as_markdown(report: Report) -> str:
    return "\n".join(_markdown(report)) + "\n"


def figure_tables(figures: Sequence[Figure]) -> list[FigureTable]:
    parts: defaultdict[str, list[Figure]] = defaultdict(list)
    for figure in figures:
        where = ", ".join(name for name in (figure.slice.corpus, figure.slice.language) if name)
        parts[where or "all"].append(figure)
    return [_table(title, part) for title, part in parts.items()]


def shown(figure: Figure) -> str:
    """The value, its interval, and how many samples it is of."""

    def number(value: float) -> str:
        return f"{value:.1%}" if figure.share else f"{value:.3f}"

    unit = f" {figure.unit}" if figure.unit else ""
    interval = "no interval"
    if figure.low is not None and figure.high is not None:
        interval = f"{number(figure.low)} to {number(figure.high)}"
    return f"{number(figure.value)}{unit} ({interval}; n {figure.n:,})"


def worst_cases(suite: Suite, results: Sequence[Result]) -> list[Result]:
    """The worst few of each corpus, language and kind."""
    rank = suite.worst
    if rank is None:
        return []
    parts: defaultdict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for result in results:
        if result.error is None and rank(result) > 0:
            sample = result.sample
            parts[sample.corpus, sample.language, sample.kind].append(result)
    return [
        result
        for _, part in sorted(parts.items())
        for result in sorted(part, key=rank, reverse=True)[:WORST_OF_SLICE]
    ]


def _table(title: str, figures: Sequence[Figure]) -> FigureTable:
    cells = {(figure.metric, figure.slice.kind): shown(figure) for figure in figures}
    kinds = tuple(dict.fromkeys(figure.slice.kind for figure in figures))
    metrics = dict.fromkeys(figure.metric for figure in figures)
    return FigureTable(
        title,
        tuple(kind or "all" for kind in kinds),
        tuple(
            (metric, tuple(cells.get((metric, kind), "") for kind in kinds)) for metric in metrics
        ),
    )


def _markdown(report: Report) -> Iterator[str]:
    run, verdict = report.run, report.verdict
    yield f"# {_md(report.suite.name)}: {'passed' if verdict.passed else 'FAILED'}"
    yield ""
    yield (
        f"{len(run.results):,} samples, {run.asked:,} of them asked in this run, "
        f"{len(run.errors):,} errors; {report.started}, {report.seconds:.0f} s; "
        f"target {_md(run.target_version)}. In brackets: 95% intervals."
    )
    yield ""
    for problem in verdict.problems:
        yield f"- FAILED: {_md(problem)}"
    for each in verdict.checked:
        yield f"- {_md(str(each))}"
        if each.state == "failed":
            for figure in each.figures:
                yield f"  - {_md(str(figure.slice))}: {shown(figure)}"
    if not verdict.checked:
        yield "- no gate is set for this suite"
    if report.comparison:
        yield from _markdown_comparison(report.comparison)
    for table in figure_tables(report.figures):
        yield ""
        yield f"## {_md(table.title)}"
        yield ""
        yield f"| metric | {' | '.join(_md(kind) for kind in table.kinds)} |"
        yield "|---" * (1 + len(table.kinds)) + "|"
        for metric, cells in table.rows:
            yield f"| {_md(metric)} | {' | '.join(cells)} |"


def _markdown_comparison(found: Comparison) -> Iterator[str]:
    yield ""
    yield "## Since the last released run"
    yield ""
    yield f"{_md(found.released)}; intervals of {found.level:.1%} each, 95% together."
    yield ""
    yield "| metric | where, released, now, difference | |"
    yield "|---|---|---|"
    for each in found.differences:
        yield f"| {_md(each.metric)} | {_md(str(each))} | {each.verdict} |"


def _md(text: str) -> str:
    """Text that Markdown takes as it is, on one line of a table."""
    escaped = "".join(f"\\{char}" if char in "\\`*_[]<>|#&!" else char for char in text)
    return " ".join(escaped.split())
