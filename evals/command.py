"""The command `knowledge-agent evals`, which is `python -m evals` too: arguments in, exit code out.

What a command needs is imported inside its function: libraries of statistics take a second to load.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from evals.registry import load_suite, suite_names
from evals.review.command import review_app
from evals.starter.command import init
from graph.errors import AgentError, InputError

if TYPE_CHECKING:
    from evals.report import Report
    from evals.statistics import Difference
    from serving.settings import Settings

EXIT_PASSED, EXIT_FAILED, EXIT_INTERRUPTED = 0, 1, 130

evals_app = typer.Typer(
    name="evals",
    help="Measure the agent, and gate a release. Exit codes: 0 passed, 1 a gate failed or an "
    "error, 2 wrong arguments, 130 interrupted: the same command then goes on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _console(*, stderr: bool = False) -> Console:
    """Piped output has no width of its own: tables are given room."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=200)


out, err = _console(), _console(stderr=True)
Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False)]
ReleasedRuns = Annotated[
    Path | None,
    typer.Option(
        "--released",
        file_okay=False,
        help="Folder of the runs marked as released (default: in .knowledge-agent/evals).",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]


@evals_app.command("list")
def list_suites() -> None:
    """Show the suites."""
    table = Table(box=None, show_header=False)
    for name in suite_names():
        table.add_row(name, escape(load_suite(name).about))
    out.print(table)


@evals_app.command()
def compare(run_a: Folder, run_b: Folder, as_json: AsJson = False) -> None:
    """Show how run B differs from run A, over the samples that both have."""
    from evals.compare import compare_runs

    found = compare_runs(run_a, run_b)
    if as_json:
        from dataclasses import asdict

        rows = [asdict(each) | {"verdict": each.verdict} for each in found]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        out.print(_difference_table(found))


@evals_app.command()
def released(
    run: Annotated[
        Path | None, typer.Argument(exists=True, file_okay=False, help="Folder of a run to mark.")
    ] = None,
    folder: ReleasedRuns = None,
    undo: Annotated[
        str | None, typer.Option(metavar="SUITE", help="Take the suite's last mark back.")
    ] = None,
    although_failed: Annotated[
        bool, typer.Option("--although-failed", help="Mark a run that failed its gates, too.")
    ] = False,
) -> None:
    """Mark a run as released: later runs of its suite must not be worse. Without RUN, show which
    runs are."""
    from evals.released import mark_released, released_runs, started, unmark_released
    from serving.settings import load_settings

    folder = folder or load_settings().home / "evals" / "released"
    if run and undo:
        raise typer.BadParameter("name a run to mark, or a suite to --undo, not both")
    try:
        if undo:
            taken, last = unmark_released(undo, folder)
            out.print(escape(f"no longer marked: {taken}; now released: {last or 'none'}"))
        elif run:
            marked = mark_released(run, folder, although_failed=although_failed)
            out.print(escape(f"released: {marked}"))
        else:
            for last in released_runs(folder):
                out.print(escape(f"{last.parent.name}: {last}, a run of {started(last)}"))
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def run_suite(
    context: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the run (default: in .knowledge-agent/evals)."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Only so many samples, spread over kinds and languages."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Which samples a limit takes.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Samples at a time.")] = 4,
    timeout_s: Annotated[float, typer.Option(min=0.1, help="Seconds for one sample.")] = 180.0,
    data: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Folder of the public sets.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Your own questions, about your index."),
    ] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(help="Only this corpus; may be repeated.")
    ] = None,
    engine: Annotated[
        bool, typer.Option("--engine", help="Ask the whole agent, also where a part would do.")
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that keeps indexes and vectors between runs.")
    ] = None,
    gates: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Other gates.")
    ] = None,
    released: ReleasedRuns = None,
    langsmith: Annotated[
        bool,
        typer.Option(
            "--langsmith", help="Upload questions, passages, answers and scores to LangSmith, too."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    from evals.run import Order, run_order
    from evals.runner import Limits
    from evals.suite import Options
    from serving.settings import load_settings

    settings = load_settings()
    suite = load_suite(str(context.info_name))
    if unknown := [name for name in corpus or () if name not in suite.corpora]:
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(suite.corpora)}")
    if langsmith and not settings.langsmith_api_key:
        raise typer.BadParameter("--langsmith needs LANGSMITH_API_KEY")
    home = settings.home / "evals"
    options = Options(
        settings=settings,
        cache=cache or home / "cache",
        data=data,
        questions=questions,
        engine=engine,
        corpora=tuple(corpus or ()),
    )
    order = Order(
        suite=suite,
        options=options,
        folder=to or home / suite.name,
        limit=limit,
        seed=seed,
        limits=Limits(concurrency, timeout_s),
        gates=gates,
        released=released or home / "released",
    )
    try:
        report = run_order(order, err)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        err.print("The outcomes so far are kept: the same command goes on.", style="yellow")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if as_json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    else:
        _show(report, order.folder)
    if langsmith:
        _upload(settings, report)
    raise typer.Exit(EXIT_PASSED if report.verdict.passed else EXIT_FAILED)


evals_app.command()(init)
evals_app.add_typer(review_app)
for _name in suite_names():
    evals_app.command(_name, help=f"Run the suite {_name}.")(run_suite)


def _show(report: "Report", folder: Path) -> None:
    from evals.report import HTML, figure_tables

    for found in figure_tables(report.figures):
        table = Table("", *found.kinds, title=escape(found.title))
        for metric, cells in found.rows:
            table.add_row(metric, *map(escape, cells))
        out.print(table)
    for each in report.verdict.checked:
        style = {"passed": "green", "failed": "red"}.get(each.state, "dim")
        out.print(escape(str(each)), style=style)
    if report.comparison:
        out.print(f"since {escape(report.comparison.released)}:")
        out.print(_difference_table(report.comparison.differences, report.comparison.level))
    for result in report.run.errors[:3]:
        out.print(escape(f"error: {result.sample.id}: {result.error}"), style="red")
    for problem in report.verdict.problems:
        out.print(f"failed: {escape(problem)}", style="red")
    if not report.verdict.checked:
        out.print("no gate is set for this suite")
    out.print(f"{'passed' if report.verdict.passed else 'FAILED'}; {folder / HTML}")


def _upload(settings: "Settings", report: "Report") -> None:
    """The run is over, and its exit code stands, whatever becomes of the upload."""
    from evals.uploading import upload_run
    from serving.experiments import UploadFailed

    try:
        for done in upload_run(settings, report):
            where = done.url or done.experiment
            counts = f"{done.created} examples created, {done.updated} updated"
            err.print(escape(f"LangSmith: {done.dataset}: {counts}; {where}"))
    except UploadFailed as error:
        told = (
            f"LangSmith: the upload failed: {error}. What was sent before is there, runs or scores "
            "may be missing. The run and its verdict stand."
        )
        err.print(escape(told), style="yellow", soft_wrap=True)


def _difference_table(found: "Sequence[Difference]", level: float = 0.95) -> Table:
    table = Table("metric", "where", "A", "B", "B - A", f"{100 * level:.3g}%", "n", "")
    for each in found:
        bounds = "" if each.low is None else f"{each.low:+.3f} to {each.high:+.3f}"
        table.add_row(
            each.metric,
            escape(str(each.slice)),
            f"{each.a:.3f}",
            f"{each.b:.3f}",
            f"{each.difference:+.3f}",
            bounds,
            f"{each.n:,}",
            each.verdict,
        )
    return table


def main() -> None:
    """Entry point of `python -m evals`; errors of ours become one line on stderr."""
    try:
        evals_app()
    except AgentError as error:
        err.print(escape(str(error)), style="red", soft_wrap=True)
        raise SystemExit(EXIT_FAILED) from None
