"""Which model, for whom, with which flags: a YAML file each, read by vLLM's `--config` as it is."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from graph.errors import ConfigError
from serving.engine.hardware import Gpu

PROFILES_DIR = Path(__file__).parent / "profiles"


@dataclass(frozen=True)
class MemoryNeed:
    """In GiB; `gpu_gib` is for each of `gpu_count` GPUs.

    Drivers report a little less than the number on the box, so the GPU figures leave some room.
    """

    ram_gib: float
    gpu_count: int = 0
    gpu_gib: float = 0.0


@dataclass(frozen=True)
class Profile:
    name: str
    path: Path
    for_whom: str
    served_name: str
    hub_name: str | None
    """Where vLLM downloads it from; None: made on this machine from a package."""
    need: MemoryNeed
    schedules_by_priority: bool

    @property
    def device(self) -> str:
        return "gpu" if self.need.gpu_count else "cpu"


NEEDS = {
    "cpu-smollm2": MemoryNeed(ram_gib=4.5),
    "cpu-qwen3-0.6b": MemoryNeed(ram_gib=7.5),
    "gpu-qwen3-8b-awq": MemoryNeed(ram_gib=4, gpu_count=1, gpu_gib=11.5),
    "gpu-qwen3-30b": MemoryNeed(ram_gib=8, gpu_count=2, gpu_gib=39),
}


def load_profile(name: str) -> Profile:
    if name not in NEEDS:
        raise ConfigError(f"there is no profile {name!r}; there are {', '.join(NEEDS)}")
    path = PROFILES_DIR / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    flags = yaml.safe_load(text)
    return Profile(
        name=name,
        path=path,
        for_whom=text.splitlines()[0].removeprefix("# "),
        served_name=flags["served-model-name"],
        hub_name=flags.get("model"),
        need=NEEDS[name],
        schedules_by_priority=flags.get("scheduling-policy") == "priority",
    )


def all_profiles() -> list[Profile]:
    return [load_profile(name) for name in NEEDS]


def choose_profile(gpus: list[Gpu]) -> Profile:
    """The largest model that fits the GPUs of this machine; without one, the smallest of all."""
    for name in ("gpu-qwen3-30b", "gpu-qwen3-8b-awq"):
        need = NEEDS[name]
        if sum(gpu.total_gib >= need.gpu_gib for gpu in gpus) >= need.gpu_count:
            return load_profile(name)
    return load_profile("cpu-smollm2")
