"""Corpora that suites search: work on them leaves the event loop free."""

import asyncio
import threading
from pathlib import Path

import pytest

from evals.corpora import Corpus, OpenCorpus, open_corpora
from evals.suite import Outcome
from tests.evals.small_suite import options


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "cache.md").write_text("# KV cache\n\nA KV cache keeps keys and values.\n", "utf-8")
    (folder / "queue.md").write_text("# 대기열\n\n대기열은 요청을 순서대로 둔다.\n", "utf-8")
    return Corpus("small", folder)


async def test_a_search_that_hangs_is_ended_by_its_time_limit(
    corpus: Corpus, tmp_path: Path
) -> None:
    goes_on = threading.Event()

    def hangs(opened: OpenCorpus) -> Outcome:
        goes_on.wait(60)
        return {}

    with open_corpora(options(tmp_path), {"small": corpus}) as opened:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await opened["small"].ask(hangs)
        goes_on.set()


async def test_searches_are_done_one_at_a_time(corpus: Corpus, tmp_path: Path) -> None:
    running: list[int] = []

    def search(opened: OpenCorpus) -> Outcome:
        running.append(1)
        found = opened.search("대기열", opened.vector("대기열"), 1)
        seen = len(running)
        running.pop()
        return {"document": found.hits[0].passage.document, "running": seen}

    with open_corpora(options(tmp_path), {"small": corpus}) as opened:
        found = await asyncio.gather(*(opened["small"].ask(search) for _ in range(8)))
    assert found == [{"document": "queue.md", "running": 1}] * 8
