import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from graph.errors import (
    EngineDied,
    EngineError,
    EngineNotInstalled,
    EngineStartTimeout,
    ModelMissing,
    NotEnoughMemory,
    PortInUse,
)
from serving.engine import hardware, launch
from serving.engine.engine_log import log_path, log_tail
from serving.engine.hardware import Gpu
from serving.engine.profiles import MemoryNeed, Profile, load_profile
from serving.engine.state import is_alive, read_state, state_path, write_state
from serving.settings import Settings
from tests.serving.engine.conftest import ignore, stand_in


def test_up_returns_a_server_that_answers_and_down_ends_it(
    settings: Settings, profile: Profile
) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings))
    assert launch.status(settings).status == "ready"
    assert state.base_url == f"http://127.0.0.1:{settings.engine_port}/v1"
    assert launch.down(settings)
    assert not psutil.pid_exists(state.pid)
    assert launch.status(settings).status == "stopped"
    assert not launch.down(settings)


def test_a_second_up_finds_the_first_server(settings: Settings, profile: Profile) -> None:
    first = launch.up(settings, profile, ignore, command=stand_in(settings))
    assert launch.up(settings, profile, ignore, command=["false"]) == first


def test_another_profile_is_refused_while_one_is_up(settings: Settings, profile: Profile) -> None:
    launch.up(settings, profile, ignore, command=stand_in(settings))
    other = replace(profile, name="cpu-qwen3-0.6b")
    with pytest.raises(EngineError, match="engine down"):
        launch.up(settings, other, ignore, command=stand_in(settings))


def test_the_server_outlives_a_command_that_crashes(settings: Settings, profile: Profile) -> None:
    crash = (
        "import os\n"
        "from serving.engine import launch, profiles, readiness\n"
        "from serving.settings import Settings\n"
        "launch.wait_until_ready = lambda *_: os._exit(9)\n"
        f"settings = Settings(home={str(settings.home)!r}, engine_port={settings.engine_port})\n"
        "launch._require_memory = lambda need: None\n"
        "profile = profiles.load_profile('cpu-smollm2')\n"
        f"launch.up(settings, profile, print, command={stand_in(settings)!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", crash], timeout=60, check=False)
    assert done.returncode == 9
    state = launch.up(settings, profile, ignore, command=["false"])
    assert is_alive(state)
    assert launch.down(settings)


def test_a_process_with_a_recycled_number_is_left_alone(
    settings: Settings, profile: Profile
) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings))
    stranger = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    recycled = {"pid": stranger.pid, "created": state.created - 3600}
    try:
        write_state(settings.engine_dir, state.model_copy(update=recycled))
        assert launch.status(settings).status == "died"
        assert not launch.down(settings)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        write_state(settings.engine_dir, state)


def test_down_ends_a_child_whose_parent_died(settings: Settings, profile: Profile) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings, "--child"))
    child = psutil.Process(_child_pid(settings))
    os.kill(state.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(state.pid)], timeout=10)
    assert launch.status(settings).status == "died"
    assert child.is_running()
    assert launch.down(settings)
    assert not child.is_running()


def test_up_replaces_what_a_dead_server_left(settings: Settings, profile: Profile) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings, "--child"))
    child = psutil.Process(_child_pid(settings))
    os.kill(state.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(state.pid)], timeout=10)
    again = launch.up(settings, profile, ignore, command=stand_in(settings))
    assert again.pid != state.pid
    assert not child.is_running()


def test_a_port_in_use_names_its_owner(settings: Settings, profile: Profile) -> None:
    with (
        socket.create_server(("127.0.0.1", settings.engine_port)),
        pytest.raises(PortInUse, match=f"process {os.getpid()} "),
    ):
        launch.up(settings, profile, ignore, command=stand_in(settings))
    assert read_state(settings.engine_dir) is None


@pytest.mark.parametrize(
    ("last_words", "error"),
    [
        ("Illegal flag --frobnicate", EngineDied),
        ("[Errno 98] address already in use", PortInUse),
        ("torch.OutOfMemoryError: CUDA out of memory.", NotEnoughMemory),
        ("OSError: We couldn't connect to 'https://huggingface.co'", ModelMissing),
    ],
)
def test_a_server_that_dies_says_why_with_its_last_words(
    settings: Settings, profile: Profile, last_words: str, error: type[EngineError]
) -> None:
    with pytest.raises(error) as raised:
        launch.up(settings, profile, ignore, command=stand_in(settings, "--last-words", last_words))
    assert last_words in str(raised.value)
    assert read_state(settings.engine_dir) is None


def test_a_server_killed_by_the_system_was_short_of_memory(
    settings: Settings, profile: Profile
) -> None:
    with pytest.raises(NotEnoughMemory, match="smaller profile"):
        launch.up(settings, profile, ignore, command=["sh", "-c", "kill -KILL $$"])


def test_a_server_that_never_gets_ready_is_ended(settings: Settings, profile: Profile) -> None:
    impatient = settings.model_copy(update={"engine_start_timeout_s": 2})
    with pytest.raises(EngineStartTimeout, match="KA_ENGINE_START_TIMEOUT_S"):
        launch.up(impatient, profile, ignore, command=stand_in(settings, "--unready", "--child"))
    assert not psutil.pid_exists(_child_pid(settings))
    assert launch.status(settings).status == "stopped"


def test_a_server_that_is_not_healthy_yet_is_starting(settings: Settings, profile: Profile) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings))
    os.kill(state.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(state.pid)], timeout=10)
    silent = subprocess.Popen(["sleep", "60"], start_new_session=True)
    created = psutil.Process(silent.pid).create_time()
    loading = state.model_copy(update={"pid": silent.pid, "created": created})
    write_state(settings.engine_dir, loading)
    assert launch.status(settings).status == "starting"
    assert launch.down(settings)
    silent.wait()


def test_too_little_memory_is_found_before_the_start(settings: Settings, profile: Profile) -> None:
    huge = replace(profile, need=MemoryNeed(ram_gib=1_000_000))
    with pytest.raises(NotEnoughMemory, match=r"1000000\.0 GiB"):
        launch.up(settings, huge, ignore, command=stand_in(settings))
    assert not log_path(settings.engine_dir).exists()


def test_a_gpu_that_is_full_is_found_before_the_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "find_gpus", lambda: [Gpu(total_gib=24, free_gib=3)])
    monkeypatch.setattr(hardware, "available_memory_gib", lambda: 64.0)
    with pytest.raises(NotEnoughMemory, match=r"3\.0 of 24\.0"):
        launch.up(settings, load_profile("gpu-qwen3-8b-awq"), ignore, command=stand_in(settings))


def test_up_without_the_engine_says_how_to_install_it(settings: Settings, profile: Profile) -> None:
    with pytest.raises(EngineNotInstalled, match="engine install --profile cpu-smollm2"):
        launch.up(settings, profile, ignore)


def test_the_log_of_the_last_start_is_kept(settings: Settings, profile: Profile) -> None:
    for words in ("one", "two", "three"):
        with pytest.raises(EngineDied):
            launch.up(settings, profile, ignore, command=stand_in(settings, "--last-words", words))
    path = log_path(settings.engine_dir)
    assert path.read_text() == "three\n"
    assert path.with_name("engine.log.1").read_text() == "two\n"
    assert sorted(path.parent.glob("engine.log*")) == [path, path.with_name("engine.log.1")]


def test_a_long_log_shows_its_last_lines(tmp_path: Path) -> None:
    log_path(tmp_path).write_text("".join(f"line {n} 가\n" for n in range(50_000)))
    assert log_tail(tmp_path, 2) == ["line 49998 가", "line 49999 가"]


def test_an_unreadable_state_file_is_an_error_that_names_it(settings: Settings) -> None:
    settings.engine_dir.mkdir(parents=True)
    state_path(settings.engine_dir).write_text("{")
    with pytest.raises(EngineError, match=r"engine\.json"):
        launch.status(settings)
    state_path(settings.engine_dir).unlink()


def test_a_server_elsewhere_is_asked_for_its_model(settings: Settings, profile: Profile) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings))
    elsewhere = settings.model_copy(update={"engine_url": state.base_url})
    found = launch.status(elsewhere)
    assert (found.status, found.model, found.pid) == ("ready", "smollm2-135m-instruct", None)


def test_a_server_elsewhere_that_is_gone_is_unreachable(settings: Settings) -> None:
    elsewhere = settings.model_copy(
        update={"engine_url": f"http://127.0.0.1:{settings.engine_port}/v1"}
    )
    assert launch.status(elsewhere).status == "unreachable"


def _child_pid(settings: Settings) -> int:
    line = next(line for line in log_tail(settings.engine_dir, 50) if line.startswith("child "))
    return int(line.split()[1])
