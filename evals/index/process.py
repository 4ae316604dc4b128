"""Measured work runs in processes of its own: nothing warm is left from the one before."""

import json
import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

TIMEOUT_S = 4 * 3600.0
SAMPLE_S = 0.2


class ProcessFailed(Exception):
    """A measured process ended badly; the message has the end of what it wrote."""


@dataclass(frozen=True, slots=True)
class Ran:
    """`seconds` is the whole process, its start included, and `cpu_seconds` what it and its
    children computed, which a busy machine changes little; `peak_rss` sums the resident bytes of it
    and all its children at one moment, so that what they share counts more than once."""

    output: str
    returncode: int
    seconds: float
    cpu_seconds: float
    peak_rss: int

    @property
    def last_line(self) -> Any:
        return json.loads(self.output.strip().rsplit("\n", 1)[-1])


def run(
    command: Sequence[str | Path],
    settings: Mapping[str, str] | None = None,
    folder: Path | None = None,
    may_fail: bool = False,
    timeout_s: float = TIMEOUT_S,
) -> Ran:
    """Run a command with no variables but PATH and `settings`. Raises `ProcessFailed`."""
    environment = {"PATH": os.defpath, "LANG": "C.UTF-8", **(settings or {})}
    cpu = _children_cpu_seconds()
    started = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    meter = _Meter(process.pid)
    meter.start()
    try:
        output, errors = process.communicate(timeout=timeout_s)
        seconds = time.perf_counter() - started
    finally:
        process.kill()
        meter.stop()
    if process.returncode and not may_fail:
        raise ProcessFailed(
            f"{' '.join(str(part) for part in command)} ended with {process.returncode}:\n"
            + (output + errors)[-2_000:]
        )
    cpu = _children_cpu_seconds() - cpu
    return Ran(output, process.returncode, seconds, cpu, meter.peak_rss)


def _children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Meter(threading.Thread):
    """Looks at a process and its children five times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._ended = threading.Event()
        self.peak_rss = 0

    def run(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            self.peak_rss = max(self.peak_rss, tree_rss(self._pid))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def tree_rss(pid: int) -> int:
    """Resident bytes of a process and its children, each counted in full."""
    total = 0
    try:
        root = psutil.Process(pid)
        members = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for member in members:
        try:
            total += member.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total
