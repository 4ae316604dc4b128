"""Which server this home owns: a file that outlives the command which wrote it."""

import os
from datetime import datetime
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict, ValidationError

from graph.errors import EngineError

# psutil rounds to clock ticks, and a clock that is set shifts what it reports.
CREATE_TIME_TOLERANCE_S = 1.0


class EngineState(BaseModel):
    """`pid` leads a session and a process group of its own; `created` tells it from a later process
    that was given the same number (seconds since the epoch, as psutil reports it)."""

    model_config = ConfigDict(frozen=True)

    pid: int
    created: float
    host: str
    port: int
    profile: str
    model: str
    started_at: datetime

    @property
    def root_url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def base_url(self) -> str:
        return self.root_url + "/v1"


def state_path(engine_dir: Path) -> Path:
    return engine_dir / "engine.json"


def read_state(engine_dir: Path) -> EngineState | None:
    """None when nothing was started here."""
    path = state_path(engine_dir)
    try:
        return EngineState.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise EngineError(
            f"{path} cannot be read, so it is unknown what runs; end the model server's process if "
            "there is one, delete the file, and try again"
        ) from error


def write_state(engine_dir: Path, state: EngineState) -> None:
    unfinished = state_path(engine_dir).with_suffix(".tmp")
    unfinished.write_text(state.model_dump_json(indent=2), encoding="utf-8")
    unfinished.replace(state_path(engine_dir))


def clear_state(engine_dir: Path) -> None:
    state_path(engine_dir).unlink(missing_ok=True)


def is_alive(state: EngineState) -> bool:
    """Whether the server's first process lives; its children may outlive it, see `group_of`."""
    leader = _process(state.pid)
    return leader is not None and _is_leader(leader, state) and not _is_zombie(leader)


def group_of(state: EngineState) -> list[psutil.Process]:
    """Every living process of the server, also after its first one died.

    The kernel gives a number to no new process while a group of that number lives. So when the
    number belongs to a later process, nothing of this server is left.
    """
    leader = _process(state.pid)
    if leader is not None and not _is_leader(leader, state):
        return []
    return [
        process
        for process in psutil.process_iter()
        if _group_number(process.pid) == state.pid and not _is_zombie(process)
    ]


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _is_leader(process: psutil.Process, state: EngineState) -> bool:
    try:
        return bool(abs(process.create_time() - state.created) <= CREATE_TIME_TOLERANCE_S)
    except psutil.NoSuchProcess:
        return False


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _group_number(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except (ProcessLookupError, PermissionError):
        return None
