"""The command `knowledge-agent`: arguments in, exit code out."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from graph.errors import AgentError
from graph.state import Mode
from serving.cli import ask as ask_command
from serving.cli import corpus, demo
from serving.cli.engine import engine_app
from serving.cli.transcript import EXIT_ERROR, EXIT_INTERRUPTED
from serving.settings import load_settings

app = typer.Typer(
    name="knowledge-agent",
    help="Answers from your documents, on a model that you serve. Exit codes: 0 answered, "
    "3 refused, 4 answered but degraded, 1 error, 2 wrong arguments, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(engine_app, name="engine")


def _console(*, stderr: bool = False) -> Console:
    """Piped output has no width of its own: tables are given room, lines are never cut."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=120)


out, err = _console(), _console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]


@app.command()
def ingest(
    folder: Annotated[Path, typer.Argument(help="The folder that holds the documents.")],
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the index anew, e.g. for another embedder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the index equal to a folder. Exits with 1 when a document could not be indexed."""
    raise typer.Exit(corpus.ingest(load_settings(), folder, rebuild, as_json, out))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know from the documents.")],
    mode: Annotated[
        Mode, typer.Option(help="direct: one answer; plan: with a plan; auto: by the question.")
    ] = "auto",
    profile: Annotated[
        Path | None, typer.Option(help="A text file that describes the reader.")
    ] = None,
    as_json: AsJson = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show nodes and model calls as a tree.")
    ] = False,
) -> None:
    """Answer a question from the documents, with citations; or refuse, and say why."""
    task_input = ask_command.make_input(question, mode, profile)
    code = ask_command.ask(load_settings(), task_input, as_json=as_json, trace=trace, console=out)
    raise typer.Exit(code)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many passages.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the passages that a question finds, with their scores. No model is called."""
    raise typer.Exit(corpus.search(load_settings(), query, limit, as_json, out))


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show the index and the model server. Exits with 1 when one of them is not ready."""
    raise typer.Exit(corpus.status(load_settings(), as_json, out))


@app.command(name="demo")
def demo_command(
    handbook: Annotated[Path, typer.Option(help="The folder with the sample documents.")] = Path(
        "examples/handbook"
    ),
) -> None:
    """Start a model, ingest the sample handbook, ask five questions, stop what was started."""
    raise typer.Exit(demo.run(load_settings(), handbook, out))


def main() -> None:
    """Entry point. Errors of ours become one line on stderr (JSON with `--json`), never a trace."""
    try:
        app()
    except AgentError as error:
        if "--json" in sys.argv:
            problem = {"error": {"error": type(error).__name__, "message": str(error)}}
            print(json.dumps(problem, ensure_ascii=False, indent=2))
        else:
            err.print(escape(f"{type(error).__name__}: {error}"), style="red", soft_wrap=True)
        sys.exit(EXIT_ERROR)
    except OSError as error:  # a folder of the owner's that cannot be used; the path is in its text
        err.print(escape(f"{type(error).__name__}: {error}"), style="red", soft_wrap=True)
        sys.exit(EXIT_ERROR)
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:
            err.print("interrupted: what was running has been cancelled", style="yellow")
        raise
