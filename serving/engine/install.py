"""vLLM's own environment. It pins packages that the agent needs in other versions."""

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

from graph.errors import EngineNotInstalled
from serving.engine.command import venv_python
from serving.engine.profiles import Profile
from serving.settings import Settings

REQUIREMENTS_DIR = Path(__file__).parents[2] / "requirements"
INSTALL_TIMEOUT_S = 3600.0
SHOWN_LINES = 20
# The engine's pins and the hash of the CPU build of torch are for this one. uv finds it or fetches
# it, whichever Python runs the agent.
PYTHON_VERSION = "3.11"


def requirements_of(profile: Profile) -> Path:
    return REQUIREMENTS_DIR / f"engine-{profile.device}.txt"


def is_installed(settings: Settings, profile: Profile) -> bool:
    try:
        stamp = _stamp_path(settings).read_text(encoding="utf-8")
        return stamp == _stamp(requirements_of(profile))
    except FileNotFoundError:
        return False


def require_installed(settings: Settings, profile: Profile) -> None:
    if not is_installed(settings, profile):
        raise EngineNotInstalled(
            f"{settings.engine_venv} does not hold the engine of profile {profile.name}; run: "
            f"knowledge-agent engine install --profile {profile.name}"
        )


def install(settings: Settings, profile: Profile) -> bool:
    """Make the environment unless it is there and whole; False when there was nothing to do.

    Raises `EngineNotInstalled`. The stamp is written last, so a half-made one is made anew.
    """
    if is_installed(settings, profile):
        return False
    requirements = requirements_of(profile)
    if not requirements.exists():
        raise EngineNotInstalled(
            f"{requirements} is missing; the engine is installed from a checkout of the project"
        )
    _require_platform()
    venv = settings.engine_venv
    _uv_or_raise(["venv", "--clear", "--python", PYTHON_VERSION, str(venv)])
    _uv_or_raise(sync_arguments(settings, profile, requirements))
    _stamp_path(settings).write_text(_stamp(requirements), encoding="utf-8")
    return True


def sync_arguments(settings: Settings, profile: Profile, requirements: Path) -> list[str]:
    """Exactly what the file lists: `sync` follows no dependency, so what is left out stays out."""
    arguments = ["pip", "sync", "--require-hashes", "--no-build"]
    arguments += ["--python", str(venv_python(settings))]
    # uv does not read pip's variable, and PyPI has no CPU build of torch.
    for place in (settings.pip_find_links or "").split():
        arguments += ["--find-links", place]
    if profile.device == "cpu" and not settings.pip_find_links:
        arguments += ["--torch-backend", "cpu"]
    return [*arguments, str(requirements)]


def run_uv(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """uv of the environment that runs the agent; its own output comes back, nothing is printed."""
    try:
        return subprocess.run(
            [sys.executable, "-m", "uv", "--no-progress", *arguments],
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineNotInstalled(
            f"uv did not end within {INSTALL_TIMEOUT_S:.0f} s; check the network and run the "
            "command again"
        ) from error


def last_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-SHOWN_LINES:])


def _uv_or_raise(arguments: list[str]) -> None:
    done = run_uv(arguments)
    if done.returncode != 0:
        raise EngineNotInstalled(
            "the engine could not be installed; see uv's own words below, or use a server that "
            f"runs elsewhere (KA_ENGINE_URL)\n{last_lines(done.stderr)}"
        )


def _require_platform() -> None:
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise EngineNotInstalled(
            f"the pinned engine is for Linux on x86-64, this is {system} on {machine}; set "
            "KA_ENGINE_URL to a server with an OpenAI-compatible API"
        )


def _stamp_path(settings: Settings) -> Path:
    return settings.engine_venv / "engine.stamp"


def _stamp(requirements: Path) -> str:
    return f"{PYTHON_VERSION} {hashlib.sha256(requirements.read_bytes()).hexdigest()}"
