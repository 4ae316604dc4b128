"""A crash at each single change that an ingest makes to SQLite, to Chroma or on disk."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from knowledge.store import IndexAddress
from tests.knowledge import folders
from tests.knowledge.dump import Dump, dump
from tests.knowledge.faults import Crash, Seam, crash
from tests.knowledge.scratch import scratch
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

State = dict[str, list[int]]
"""The files of a folder, and the sections of each."""

BEFORE: State = {"tea.md": [0, 1], "김치.md": [1], "plan.txt": [2], "old.md": [3]}
MANY: State = {"tea.md": [0, 4], "보고서.md": [1], "plan.txt": [2], "new.md": [6, 7]}
REMOVED: State = {"tea.md": [0, 1], "김치.md": [1], "plan.txt": [2]}

SCENARIOS: dict[str, tuple[State, State]] = {
    "many changes, others after the crash": (MANY, {"tea.md": [0, 1], "old.md": [3]}),
    "one added, gone after the crash": (BEFORE | {"new.md": [6, 7]}, BEFORE),
    "one removed": (REMOVED, REMOVED),
}
"""What the ingest finds that crashes, and the one that completes it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """An index of `BEFORE`, the folders of a scenario, and what an index of the last one holds."""

    old: IndexAddress
    changed: Path
    after_the_crash: Path
    expected: Dump

    @contextmanager
    def index(self) -> Iterator[IndexAddress]:
        """A copy of the old index."""
        with scratch() as home:
            shutil.copytree(self.old.folder, home / "index")
            yield IndexAddress(home / "index")

    def check_completed(self, address: IndexAddress) -> None:
        sync(self.after_the_crash, address, WordsEmbedder())
        found = dump(address)
        assert found.faults() == []
        assert found.difference(self.expected) == []


@pytest.fixture(scope="module", params=SCENARIOS)
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    changed, after_the_crash = SCENARIOS[request.param]
    with scratch() as home:
        for number, state in enumerate((BEFORE, changed, after_the_crash)):
            for name, sections in state.items():
                folders.write(home / f"{number}" / name, folders.text(sections))
        old, new = IndexAddress(home / "old"), IndexAddress(home / "new")
        sync(home / "0", old, WordsEmbedder())
        sync(home / "2", new, WordsEmbedder())
        yield Scene(old, home / "1", home / "2", dump(new))


KILLED, INTERRUPTED = True, False


@pytest.mark.parametrize(
    ("seam", "dead", "rebuild"),
    [
        ("sqlite", KILLED, False),
        ("sqlite", KILLED, True),
        ("vectors", KILLED, False),
        ("vectors", INTERRUPTED, False),
    ],
    ids=["sqlite", "sqlite, rebuild", "vectors", "vectors, interrupted"],
)
def test_after_a_crash_at_any_change_the_next_ingest_brings_the_index_in_step(
    scene: Scene, seam: Seam, dead: bool, rebuild: bool
) -> None:
    # In a dead process, before a statement is where it was after the one before.
    for moment in count(1, 2) if seam == "sqlite" else count():
        with scene.index() as address:
            try:
                with crash(seam, moment, dead=dead):
                    sync(scene.changed, address, WordsEmbedder(), rebuild=rebuild)
            except Crash:
                scene.check_completed(address)
            else:
                assert moment > 1, "nothing crashed"
                break


@pytest.mark.parametrize("moment", [0, 1], ids=["before", "after"])
def test_after_a_crash_at_the_switch_to_a_rebuilt_index_the_next_ingest_brings_it_in_step(
    scene: Scene, moment: int
) -> None:
    with scene.index() as address:
        with pytest.raises(Crash), crash("publish", moment, dead=True):
            sync(scene.changed, address, WordsEmbedder(), rebuild=True)
        scene.check_completed(address)
