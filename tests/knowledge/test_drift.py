"""When a calibration still holds: passages that changed count, names of files do not."""

from pathlib import Path

import pytest

from knowledge.domain import Calibration, current_calibration
from knowledge.ingest import ingest
from knowledge.report import IngestReport
from knowledge.store import IndexAddress, open_generation
from tests.knowledge.stubs import WordsEmbedder

TABLE = "12.5 | 88.1\n"
"""Of numbers alone no question can be made."""


def changes(address: IndexAddress) -> int:
    with open_generation(address) as store:
        return store.catalog.changes()


def is_current(address: IndexAddress) -> bool:
    with open_generation(address) as store:
        return current_calibration(store) is not None


@pytest.fixture
def ingested(folder: Path, address: IndexAddress, embedder: WordsEmbedder) -> IngestReport:
    return ingest(folder, address, embedder)


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("name", ["tea.md", "김치.md"])
def test_a_renamed_document_is_no_change(
    name: str, folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    before = changes(address)
    (folder / name).rename(folder / f"new {name}")
    assert ingest(folder, address, embedder).counts["renamed"] == 1
    assert changes(address) == before


@pytest.mark.usefixtures("ingested")
def test_of_an_edited_document_only_the_passages_with_another_text_count(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    parts = [f"# Part {n}\n\n" + f"Step {n} of the brewing takes a while. " * 12 for n in range(9)]
    (folder / "long.md").write_text("\n\n".join(parts), "utf-8")
    passages = ingest(folder, address, embedder).passages
    before = changes(address)
    parts[4] = parts[4].replace("brewing", "roasting")
    (folder / "long.md").write_text("\n\n".join(parts), "utf-8")
    assert ingest(folder, address, embedder).passages == passages > 9
    assert changes(address) == before + 2


@pytest.mark.usefixtures("ingested")
def test_where_there_are_too_few_passages_each_change_makes_the_cautious_rule_anew(
    folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    (folder / "more.md").write_text("Cocoa is stirred into hot milk.", "utf-8")
    calibration = ingest(folder, address, embedder).calibration
    assert calibration is not None
    assert (calibration.method, calibration.passages) == ("cautious", 4)


def test_passages_without_questions_are_not_asked_again_for_each_change(
    tmp_path: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"{number} | {TABLE}", "utf-8")
    first = ingest(folder, address, embedder).calibration
    assert isinstance(first, Calibration)
    assert (first.method, first.passages) == ("cautious", 30)
    for number in range(30, 33):
        (folder / f"{number}.txt").write_text(f"{number} | {TABLE}", "utf-8")
    assert ingest(folder, address, embedder).calibration == first
    (folder / "33.txt").write_text(f"33 | {TABLE}", "utf-8")
    assert ingest(folder, address, embedder).calibration != first
