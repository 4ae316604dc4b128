"""`knowledge-agent demo`: the whole product once, in front of the user."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule
from rich.table import Table

from graph.errors import InputError
from graph.state import AgentInput, Mode
from graph.transcript import Transcript, total
from serving.cli.ask import run_and_show
from serving.cli.engine import chosen_profile, progress_lines
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_ERROR
from serving.cli.ingest import Ingest, show_report
from serving.cli.show import BILL_COLUMNS, bill_table, show_result
from serving.engine import launch
from serving.settings import Settings
from serving.wiring.model_server import model_url

TENANT = "demo"  # an index of its own: a user's documents are not touched


@dataclass(frozen=True)
class Question:
    about: str
    text: str
    mode: Mode
    holds: Callable[[Transcript], bool]


def _answered(transcript: Transcript) -> bool:
    return transcript.outcome is not None and transcript.outcome.kind == "answered"


def _planned(transcript: Transcript) -> bool:
    steps = transcript.made.plan.steps if transcript.made else ()
    return _answered(transcript) and len(steps) > 1


def _refused_for_free(transcript: Transcript) -> bool:
    refused = transcript.outcome is not None and transcript.outcome.kind == "refused"
    return refused and transcript.usage is not None and not transcript.usage.calls


QUESTIONS = (
    Question("a look-up", "What does time to first token measure?", "auto", _answered),
    Question("a look-up in Korean", "캐시 솔트는 무엇을 막아 주는가?", "auto", _answered),
    Question(
        "a task with a plan",
        "Compare RayService and RayCluster, then summarize when to use which.",
        "auto",
        _planned,
    ),
    Question(
        "a task with a plan, in Korean",
        "LoRA 어댑터를 병합하는 방식과 따로 서빙하는 방식을 비교하고, 결과를 요약해 줘.",
        "auto",
        _planned,
    ),
    Question(
        "a question about something else",
        "Who won the football world cup in 2018?",
        "auto",
        _refused_for_free,
    ),
)


def run(settings: Settings, handbook: Path, console: Console) -> int:
    """Exit code 0 when every question ended as it should; what was started is stopped."""
    if not handbook.is_dir():
        raise InputError(f"{handbook} is not there: run the demo in the project's folder")
    settings = settings.model_copy(update={"tenant": TENANT})
    with _engine(settings, console):
        console.print(Rule("documents"))
        show_report(Ingest(settings, handbook).run(), console)
        ended = [(question, _ask(settings, question, console)) for question in QUESTIONS]
    console.print(Rule("summary"))
    console.print(_summary(ended))
    failed = [question.about for question, transcript in ended if not question.holds(transcript)]
    if failed:
        console.print(f"not as it should be: {', '.join(failed)}", style="red")
    console.print(
        f'Ask your own: KA_TENANT={TENANT} .venv/bin/knowledge-agent ask "…" '
        "(after '.venv/bin/knowledge-agent engine up')",
        soft_wrap=True,
    )
    return EXIT_ERROR if failed else EXIT_ANSWERED


@contextmanager
def _engine(settings: Settings, console: Console) -> Iterator[None]:
    """A model server for the demo: the owner's own, one that runs already, or one for now."""
    console.print(Rule("model server"))
    if settings.engine_url or launch.status(settings).status in ("ready", "starting"):
        if not settings.engine_url:
            _start(settings, console)  # waits for one that is still starting
        console.print(f"using the one at {model_url(settings)}", soft_wrap=True)
        yield
        return
    try:
        _start(settings, console)
        yield
    finally:
        launch.down(settings)
        console.print("the model server was stopped")


def _start(settings: Settings, console: Console) -> None:
    started = time.monotonic()
    profile = chosen_profile(settings, None)
    with progress_lines() as say:
        launch.prepare(settings, profile, say)
        launch.up(settings, profile, say)
    console.print(f"ready after {time.monotonic() - started:.0f} s at {model_url(settings)}")


def _ask(settings: Settings, question: Question, console: Console) -> Transcript:
    console.print(Rule(question.about))
    console.print(escape(question.text), style="bold", soft_wrap=True)
    task_input = AgentInput(question=question.text, mode=question.mode, profile=None)
    transcript = asyncio.run(run_and_show(settings, task_input, console))
    show_result(console, transcript)
    console.print(bill_table(transcript))
    return transcript


def _summary(ended: list[tuple[Question, Transcript]]) -> Table:
    table = Table("question", "outcome", "steps", title="model calls, tokens, seconds")
    for column in BILL_COLUMNS:
        table.add_column(column, justify="right")
    for question, transcript in ended:
        outcome, made, usage = transcript.outcome, transcript.made, transcript.usage
        kind: str = outcome.kind if outcome else "error"
        if outcome is not None and outcome.degraded:
            kind += ", degraded"
        plan = f"{len(made.plan.steps)} by {made.maker}" if made else "none"
        spent = total(usage.calls if usage else ())
        seconds = f"{usage.seconds:.1f}" if usage else "–"
        table.add_row(question.about, kind, plan, *map(str, spent.values()), seconds)
    return table
