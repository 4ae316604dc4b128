"""The command line that starts vLLM with a profile."""

import os
from pathlib import Path

from serving.engine.hardware import cpu_multiplies_bfloat16
from serving.engine.profiles import Profile
from serving.settings import Settings

HOST = "127.0.0.1"
SMALL_MACHINE_CPUS = 4


def vllm_command(settings: Settings, profile: Profile, model_dir: Path | None) -> list[str]:
    """`model_dir` is a model made on this machine; None: the profile's own, from the hub.

    The console script `vllm` of the CPU build does not start, its module does.
    """
    python = venv_python(settings)
    server = [str(python), "-m", "vllm.entrypoints.openai.api_server"]
    server += ["--config", str(profile.path), "--host", HOST, "--port", str(settings.engine_port)]
    variables = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if model_dir is not None:
        server += ["--model", str(model_dir)]
        variables["HF_HUB_OFFLINE"] = "1"
    if profile.device == "cpu":
        if cpu_multiplies_bfloat16():
            server += ["--dtype", "bfloat16"]
        variables |= _cpu_variables(python)
    # `env` adds to the environment that the server inherits, and becomes the server itself.
    return ["env", *(f"{name}={value}" for name, value in variables.items()), *server]


def venv_python(settings: Settings) -> Path:
    return settings.engine_venv.absolute() / "bin" / "python"


def _cpu_variables(python: Path) -> dict[str, str]:
    variables = {}
    cpus = sorted(os.sched_getaffinity(0))
    # vLLM takes one logical CPU of each core, which leaves half of a small virtual machine idle.
    if len(cpus) <= SMALL_MACHINE_CPUS:
        variables["VLLM_CPU_OMP_THREADS_BIND"] = ",".join(str(cpu) for cpu in cpus)
    openmp = python.parent.parent / "lib" / "libiomp5.so"
    if openmp.exists():
        variables["LD_PRELOAD"] = str(openmp)
    return variables
