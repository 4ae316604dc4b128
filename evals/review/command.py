"""`knowledge-agent evals review`: files to people, and back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from evals.registry import check_extra
from graph.errors import InputError

if TYPE_CHECKING:
    from evals.review.agreement import Agreement
    from evals.review.of_run import Judged, RunReview

DISAGREEMENTS_SHOWN = 20

review_app = typer.Typer(
    name="review",
    help="Give samples of a run, or drafts of questions, to a person as a spreadsheet.",
    no_args_is_help=True,
)
out = Console(highlight=False, soft_wrap=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]


@review_app.command("export")
def export(
    source: Annotated[
        Path, typer.Argument(exists=True, help="Folder of a finished run, or a file of questions.")
    ],
    to: Annotated[
        Path | None, typer.Option("--out", help="The .xlsx (default: beside the source).")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=5_000, help="Tasks of a run.")] = 50,
    seed: Annotated[int, typer.Option(help="Which tasks are taken.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write a spreadsheet: tasks of a run to judge, without the automatic verdict; or questions to
    keep, change or delete."""
    check_extra()
    from evals.review.of_questions import export_questions
    from evals.review.of_run import export_run

    to = to or (source / "review.xlsx" if source.is_dir() else source.with_suffix(".xlsx"))
    if to.suffix != ".xlsx":
        raise typer.BadParameter(f"{to} must end with .xlsx")
    try:
        if source.is_dir():
            done = export_run(source, to, n, seed, replace=force)
            out.print(escape(f"{to}: {done.rows} of {done.of} tasks"))
            command = f"knowledge-agent evals review import {to} --run {source}"
        else:
            out.print(escape(f"{to}: {export_questions(source, to, replace=force)} questions"))
            command = f"knowledge-agent evals review import {to} --questions {source}"
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    out.print(escape(f"When a person has filled it in: {command}"))


@review_app.command("import")
def take(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The filled .xlsx.")],
    run: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="The run it was made of.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The questions, likewise.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a review that has more judgements.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take a filled spreadsheet: keep it with its run and tell how far the person and the automatic
    verdict agree; or change the file of questions as the person said."""
    check_extra()
    from evals.review.of_questions import import_questions
    from evals.review.of_run import import_run

    if (run is None) == (questions is None):
        raise typer.BadParameter("name either --run or --questions")
    try:
        if run:
            review = import_run(file, run, replace=force)
            told = review.as_json()
        elif questions:
            told = import_questions(file, questions).as_json()
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
    elif run:
        _show(review)
    else:
        counts = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in told.items())
        out.print(escape(f"{questions}: {counts}"))


def _show(review: "RunReview") -> None:
    out.print(escape(f"{review.stored}: {review.rows} tasks"))
    for judged in review.questions:
        counts = (
            f"{judged.judged} judged, {judged.unclear} unclear, {judged.not_judged} not judged, "
            f"{judged.without_automatic} without automatic verdict"
        )
        out.print(f"\n[bold]{judged.asked}[/]: {counts}")
        if judged.agreement:
            for line in _lines(judged.agreement):
                out.print(f"  {line}")
        _show_disagreements(judged)
    out.print(
        "\nOf the sample, which has as many of each kind, language and automatic verdict as there "
        "are: in the whole run the shares may be others.",
        style="dim",
    )


def _lines(found: "Agreement") -> list[str]:
    kappa = "kappa: none, both said the same of everything"
    if found.kappa is not None:
        interval = "no interval, too few pairs"
        if found.kappa_low is not None:
            interval = f"{found.kappa_low:.2f} to {found.kappa_high:.2f}"
        kappa = f"kappa {found.kappa:.2f} ({interval})"
    (both_yes, automatic_only), (person_only, both_no) = found.confusion
    return [
        f"agree {found.rate:.1%} ({found.rate_low:.1%} to {found.rate_high:.1%}; n {found.n}), "
        f"{kappa}",
        f"automatic yes: person yes {both_yes}, no {automatic_only}; "
        f"automatic no: person yes {person_only}, no {both_no}",
    ]


def _show_disagreements(judged: "Judged") -> None:
    for each in judged.disagreements[:DISAGREEMENTS_SHOWN]:
        said = f"automatic {_word(each.automatic)}, person {_word(each.person)}"
        comment = f" ({each.comment})" if each.comment else ""
        out.print(escape(f"  {each.id}: {said}: {each.question}{comment}"))
    if (more := len(judged.disagreements) - DISAGREEMENTS_SHOWN) > 0:
        out.print(f"  and {more} more: --json shows all")


def _word(verdict: bool) -> str:
    return "yes" if verdict else "no"
