"""`knowledge-agent engine`: the model server of this machine.

As in `serving.cli.app`, each command imports what it needs inside its function.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from graph.errors import InputError

if TYPE_CHECKING:
    from serving.engine.profiles import Profile
    from serving.settings import Settings

FOLLOW_INTERVAL_S = 0.5
FOLLOW_BYTES = 65_536

engine_app = typer.Typer(
    name="engine", help="Start, watch and stop the model server.", no_args_is_help=True
)

ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", help="A name from `engine profiles`; without it, by KA_ENGINE_PROFILE or GPUs."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]


@engine_app.command()
def install(profile: ProfileOption = None) -> None:
    """Make vLLM's own environment and the model's files, unless they are there."""
    from serving.engine import launch
    from serving.settings import load_settings

    settings = load_settings()
    if settings.engine_url is not None:
        print(f"{_elsewhere(settings)}: nothing to install")
        return
    chosen = chosen_profile(settings, profile)
    with progress_lines() as say:
        is_new = launch.prepare(settings, chosen, say)
    print(
        f"{settings.engine_venv} {'is ready' if is_new else 'was ready before'} for {chosen.name}"
    )


@engine_app.command()
def up(profile: ProfileOption = None, as_json: JsonOption = False) -> None:
    """Start the server and return when it has answered a real question."""
    from serving.engine import launch
    from serving.engine.engine_log import log_path
    from serving.settings import load_settings

    settings = load_settings()
    if settings.engine_url is not None:
        _say_elsewhere(settings, as_json, "nothing to start")
        return
    chosen = chosen_profile(settings, profile)
    with progress_lines() as say:
        state = launch.up(settings, chosen, say)
    if as_json:
        print(state.model_dump_json())
    else:
        print(f"{state.model} is ready at {state.base_url} (log: {log_path(settings.engine_dir)})")


@engine_app.command()
def status(as_json: JsonOption = False) -> None:
    """Say whether the server answers; exit status 0 when it does, else 1."""
    from serving.engine import launch
    from serving.settings import load_settings

    found = launch.status(load_settings())
    if as_json:
        print(found.model_dump_json())
    else:
        facts = [
            found.model,
            f"at {found.base_url}" if found.base_url else None,
            f"profile {found.profile}" if found.profile else None,
            f"process {found.pid}" if found.pid else None,
            f"since {found.started_at:%Y-%m-%d %H:%M:%S} UTC" if found.started_at else None,
            found.detail,
        ]
        print(", ".join([found.status, *(fact for fact in facts if fact)]))
    if found.status != "ready":
        raise typer.Exit(1)


@engine_app.command()
def down(as_json: JsonOption = False) -> None:
    """End the server and every process that it started."""
    from serving.engine import launch
    from serving.settings import load_settings

    settings = load_settings()
    if settings.engine_url is not None:
        _say_elsewhere(settings, as_json, "nothing to stop")
        return
    was_running = launch.down(settings)
    if as_json:
        print(json.dumps({"was_running": was_running}))
    else:
        print("the engine was stopped" if was_running else "no engine was running")


@engine_app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
) -> None:
    """Show the end of the server's log."""
    from serving.engine.engine_log import log_path, log_tail
    from serving.settings import load_settings

    path = log_path(load_settings().engine_dir)
    if not path.exists():
        raise InputError(f"there is no log at {path}; start the engine first: engine up")
    with path.open(encoding="utf-8", errors="replace") as file:
        file.seek(0, 2)
        for line in log_tail(path.parent, lines):
            print(line)
        while follow:
            if text := file.read(FOLLOW_BYTES):
                print(text, end="", flush=True)
            else:
                time.sleep(FOLLOW_INTERVAL_S)


@engine_app.command()
def profiles() -> None:
    """List the profiles, and which one this machine gets."""
    from rich.console import Console
    from rich.table import Table

    from serving.engine.profiles import all_profiles
    from serving.settings import load_settings

    settings = load_settings()
    chosen = chosen_profile(settings, None)
    table = Table("", "profile", "model", "for whom", box=None)
    for profile in all_profiles():
        mark = "*" if profile.name == chosen.name else ""
        table.add_row(mark, profile.name, profile.served_name, profile.for_whom)
    Console().print(table)


def chosen_profile(settings: "Settings", wanted: str | None) -> "Profile":
    """The wanted one, else the one of the settings, else the best for this machine's GPUs."""
    from serving.engine import hardware
    from serving.engine.profiles import choose_profile, load_profile

    name = wanted or settings.engine_profile
    return load_profile(name) if name else choose_profile(hardware.find_gpus())


@contextmanager
def progress_lines() -> Iterator[Callable[[str], None]]:
    """One spinner with the elapsed seconds on a terminal, else a line for each stage; on stderr."""
    if not sys.stderr.isatty():
        start = time.monotonic()

        def say(stage: str) -> None:
            print(f"[{time.monotonic() - start:4.0f} s] {stage}", file=sys.stderr, flush=True)

        yield say
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda stage: progress.update(task, description=stage)


def _elsewhere(settings: "Settings") -> str:
    return f"KA_ENGINE_URL is set, {settings.engine_url} is used and not managed here"


def _say_elsewhere(settings: "Settings", as_json: bool, what: str) -> None:
    if as_json:
        print(json.dumps({"base_url": settings.engine_url, "managed": False}))
    else:
        print(f"{_elsewhere(settings)}: {what}")
