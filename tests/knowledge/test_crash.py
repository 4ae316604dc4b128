"""An ingest that is killed, at any moment, or meets a full disk, is completed by the next one."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from knowledge.store import IndexAddress
from tests.knowledge import folders
from tests.knowledge.crash_worker import PHASES, Finished, Job, Phase, finish, kill
from tests.knowledge.dump import Dump
from tests.knowledge.scratch import scratch

DOCUMENTS = 24
KILLS_PER_PHASE = 10
MAX_MISSES = 20
SEED = 20261129

DISK = "size=16m"


@dataclass(frozen=True, slots=True)
class Scene:
    """An index of a folder that has changed since; `expected` is what an index made in peace from
    the changed folder holds. `seconds` are those of an ingest into the old index, a rebuild or
    not."""

    folder: Path
    index: Path
    expected: Dump
    seconds: dict[bool, dict[Phase, float]]

    def job(self, index: Path, *, rebuild: bool = False) -> Job:
        """An ingest into a copy of the old index."""
        shutil.copytree(self.index, index)
        return Job(self.folder, IndexAddress(index), rebuild=rebuild)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with scratch() as home:
        folder, rng = home / "documents", random.Random(SEED)
        folders.fill(folder, rng, DOCUMENTS)
        finish(Job(folder, IndexAddress(home / "before")))
        folders.change(folder, rng)
        expected = finish(Job(folder, IndexAddress(home / "after"))).dump
        assert expected is not None
        assert expected.faults() == []
        untimed = Scene(folder, home / "before", expected, {})
        seconds = {
            rebuild: finish(untimed.job(home / f"timed {rebuild}", rebuild=rebuild)).seconds
            for rebuild in (False, True)
        }
        yield replace(untimed, seconds=seconds)


def assert_in_step(scene: Scene, finished: Finished) -> None:
    """No passage twice, missing or stale: all is as in an index that was made in peace."""
    assert finished.error is None
    assert finished.dump is not None
    assert finished.dump.faults() == []
    assert finished.dump.difference(scene.expected) == []


@pytest.mark.parametrize("phase", PHASES)
def test_an_ingest_killed_at_any_moment_is_completed_by_the_next(
    scene: Scene, phase: Phase
) -> None:
    rng = random.Random(f"{SEED} {phase}")
    fell: list[Phase] = []
    for attempt in range(KILLS_PER_PHASE + MAX_MISSES):
        if len(fell) == KILLS_PER_PHASE:
            break
        with scratch() as home:
            job = scene.job(home / "index", rebuild=rng.random() < 0.3)
            job = replace(job, reads_apart=rng.random() < 0.1)
            after_s = rng.random() * scene.seconds[job.rebuild][phase]
            killed_in = kill(job, phase, after_s)
            print(f"{attempt}: {after_s * 1000:.1f} ms into {phase} of {job}: {killed_in}")
            if killed_in is not None:
                fell.append(killed_in)
                assert_in_step(scene, finish(replace(job, rebuild=False)))
    assert len(fell) == KILLS_PER_PHASE
    assert phase in fell


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(disk)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a small disk cannot be mounted here: {error}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("rebuild", [False, True], ids=["sync", "rebuild"])
@pytest.mark.parametrize("room_kb", [0, 120, 1_200])
def test_an_ingest_that_meets_a_full_disk_says_so_and_the_next_completes_it(
    scene: Scene, small_disk: Path, room_kb: int, rebuild: bool
) -> None:
    job = scene.job(small_disk / "index", rebuild=rebuild)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - room_kb * 1024))
    stopped = finish(job)
    print(f"{room_kb} KB: {list(stopped.seconds)}, {stopped.error}")
    assert stopped.error is not None
    assert "the disk is full" in stopped.error
    assert str(small_disk) in stopped.error
    ballast.unlink()
    assert_in_step(scene, finish(replace(job, rebuild=False)))


def test_a_first_ingest_on_a_full_disk_says_so(scene: Scene, small_disk: Path) -> None:
    job = Job(scene.folder, IndexAddress(small_disk / "index"))
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free))
    stopped = finish(job)
    assert stopped.error is not None
    assert "the disk is full" in stopped.error
    ballast.unlink()
    assert_in_step(scene, finish(job))
