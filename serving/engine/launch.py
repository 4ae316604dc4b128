"""Start, watch and stop the model server of this machine.

One home has one server. It runs detached, in a session and process group of its own; the state file
finds it again from any later command, also when the one that started it crashed.
"""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel

from graph.errors import EngineError, EngineStartTimeout, NotEnoughMemory, PortInUse
from serving.engine import engine_log, hardware
from serving.engine.command import HOST, vllm_command
from serving.engine.diagnosis import SHOWN_LINES, explain_death
from serving.engine.install import install, is_installed, require_installed
from serving.engine.models import get_model
from serving.engine.profiles import MemoryNeed, Profile
from serving.engine.readiness import NotReady, ServerGone, probe, wait_until_ready
from serving.engine.state import (
    EngineState,
    clear_state,
    group_of,
    is_alive,
    read_state,
    write_state,
)
from serving.settings import Settings

LOCK_TIMEOUT_S = 660.0  # another command may be making the model's files
TERM_GRACE_S = 20.0
KILL_GRACE_S = 10.0
# The log is read wider than it is shown: the cause stands above the traceback.
DIAGNOSED_LINES = 400

OnProgress = Callable[[str], None]


class EngineStatus(BaseModel):
    status: Literal["stopped", "starting", "ready", "died", "unreachable"]
    base_url: str | None = None
    model: str | None = None
    profile: str | None = None
    pid: int | None = None
    started_at: datetime | None = None
    detail: str | None = None


def prepare(settings: Settings, profile: Profile, on_progress: OnProgress) -> bool:
    """Install vLLM and get the model's files; False when everything was there.

    Raises `EngineNotInstalled` or `ModelMissing`, and `EngineError` when the environment would have
    to be made anew under a running server.
    """
    with _locked(settings):
        state = read_state(settings.engine_dir)
        is_up = state is not None and is_alive(state)
        if is_up and not is_installed(settings, profile):
            raise EngineError(
                f"{settings.engine_venv} is to be made anew and a server runs from it; first run: "
                "knowledge-agent engine down"
            )
        on_progress(f"installing vLLM for {profile.name} into {settings.engine_venv}")
        is_new = install(settings, profile)
        on_progress(f"getting the model {profile.served_name}")
        get_model(settings, profile)
    return is_new


def up(
    settings: Settings,
    profile: Profile,
    on_progress: OnProgress,
    *,
    command: Sequence[str] | None = None,
) -> EngineState:
    """Return when the server answers; at once when it already does.

    Without `command` it is vLLM with `profile`. Raises an `EngineError`: not installed, another
    profile is up, port in use, model missing, too little memory, died, start timeout.
    """
    process: subprocess.Popen[bytes] | None = None
    with _locked(settings):
        state = read_state(settings.engine_dir)
        if state is not None and is_alive(state):
            _require_same(state, profile)
        else:
            if state is not None:
                on_progress("removing what an earlier server left")
                _end_group(state)
            if command is None:
                require_installed(settings, profile)
                on_progress(f"getting the model {profile.served_name}")
                command = vllm_command(settings, profile, get_model(settings, profile))
            _require_memory(profile.need)
            _require_free_port(settings.engine_port)
            process, state = _spawn(settings, profile, command)
    on_progress(f"starting {profile.name} (process {state.pid}), loading {state.model}")
    _wait(settings, state, process, profile.hub_name or profile.served_name)
    return state


def down(settings: Settings) -> bool:
    """End the server and everything that it started; False when there was nothing to end."""
    with _locked(settings):
        state = read_state(settings.engine_dir)
        if state is None:
            return False
        was_running = _end_group(state)
        clear_state(settings.engine_dir)
    return was_running


def status(settings: Settings) -> EngineStatus:
    """Ask the server for one token; with `engine_url` set, ask that server."""
    if settings.engine_url is not None:
        return _remote_status(settings, settings.engine_url)
    state = read_state(settings.engine_dir)
    if state is None:
        return EngineStatus(status="stopped")
    known = EngineStatus(status="ready", base_url=state.base_url, **state.model_dump())
    if not is_alive(state):
        last = engine_log.log_tail(settings.engine_dir, 1)
        return known.model_copy(update={"status": "died", "detail": "".join(last)})
    try:
        probe(state.base_url, state.model)
    except NotReady as error:
        return known.model_copy(update={"status": "starting", "detail": str(error)})
    return known


def _remote_status(settings: Settings, url: str) -> EngineStatus:
    key = settings.engine_api_key.get_secret_value() if settings.engine_api_key else None
    try:
        model = probe(url, settings.engine_model, key)
    except NotReady as error:
        return EngineStatus(status="unreachable", base_url=url, detail=str(error))
    return EngineStatus(status="ready", base_url=url, model=model)


@contextmanager
def _locked(settings: Settings) -> Iterator[None]:
    settings.engine_dir.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(settings.engine_dir / "engine.lock", timeout=LOCK_TIMEOUT_S):
            yield
    except Timeout as error:
        raise EngineError(
            f"another command has been preparing the engine for {LOCK_TIMEOUT_S:.0f} s; wait for "
            "it, or end it, and try again"
        ) from error


def _require_same(state: EngineState, profile: Profile) -> None:
    if state.profile != profile.name:
        raise EngineError(
            f"the profile {state.profile} is up at {state.base_url}; to change to {profile.name}, "
            "run: knowledge-agent engine down"
        )


def _require_memory(need: MemoryNeed) -> None:
    available = hardware.available_memory_gib()
    if available < need.ram_gib:
        raise NotEnoughMemory(
            f"this profile needs {need.ram_gib:.1f} GiB of memory, {available:.1f} GiB are free; "
            "end other programs or choose a smaller profile (knowledge-agent engine profiles)"
        )
    if need.gpu_count == 0:
        return
    gpus = hardware.find_gpus()
    fitting = sum(gpu.free_gib >= need.gpu_gib for gpu in gpus)
    if fitting < need.gpu_count:
        free = ", ".join(f"{gpu.free_gib:.1f} of {gpu.total_gib:.1f}" for gpu in gpus) or "no GPU"
        raise NotEnoughMemory(
            f"this profile needs {need.gpu_count} GPU(s) with {need.gpu_gib:.1f} GiB free each, "
            f"there is: {free}; end what uses them or choose a smaller profile"
        )


def _require_free_port(port: int) -> None:
    with socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError as error:
            raise PortInUse(
                f"port {port} is in use{_port_owner(port)}; end that program or set KA_ENGINE_PORT"
            ) from error


def _port_owner(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status != psutil.CONN_LISTEN or connection.pid is None:
                continue
            if connection.laddr and connection.laddr.port == port:
                name = psutil.Process(connection.pid).name()
                return f" by process {connection.pid} ({name})"
    except psutil.Error:
        pass  # not allowed to look: the port is in use all the same
    return ""


def _spawn(
    settings: Settings, profile: Profile, command: Sequence[str]
) -> tuple[subprocess.Popen[bytes], EngineState]:
    with engine_log.open_new_log(settings.engine_dir) as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    state = EngineState(
        pid=process.pid,
        created=psutil.Process(process.pid).create_time(),
        host=HOST,
        port=settings.engine_port,
        profile=profile.name,
        model=profile.served_name,
        started_at=datetime.now(UTC),
    )
    write_state(settings.engine_dir, state)
    return process, state


def _wait(
    settings: Settings,
    state: EngineState,
    process: subprocess.Popen[bytes] | None,
    model: str,
) -> None:
    """`process` is None when another command started the server."""

    def lives() -> bool:
        return process.poll() is None if process else is_alive(state)

    timeout_s = settings.engine_start_timeout_s
    try:
        wait_until_ready(state.root_url, state.model, timeout_s, lives)
    except (ServerGone, NotReady) as error:
        lines = engine_log.log_tail(settings.engine_dir, DIAGNOSED_LINES)
        exit_status = process.poll() if process else None
        _forget(settings, state)
        log_file = engine_log.log_path(settings.engine_dir)
        if isinstance(error, ServerGone):
            raise explain_death(lines, exit_status, model, log_file) from error
        shown = "\n".join(lines[-SHOWN_LINES:])
        raise EngineStartTimeout(
            f"the model server was not ready within {timeout_s:.0f} s ({error}) and was ended; "
            f"raise KA_ENGINE_START_TIMEOUT_S if this machine is slow\nThe end of {log_file}:\n"
            + shown
        ) from error


def _forget(settings: Settings, state: EngineState) -> None:
    with _locked(settings):
        _end_group(state)
        if read_state(settings.engine_dir) == state:
            clear_state(settings.engine_dir)


def _end_group(state: EngineState) -> bool:
    """TERM, then KILL, to the whole group: an engine core can outlive its API server."""
    members = group_of(state)
    if not members:
        return False
    os.killpg(state.pid, signal.SIGTERM)
    _, left = psutil.wait_procs(members, timeout=TERM_GRACE_S)
    if left:
        os.killpg(state.pid, signal.SIGKILL)
        _, left = psutil.wait_procs(left, timeout=KILL_GRACE_S)
    if left:
        numbers = ", ".join(str(process.pid) for process in left)
        raise EngineError(f"these processes of the model server do not end: {numbers}")
    return True
