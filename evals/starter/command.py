"""`knowledge-agent evals init`: a first set of questions for the owner's own index."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from graph.errors import InputError

out = Console(highlight=False, soft_wrap=True)


def init(
    to: Annotated[Path, typer.Option("--out", help="File to write.")] = Path("questions.jsonl"),
    size: Annotated[
        int, typer.Option(min=8, max=2_000, help="Questions: half answerable, near and far.")
    ] = 60,
    seed: Annotated[int, typer.Option(help="Which passages and questions are taken.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Draft questions about your own index, for a person to review before they measure anything."""
    from collections import Counter

    from evals.starter.draft import draft_questions, write_drafts
    from serving.settings import load_settings
    from serving.wiring.documents import index_address

    try:
        if to.exists() and not force:
            raise InputError(f"{to} is there, and may hold reviews; --force replaces it")
        drafts = draft_questions(index_address(load_settings()), size, seed)
        write_drafts(to, drafts, replace=force)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    counts = Counter(f"{draft.language} {draft.kind}" for draft in drafts)
    told = ", ".join(f"{name} {n}" for name, n in sorted(counts.items()))
    out.print(escape(f"{to}: {len(drafts)} questions ({told})"))
    if len(drafts) < size:
        out.print(f"The documents gave no more by rule; {size} were asked for.", style="yellow")
    out.print(
        escape(
            "These are guesses until a person has read them:\n"
            f"  knowledge-agent evals review export {to}\n"
            f"  knowledge-agent evals ood_refusal --questions {to}"
        )
    )
