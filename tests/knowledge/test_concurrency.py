"""Several threads and processes on one index."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from graph.errors import IndexLocked
from knowledge.lock import owned
from knowledge.retriever import CorpusRetriever, open_retriever
from knowledge.store import IndexAddress
from tests.chroma import chroma_server
from tests.knowledge import versions
from tests.knowledge.processes import (
    TIMEOUT_S,
    hold_ingest,
    hold_open,
    ingest_again_and_again,
    receive,
    working,
)
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync
from tests.knowledge.versions import Texts, Version

ROUNDS = 12
SEARCHERS = 3

LOCKED_WITHIN_S = 1.0
"""The promise to whoever comes second."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[Version, Texts]:
    return versions.expected(tmp_path_factory.mktemp("expected"))


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    versions.put(tmp_path / "documents", "A")
    return tmp_path / "documents"


def search(retriever: CorpusRetriever, expected: dict[Version, Texts]) -> list[str]:
    found = asyncio.run(retriever.search(versions.QUERY, limit=100))
    return versions.faults((hit.passage for hit in found.hits), expected)


def test_searches_during_syncs_see_each_document_old_or_new(
    folder: Path, address: IndexAddress, expected: dict[Version, Texts]
) -> None:
    sync(folder, address, WordsEmbedder())
    done = threading.Event()

    def keep_searching(retriever: CorpusRetriever) -> tuple[int, list[str]]:
        faults: list[str] = []
        for searches in count():
            if done.is_set():
                return searches, faults
            faults += search(retriever, expected)
        raise AssertionError

    with open_retriever(address, WordsEmbedder()) as retriever, ThreadPoolExecutor() as pool:
        searching = [pool.submit(keep_searching, retriever) for _ in range(SEARCHERS)]
        try:
            versions.alternate(folder, address, ROUNDS)
        finally:
            done.set()
        for ended in searching:
            searches, faults = ended.result()
            assert searches > 0
            assert faults == []


def test_searches_during_syncs_of_another_process_on_a_chroma_server(
    folder: Path, address: IndexAddress, expected: dict[Version, Texts], server_url: str
) -> None:
    address = replace(address, chroma_url=server_url)
    sync(folder, address, WordsEmbedder())
    with (
        working(ingest_again_and_again, folder, address, ROUNDS) as (_, events),
        open_retriever(address, WordsEmbedder()) as retriever,
    ):
        receive(events)
        searches = 0
        while not events.poll():
            assert search(retriever, expected) == []
            searches += 1
        assert receive(events) == "ended"
    assert searches > ROUNDS


@pytest.mark.parametrize(
    ("first", "second"),
    [(hold_open, "search"), (hold_open, "ingest"), (hold_ingest, "ingest")],
    ids=["both search", "one searches, one ingests", "both ingest"],
)
def test_a_second_process_on_an_embedded_index_is_told_of_the_first_at_once(
    folder: Path, address: IndexAddress, first: Callable[..., None], second: str
) -> None:
    sync(folder, address, WordsEmbedder())
    versions.put(folder, "B")
    with working(first, folder, address) as (process, events):
        receive(events)
        began = time.monotonic()
        with pytest.raises(IndexLocked, match=f"process {process.pid};"):
            _open_and_close(folder, address, second)
        assert time.monotonic() - began < LOCKED_WITHIN_S
        process.kill()
        process.join()
        _open_and_close(folder, address, second)


def test_what_another_process_has_read_can_be_searched_while_it_embeds(
    folder: Path, address: IndexAddress, expected: dict[Version, Texts]
) -> None:
    sync(folder, address, WordsEmbedder())
    versions.put(folder, "B")
    with working(hold_ingest, folder, address) as (_, events):
        receive(events)
        with open_retriever(address, WordsEmbedder()) as retriever:
            found = asyncio.run(retriever.search(versions.QUERY, limit=100))
    assert versions.faults((hit.passage for hit in found.hits), expected) == []
    assert {hit.passage.text for hit in found.hits} == set().union(*expected["B"].values())
    assert "have no vector yet" in " ".join(found.degraded)


def test_an_ingest_that_meets_a_search_of_another_process_keeps_its_vectors_for_the_next(
    folder: Path, address: IndexAddress
) -> None:
    sync(folder, address, WordsEmbedder())
    versions.put(folder, "B")
    with working(hold_ingest, folder, address) as (_, events):
        receive(events)
        with open_retriever(address, WordsEmbedder()):
            events.send("go on")
            error = receive(events)
    assert f"in use by the process {os.getpid()};" in error
    assert "the vectors are made and kept" in error
    completed = sync(folder, address, WordsEmbedder())
    assert (completed.embedded, completed.vectors_missing, completed.problem) == (0, 0, None)


def test_waiting_for_one_index_holds_up_no_other(folder: Path, address: IndexAddress) -> None:
    sync(folder, address, WordsEmbedder())
    with (
        working(hold_open, folder, address) as (_, events),
        ThreadPoolExecutor() as pool,
    ):
        receive(events)
        waiting = pool.submit(_own, address.home / "g000001", TIMEOUT_S)
        with owned(address.folder / "another"):
            assert not waiting.done()
        events.send("end")
        waiting.result()


def _open_and_close(folder: Path, address: IndexAddress, what: str) -> None:
    if what == "search":
        open_retriever(address, WordsEmbedder()).close()
    else:
        sync(folder, address, WordsEmbedder())


def _own(folder: Path, wait_s: float) -> None:
    with owned(folder, wait_s):
        pass
