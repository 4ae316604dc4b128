"""A folder gives the same index whether its vectors are in files or on a Chroma server."""

import random
import uuid
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from graph.errors import IndexMismatch, IndexMissing, KnowledgeError
from knowledge.report import Progress
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.chroma import chroma_client, chroma_server, free_port
from tests.knowledge import folders
from tests.knowledge.dump import Dump, dump
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

DOCUMENTS = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    folders.fill(made, random.Random(20261129), DOCUMENTS)
    return made


@pytest.fixture
def address(place: Path | str, tmp_path: Path) -> IndexAddress:
    """Tests share a server, and no tenant."""
    url = place if isinstance(place, str) else None
    return IndexAddress(tmp_path / "index", f"test-{uuid.uuid4().hex}", url)


def contents(folder: Path, address: IndexAddress, *, rebuild: bool = False) -> Dump:
    """What an index holds after an ingest."""
    report = sync(folder, address, WordsEmbedder(), rebuild=rebuild)
    assert report.vectors_missing == 0
    found = dump(address)
    assert found.faults() == []
    return found


def test_every_sync_and_rebuild_gives_what_a_new_index_in_files_holds(
    folder: Path, address: IndexAddress, tmp_path: Path
) -> None:
    rng = random.Random(20261129)
    for round_ in range(3):
        new = contents(folder, IndexAddress(tmp_path / f"new {round_}"))
        assert contents(folder, address).difference(new) == []
        assert contents(folder, address, rebuild=True).difference(new) == []
        folders.change(folder, rng)


def test_tenants_stand_apart(folder: Path, address: IndexAddress) -> None:
    other = replace(address, tenant=f"{address.tenant}-2")
    before = contents(folder, address)
    with pytest.raises(IndexMissing):
        open_retriever(other, WordsEmbedder())
    folders.change(folder, random.Random(20261129))
    contents(folder, other)
    contents(folder, other, rebuild=True)
    assert dump(address).difference(before) == []


def test_another_embedder_is_refused_until_a_rebuild(folder: Path, address: IndexAddress) -> None:
    before = contents(folder, address)
    other = WordsEmbedder("other words", dimension=32)
    with pytest.raises(IndexMismatch, match="embedder words, now other words"):
        sync(folder, address, other)
    with pytest.raises(IndexMismatch, match="embedder words, now other words"):
        open_retriever(address, other)
    assert dump(address).difference(before) == []
    assert sync(folder, address, other, rebuild=True).vectors_missing == 0
    assert dump(address).faults() == []
    with pytest.raises(IndexMismatch):
        open_retriever(address, WordsEmbedder())


def test_two_folders_with_one_tenant_on_one_server_leave_each_other_alone(
    folder: Path, server_url: str, tmp_path: Path
) -> None:
    tenant = f"test-{uuid.uuid4().hex}"
    one, other = (IndexAddress(tmp_path / name, tenant, server_url) for name in ("one", "other"))
    before = contents(folder, one)
    folders.change(folder, random.Random(20261129))
    contents(folder, other)
    contents(folder, other, rebuild=True)
    assert dump(one).difference(before) == []


def test_a_rebuild_leaves_no_collection_of_the_old_index(
    folder: Path, server_url: str, tmp_path: Path
) -> None:
    address = IndexAddress(tmp_path / "index", f"test-{uuid.uuid4().hex}", server_url)
    scripts = {script for script, _ in contents(folder, address).vectors}
    contents(folder, address, rebuild=True)
    with chroma_client(server_url) as client:
        names = [collection.name for collection in client.list_collections()]
    assert sum(name.startswith(address.tenant) for name in names) == len(scripts)


def test_an_ingest_whose_server_goes_down_is_completed_when_it_is_back(
    folder: Path, tmp_path: Path
) -> None:
    port, data = free_port(), tmp_path / "server"
    data.mkdir()
    with ExitStack() as running:
        url = running.enter_context(chroma_server(data, port))
        address = IndexAddress(tmp_path / "index", chroma_url=url)
        contents(folder, address)
        folders.change(folder, random.Random(20261129))

        def stop_server(progress: Progress) -> None:
            if progress.phase == "embed":
                running.close()

        with pytest.raises(KnowledgeError, match=url):
            sync(folder, address, WordsEmbedder(), on_progress=stop_server)
    with pytest.raises(KnowledgeError, match=url):
        sync(folder, address, WordsEmbedder())
    with pytest.raises(KnowledgeError, match=url):
        open_retriever(address, WordsEmbedder())
    with chroma_server(data, port):
        new = contents(folder, IndexAddress(tmp_path / "new"))
        assert contents(folder, address).difference(new) == []
