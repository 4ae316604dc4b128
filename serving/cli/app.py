"""The command `knowledge-agent`: arguments in, exit code out.

Each command imports its own module inside its function. The graph, Chroma and the clients take
seconds to load, and most commands need none of them.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from evals.command import evals_app
from graph.errors import AgentError
from serving.cli.audit import audit
from serving.cli.engine import engine_app
from serving.cli.exit_codes import EXIT_ERROR, EXIT_INTERRUPTED
from serving.cli.keys import keys_app
from serving.cli.tenants import tenants_app

if TYPE_CHECKING:
    from graph.evidence import Scope
    from serving.settings import Settings

app = typer.Typer(
    name="knowledge-agent",
    help="Answers from your documents, on a model that you serve. Exit codes: 0 answered, "
    "3 refused, 4 answered but degraded, 1 error, 2 wrong arguments, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(engine_app, name="engine")
app.add_typer(evals_app, name="evals")
app.add_typer(keys_app, name="keys")
app.add_typer(tenants_app, name="tenants")
app.command()(audit)


def _console(*, stderr: bool = False) -> Console:
    """Piped output has no width of its own: tables are given room, lines are never cut."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=120)


out, err = _console(), _console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Ocr = Annotated[
    bool, typer.Option("--ocr", help="Read pages without text with Tesseract; or set KA_OCR.")
]
Passwords = Annotated[
    Path | None,
    typer.Option(
        help="A text file, one password a line, tried on encrypted files; or set KA_PASSWORDS_FILE."
    ),
]
Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        metavar="PATTERN",
        help="Search only these documents, e.g. 'hr/*'; may be repeated.",
    ),
]
Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Search only documents with this tag, or with one of several.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="YYYY-MM-DD", help="Search only documents of this day and later."),
]
Until = Annotated[
    str | None,
    typer.Option(metavar="YYYY-MM-DD", help="Search only documents of this day and before."),
]
ModeOption = Annotated[
    Literal["auto", "direct", "plan"],  # graph.state.Mode
    typer.Option(help="direct: one answer; plan: with a plan; auto: by the question."),
]


@app.command()
def ingest(
    folder: Annotated[Path, typer.Argument(help="The folder that holds the documents.")],
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the index anew, e.g. for another embedder.")
    ] = False,
    replace_all: Annotated[
        bool,
        typer.Option("--replace", help="Even if the folder has none of the documents."),
    ] = False,
    ocr: Ocr = False,
    passwords: Passwords = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on and follow changes, until Ctrl-C.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON alone: an object, or with --watch many.")
    ] = False,
) -> None:
    """Make the index equal to a folder. Exits with 1 when a document could not be indexed."""
    from serving.cli.ingest import Ingest, run_once

    order = Ingest(_settings(ocr=ocr, passwords=passwords), folder, replace_all=replace_all)
    if watch:
        from serving.cli.watch import Watch

        Watch(order, as_json=as_json, console=out).run(rebuild=rebuild)
    else:
        raise typer.Exit(run_once(order, rebuild=rebuild, as_json=as_json, console=out))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know from the documents.")],
    mode: ModeOption = "auto",
    profile: Annotated[
        Path | None, typer.Option(help="A text file that describes the reader.")
    ] = None,
    document: Documents = None,
    tag: Tags = None,
    since: Since = None,
    until: Until = None,
    as_json: AsJson = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show nodes and model calls as a tree.")
    ] = False,
) -> None:
    """Answer a question from the documents, with citations; or refuse, and say why."""
    from serving.cli import ask as command

    scope = _scope(document, tag, since, until)
    task_input = command.make_input(question, mode, profile, scope)
    code = command.ask(_settings(), task_input, as_json=as_json, trace=trace, console=out)
    raise typer.Exit(code)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many passages.")] = 5,
    document: Documents = None,
    tag: Tags = None,
    since: Since = None,
    until: Until = None,
    neighbours: Annotated[
        int | None,
        typer.Option(min=0, max=3, help="Passages joined to each; or set KA_NEIGHBOURS."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that a question finds, with their scores. No model is called."""
    from serving.cli.search import search as run

    scope = _scope(document, tag, since, until)
    raise typer.Exit(run(_settings(neighbours=neighbours), query, scope, limit, as_json, out))


@app.command()
def documents(as_json: AsJson = False) -> None:
    """List what the index holds, and the files that gave no text."""
    from serving.cli.documents import documents as run

    raise typer.Exit(run(_settings(), as_json, out))


@app.command()
def calibrate(
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Not the gate: how much the model's own verdict counts. Up to 160 model calls.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Calibrate the gate anew. An ingest does so by itself when a tenth of the passages changed, or
    KA_FALSE_REFUSALS, the share of the documents' own questions that the gate may refuse."""
    from serving.cli import calibrate as command

    run = command.calibrate_model if model else command.calibrate
    raise typer.Exit(run(_settings(), as_json, out))


@app.command()
def chunks(
    file: Annotated[Path, typer.Argument(help="A document; it need not be in the index.")],
    ocr: Ocr = False,
    passwords: Passwords = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages of one file as an ingest makes them. Exits with 1 when there are none."""
    from serving.cli.chunks import chunks as run

    raise typer.Exit(run(_settings(ocr=ocr, passwords=passwords), file, as_json, out))


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show the index and the model server. Exits with 1 when one of them is not ready."""
    from serving.cli.status import status as run

    raise typer.Exit(run(_settings(), as_json, out))


@app.command()
def demo(
    handbook: Annotated[Path, typer.Option(help="The folder with the sample documents.")] = Path(
        "examples/handbook"
    ),
) -> None:
    """Start a model, ingest the sample handbook, ask five questions, stop what was started."""
    from serving.cli.demo import run

    raise typer.Exit(run(_settings(), handbook, out))


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Or set KA_API_HOST.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Or KA_API_PORT.")] = None,
) -> None:
    """Serve the REST API. On Ctrl-C running tasks may end; a second one cancels them."""
    from serving.cli.serve import serve as run

    settings = _settings()
    given = {"api_host": host, "api_port": port}
    changed = {name: value for name, value in given.items() if value is not None}
    run(settings.model_copy(update=changed), out)


def main() -> None:
    """Entry point. Errors of ours become one line on stderr (JSON with `--json`), never a trace."""
    try:
        app()
    except AgentError as error:
        if "--json" in sys.argv:
            problem = {"error": {"error": type(error).__name__, "message": str(error)}}
            print(json.dumps(problem, ensure_ascii=False))
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


def _scope(
    documents: list[str] | None, tags: list[str] | None, since: str | None, until: str | None
) -> "Scope":
    from graph.evidence import read_scope

    return read_scope(
        {"documents": documents or (), "tags": tags or (), "since": since, "until": until}
    )


def _settings(
    *, ocr: bool = False, passwords: Path | None = None, neighbours: int | None = None
) -> "Settings":
    """The settings; what the command line says goes before them."""
    from serving.settings import load_settings

    settings = load_settings()
    return settings.model_copy(
        update={
            "ocr": ocr or settings.ocr,
            "passwords_file": passwords or settings.passwords_file,
            "neighbours": settings.neighbours if neighbours is None else neighbours,
        }
    )
