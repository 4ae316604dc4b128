"""The machine that figures were measured on, and how busy it was."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

import psutil

CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Machine:
    """`load` is the mean number of processes that wanted a core in the last minute."""

    processor: str
    cores: int
    memory_bytes: int
    system: str
    python: str
    load: float


def machine() -> Machine:
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )


def _processor() -> str:
    if CPUINFO.exists():
        for line in CPUINFO.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
