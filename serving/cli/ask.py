"""`knowledge-agent ask`: one task on the terminal."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

from rich.console import Console

from graph.errors import InputError
from graph.evidence import Scope
from graph.run import run_task
from graph.state import AgentInput, Mode
from graph.transcript import Transcript
from serving.cli.exit_codes import exit_code_of
from serving.cli.show import TaskView, bill_table, show_result, trace_tree
from serving.settings import Settings
from serving.telemetry.langsmith import tracing
from serving.wiring.agent import open_agent

MAX_PROFILE_BYTES = 100_000


def ask(
    settings: Settings,
    task_input: AgentInput,
    *,
    as_json: bool,
    trace: bool,
    console: Console,
) -> int:
    """Run the task and print it; gives the exit code. Ctrl-C cancels the task and its call."""
    watched = console.is_terminal and not as_json
    transcript = asyncio.run(run_and_show(settings, task_input, console if watched else None))
    if as_json:
        print(json.dumps(transcript.as_json(), ensure_ascii=False, indent=2))
        return exit_code_of(transcript)
    show_result(console, transcript)
    if trace:
        console.print(trace_tree(transcript))
    elif transcript.usage is not None and console.is_terminal:
        console.print(bill_table(transcript))
    return exit_code_of(transcript)


async def run_and_show(
    settings: Settings, task_input: AgentInput, console: Console | None
) -> Transcript:
    """One task, shown on the console while it runs; without one, in silence."""
    transcript = Transcript()
    view = TaskView(console) if console else None
    with tracing(settings):
        async with (
            open_agent(settings) as (agent, deps),
            aclosing(run_task(agent, task_input, deps)) as events,
        ):
            async for event in events:
                transcript.take(event)
                if view is not None:
                    view.show(event)
    if view is not None:
        view.close()
    return transcript


def read_profile(path: Path) -> str:
    """The text of a profile file, or `InputError` that says what is wrong with it."""
    try:
        if path.stat().st_size > MAX_PROFILE_BYTES:
            raise InputError(f"the profile {path} is larger than {MAX_PROFILE_BYTES:,} bytes")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the profile {path} cannot be read as text: {error}") from error


def make_input(question: str, mode: Mode, profile: Path | None, scope: Scope) -> AgentInput:
    return AgentInput(
        question=question,
        mode=mode,
        profile=read_profile(profile) if profile else None,
        scope=scope,
    )
