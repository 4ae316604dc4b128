"""What this machine offers to a model server: GPUs, memory, the CPU's number formats."""

import logging
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

NVIDIA_SMI = (
    "nvidia-smi",
    "--query-gpu=memory.total,memory.free",
    "--format=csv,noheader,nounits",
)
NVIDIA_SMI_TIMEOUT_S = 20.0
MIB_PER_GIB = 1024
GIB = 1024**3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Gpu:
    total_gib: float
    free_gib: float


def find_gpus() -> list[Gpu]:
    """NVIDIA GPUs as the driver reports them; none where there is no driver."""
    try:
        answer = subprocess.run(
            NVIDIA_SMI, capture_output=True, text=True, timeout=NVIDIA_SMI_TIMEOUT_S, check=False
        )
    except FileNotFoundError:
        return []
    except subprocess.TimeoutExpired:
        log.warning("nvidia-smi did not answer in %.0f s: no GPU is used", NVIDIA_SMI_TIMEOUT_S)
        return []
    if answer.returncode != 0:
        log.warning("no GPU is used, nvidia-smi says: %s", (answer.stdout + answer.stderr).strip())
        return []
    return parse_gpus(answer.stdout)


def parse_gpus(csv: str) -> list[Gpu]:
    """One `total, free` line in MiB for each GPU; a line that gives no numbers is left out."""
    found = []
    for line in csv.splitlines():
        try:
            total_mib, free_mib = (float(cell) for cell in line.split(","))
        except ValueError:
            log.warning("a GPU is left out, nvidia-smi gives no memory for it: %s", line)
            continue
        found.append(Gpu(total_mib / MIB_PER_GIB, free_mib / MIB_PER_GIB))
    return found


def available_memory_gib() -> float:
    return float(psutil.virtual_memory().available) / GIB


def cpu_multiplies_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether bfloat16 is faster than float32 on this CPU instead of several times slower."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return "avx512_bf16" in flags
