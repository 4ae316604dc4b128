"""A crash at each single change that an ingest makes to SQLite, to Chroma or on disk."""

import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from knowledge.store import IndexAddress
from tests.knowledge import folders
from tests.knowledge.dump import Dump, dump
from tests.knowledge.faults import Crash, Seam, crash
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

FOLDERS = ("before", "changed", "changed again")


@dataclass(frozen=True, slots=True)
class Scene:
    """Three states of one folder, an index of the first, and what an index of the last holds."""

    home: Path
    expected: Dump

    def folder(self, state: str) -> Path:
        return self.home / state

    def old_index(self, copy: Path) -> IndexAddress:
        shutil.copytree(self.home / "index", copy)
        return IndexAddress(copy)

    def check_completed(self, address: IndexAddress) -> None:
        """The folder has changed again since the crash."""
        sync(self.folder("changed again"), address, WordsEmbedder())
        found = dump(address)
        assert found.faults() == []
        assert found.difference(self.expected) == []


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    home = tmp_path_factory.mktemp("scene")
    before, changed, again = (home / state for state in FOLDERS)
    for name, sections in {
        "tea.md": [0, 1],
        "김치.md": [1],
        "plan.txt": [2],
        "old.md": [3],
    }.items():
        folders.write(before / name, folders.text(sections))
    shutil.copytree(before, changed)
    folders.write(changed / "tea.md", folders.text([0, 4, 5]))
    folders.write(changed / "new.md", folders.text([6, 7, 8]))
    (changed / "김치.md").rename(changed / "보고서.md")
    (changed / "old.md").unlink()
    # What was new is gone, and what was gone is back: nothing may be left of the state between.
    shutil.copytree(before, again)
    (again / "plan.txt").unlink()
    sync(before, IndexAddress(home / "index"), WordsEmbedder())
    sync(again, IndexAddress(home / "expected"), WordsEmbedder())
    return Scene(home, dump(IndexAddress(home / "expected")))


KILLED, INTERRUPTED = True, False


@pytest.mark.parametrize("rebuild", [False, True], ids=["sync", "rebuild"])
@pytest.mark.parametrize(
    ("seam", "dead"),
    [
        *(("sqlite", KILLED), ("vectors", KILLED), ("embedder", KILLED)),
        *(("vectors", INTERRUPTED), ("embedder", INTERRUPTED)),
    ],
)
def test_after_a_crash_at_any_change_the_next_ingest_brings_the_index_in_step(
    scene: Scene, tmp_path: Path, seam: Seam, dead: bool, rebuild: bool
) -> None:
    # In a dead process, before a statement is where it was after the one before.
    for moment in count(1, 2) if seam == "sqlite" else count():
        address = scene.old_index(tmp_path / str(moment))
        try:
            with crash(seam, moment, dead=dead):
                sync(scene.folder("changed"), address, WordsEmbedder(), rebuild=rebuild)
        except Crash:
            scene.check_completed(address)
        else:
            assert moment > 1, "nothing crashed"
            break


@pytest.mark.parametrize("moment", [0, 1], ids=["before", "after"])
def test_after_a_crash_at_the_switch_to_a_rebuilt_index_the_next_ingest_brings_it_in_step(
    scene: Scene, tmp_path: Path, moment: int
) -> None:
    address = scene.old_index(tmp_path / "index")
    with pytest.raises(Crash), crash("publish", moment, dead=True):
        sync(scene.folder("changed"), address, WordsEmbedder(), rebuild=True)
    scene.check_completed(address)
