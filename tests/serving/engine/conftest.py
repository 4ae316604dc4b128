"""A home of its own for each test, and a stand-in server on a free port."""

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from serving.engine import launch
from serving.engine.profiles import MemoryNeed, Profile, load_profile
from serving.settings import Settings

STAND_IN = Path(__file__).parent / "stand_in_server.py"


def ignore(_stage: str) -> None:
    """For a test that does not look at the progress."""


def stand_in(settings: Settings, *options: str) -> list[str]:
    return [sys.executable, str(STAND_IN), str(settings.engine_port), *options]


@pytest.fixture
def profile() -> Profile:
    """The CPU profile, without its need for memory: the stand-in has none."""
    return replace(load_profile("cpu-smollm2"), need=MemoryNeed(ram_gib=0))


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    settings = Settings(
        home=tmp_path / "home",
        engine_port=port,
        engine_venv=tmp_path / "venv",
        engine_start_timeout_s=30,
    )
    yield settings
    launch.down(settings)
