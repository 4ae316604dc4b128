"""Whatever happens to a folder, and to ingests of it, the next ingest makes the index equal to it.

Equal means: to an index that is made anew from the same folder. For longer runs:
pytest tests/knowledge/test_sync_machine.py --hypothesis-profile=long
"""

import os
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from knowledge.report import Progress
from knowledge.store import IndexAddress
from tests.knowledge import folders
from tests.knowledge.dump import Dump, dump, passages_by_document
from tests.knowledge.faults import Crash, Seam, crash
from tests.knowledge.scratch import scratch
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

NAMES = st.sampled_from(
    [
        *("tea.md", "Tea.md", "notes/tea.md", "notes/2024/plan.txt"),
        *("김치.md", folders.decomposed("김치.md"), "보고서/김치.md"),
        folders.decomposed("보고서/요약.txt"),
    ]
)
TEXTS = st.lists(st.integers(0, folders.SECTIONS - 1), min_size=1, max_size=4).map(folders.text)
CONTENTS = st.one_of(
    TEXTS.map(str.encode), TEXTS.map(str.encode), st.sampled_from(folders.UNREADABLE)
)
CHOICE = st.integers(0, 2**16)
DAY_S, QUARTER_S = 86_400, 900
NEXT_DIGIT = bytes.maketrans(b"0123456789", b"1234567890")
_fresh: dict[object, Dump] = {}


class SyncMachine(RuleBasedStateMachine):
    """After `patience` steps at most, an ingest in peace brings the index in step."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        home = self.opened.enter_context(scratch())
        self.folder = home / "documents"
        self.folder.mkdir()
        self.address = IndexAddress(home / "index")
        self.versions: list[tuple[Path, bytes, int]] = []
        self.kept: set[str] = set()
        self.patience, self.waiting = 1, 0

    def teardown(self) -> None:
        self.opened.close()

    def documents(self) -> list[Path]:
        return folders.documents(self.folder)

    def chosen(self, choice: int) -> Path:
        found = self.documents()
        return found[choice % len(found)]

    # What people do to a folder.

    @initialize(texts=st.lists(TEXTS, min_size=1, max_size=3), patience=st.integers(1, 5))
    def begin(self, texts: list[str], patience: int) -> None:
        for number, text in enumerate(texts):
            self.add_or_change(f"first/{number}.md", text.encode())
        self.patience = patience

    @invariant()
    def come_in_step(self) -> None:
        self.waiting += 1
        if self.waiting >= self.patience:
            self.sync_in_peace(rebuild=False)

    @rule(name=NAMES, content=CONTENTS)
    def add_or_change(self, name: str, content: bytes) -> None:
        path = self.folder / name
        folders.write(path, content)
        self.versions.append((path, content, path.stat().st_mtime_ns))

    @precondition(lambda self: self.documents())
    @rule(choice=CHOICE, name=NAMES)
    def rename(self, choice: int, name: str) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        self.chosen(choice).replace(target)

    @precondition(lambda self: self.documents())
    @rule(one=CHOICE, other=CHOICE)
    def swap(self, one: int, other: int) -> None:
        first, second = self.chosen(one), self.chosen(other)
        if first != second:
            aside = self.folder / ".aside"
            first.rename(aside)
            second.rename(first)
            aside.rename(second)

    @precondition(lambda self: self.documents())
    @rule(choice=CHOICE)
    def delete(self, choice: int) -> None:
        self.chosen(choice).unlink()

    @rule(choice=CHOICE, with_its_time=st.booleans())
    def restore(self, choice: int, with_its_time: bool) -> None:
        path, content, mtime_ns = self.versions[choice % len(self.versions)]
        folders.write(path, content)
        if with_its_time:
            os.utime(path, ns=(mtime_ns, mtime_ns))

    @precondition(lambda self: self.documents())
    @rule(choice=CHOICE)
    def correct_in_secret(self, choice: int) -> None:
        """Neither the size nor the time of change tells it."""
        path = self.chosen(choice)
        mtime_ns = path.stat().st_mtime_ns
        path.write_bytes(path.read_bytes().translate(NEXT_DIGIT))
        os.utime(path, ns=(mtime_ns, mtime_ns))

    @precondition(lambda self: self.documents())
    @rule(choice=CHOICE, day=st.integers(1, 20_000))
    def touch(self, choice: int, day: int) -> None:
        os.utime(self.chosen(choice), (day * DAY_S, day * DAY_S))

    # What ingests go through.

    @rule(rebuild=st.booleans())
    def sync_in_peace(self, rebuild: bool) -> None:
        embedder = WordsEmbedder()
        report = sync(self.folder, self.address, embedder, rebuild=rebuild)
        assert (report.vectors_missing, report.embedder_error) == (0, None)
        assert len(report.files) >= len(self.documents())
        content = dump(self.address)
        assert content.faults() == []
        assert content.difference(fresh(self.folder)) == []
        assert self.kept.isdisjoint(embedder.embedded)
        self.kept |= content.texts
        self.waiting = 0

    @rule(moment=st.integers(0, 200), dead=st.booleans(), rebuild=st.booleans())
    def crash_at_sqlite(self, moment: int, dead: bool, rebuild: bool) -> None:
        self.sync_and_crash("sqlite", moment, dead=dead, rebuild=rebuild)

    @rule(moment=st.integers(0, 15), dead=st.booleans(), rebuild=st.booleans())
    def crash_at_the_vectors(self, moment: int, dead: bool, rebuild: bool) -> None:
        self.sync_and_crash("vectors", moment, dead=dead, rebuild=rebuild)

    @rule(moment=st.integers(0, 3), dead=st.booleans(), rebuild=st.booleans())
    def crash_at_the_embedder(self, moment: int, dead: bool, rebuild: bool) -> None:
        self.sync_and_crash("embedder", moment, dead=dead, rebuild=rebuild)

    @rule(moment=st.integers(0, 1), dead=st.booleans())
    def crash_at_the_switch(self, moment: int, dead: bool) -> None:
        self.sync_and_crash("publish", moment, dead=dead, rebuild=True)

    def sync_and_crash(self, seam: Seam, moment: int, *, dead: bool, rebuild: bool) -> None:
        before, after = passages_by_document(self.address), fresh(self.folder).by_document
        with suppress(Crash), crash(seam, moment, dead=dead):
            sync(self.folder, self.address, WordsEmbedder(), rebuild=rebuild)
        found = passages_by_document(self.address)
        for document in before.keys() | after.keys() | found.keys():
            old_or_new = (before.get(document), after.get(document))
            assert found.get(document) in old_or_new, f"{document} is neither old nor new"

    @rule(embeds=st.integers(0, 20), rebuild=st.booleans())
    def sync_until_the_embedder_fails(self, embeds: int, rebuild: bool) -> None:
        embedder = WordsEmbedder(fail_after=embeds)
        report = sync(self.folder, self.address, embedder, rebuild=rebuild)
        assert (report.vectors_missing > 0) == (report.embedder_error is not None)

    @rule(name=NAMES, read=TEXTS, then=CONTENTS, event=st.integers(0, 3), and_back=st.booleans())
    def sync_while_a_file_changes(
        self, name: str, read: str, then: bytes, event: int, and_back: bool
    ) -> None:
        path, events = self.folder / name, count()
        folders.write(path, read)

        def on_progress(_: Progress) -> None:
            if next(events) == event:
                path.write_bytes(then)

        sync(self.folder, self.address, WordsEmbedder(), on_progress=on_progress)
        if and_back:
            path.write_bytes(read.encode())


def fresh(folder: Path) -> Dump:
    """What an index made anew from the folder holds."""
    key = tuple(
        (path.relative_to(folder), path.read_bytes(), int(path.stat().st_mtime) // QUARTER_S)
        for path in folders.documents(folder)
    )
    if key not in _fresh:
        with scratch() as home:
            address = IndexAddress(home)
            sync(folder, address, WordsEmbedder())
            _fresh[key] = dump(address)
    return _fresh[key]


TestSync = SyncMachine.TestCase
TestSync.settings = settings(
    max_examples=settings().max_examples * 3 // 10,
    stateful_step_count=12,
    suppress_health_check=[HealthCheck.too_slow],
)
