import json

import pytest
from typer.testing import CliRunner

from graph.errors import ConfigError, InputError
from serving.cli.engine import engine_app
from serving.engine import hardware, launch
from serving.engine.profiles import Profile
from serving.settings import Settings
from tests.serving.engine.conftest import ignore, stand_in

runner = CliRunner()


@pytest.fixture(autouse=True)
def _environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_HOME", str(settings.home))
    monkeypatch.setenv("KA_ENGINE_PORT", str(settings.engine_port))
    monkeypatch.setenv("KA_ENGINE_VENV", str(settings.engine_venv))
    monkeypatch.setattr(hardware, "find_gpus", list)
    monkeypatch.setattr(hardware, "available_memory_gib", lambda: 64.0)


def test_the_commands_find_and_stop_a_server(settings: Settings, profile: Profile) -> None:
    state = launch.up(settings, profile, ignore, command=stand_in(settings))
    found = runner.invoke(engine_app, ["status", "--json"])
    assert found.exit_code == 0
    assert json.loads(found.stdout)["pid"] == state.pid
    up = runner.invoke(engine_app, ["up", "--json"])
    assert json.loads(up.stdout)["port"] == settings.engine_port
    down = runner.invoke(engine_app, ["down", "--json"])
    assert json.loads(down.stdout) == {"was_running": True}


def test_status_exits_with_1_when_nothing_answers() -> None:
    found = runner.invoke(engine_app, ["status"])
    assert (found.exit_code, found.stdout) == (1, "stopped\n")


@pytest.mark.parametrize("command", ["install", "up", "down"])
def test_a_server_elsewhere_is_not_managed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_ENGINE_URL", "http://gpu.example/v1")
    said = runner.invoke(engine_app, [command])
    assert said.exit_code == 0
    assert "http://gpu.example/v1 is used and not managed here" in said.stdout


def test_logs_show_the_last_lines(settings: Settings) -> None:
    settings.engine_dir.mkdir(parents=True)
    (settings.engine_dir / "engine.log").write_text("하나\n둘\n셋\n")
    assert runner.invoke(engine_app, ["logs", "--lines", "2"]).stdout == "둘\n셋\n"


def test_logs_before_the_first_start_say_what_to_do() -> None:
    assert isinstance(runner.invoke(engine_app, ["logs"]).exception, InputError)


def test_profiles_marks_the_one_for_this_machine() -> None:
    listed = runner.invoke(engine_app, ["profiles"]).stdout
    marked = [line for line in listed.splitlines() if "*" in line]
    assert len(marked) == 1
    assert "cpu-smollm2" in marked[0]


def test_an_unknown_profile_is_refused() -> None:
    assert isinstance(runner.invoke(engine_app, ["up", "--profile", "nope"]).exception, ConfigError)
