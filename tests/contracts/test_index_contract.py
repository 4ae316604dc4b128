"""The vector index keeps the same promises on files of this process and on a Chroma server."""

import socket
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from graph.errors import IndexMismatch, KnowledgeError
from knowledge.contract import Contract
from knowledge.embed import Vectors
from knowledge.index import Record, VectorIndex
from knowledge.lexical import Script
from tests.chroma import chroma_client, free_port

Place = Path | str

DIMENSION = 8
CONTRACT = Contract("words", DIMENSION, "sentences")
MORE_THAN_CHROMA_TAKES_AT_ONCE = 5_500


@pytest.fixture
def name() -> str:
    """Tests share a server, and nothing else."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def index(place: Place, name: str) -> Iterator[VectorIndex]:
    with VectorIndex(place, name, CONTRACT) as index:
        yield index


def unit(count: int, seed: int = 0) -> Vectors:
    """Vectors of the length 1, shape (count, DIMENSION)."""
    made = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    vectors: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return vectors


def records(vectors: Vectors, document: str = "tea.md") -> list[Record]:
    return [Record(f"id{at}", document, vector) for at, vector in enumerate(vectors)]


def near(
    index: VectorIndex, vector: Vectors, of: Script, limit: int, **chosen: Sequence[str]
) -> list[tuple[str, float]]:
    (found,) = index.query(vector[None, :], of, limit, **chosen)
    return found


def found(index: VectorIndex, vector: Vectors, **chosen: Sequence[str]) -> list[str]:
    return [identity for identity, _ in near(index, vector, "latin", 1_000, **chosen)]


def test_an_index_that_was_never_written_is_empty(index: VectorIndex) -> None:
    assert index.count() == 0
    assert index.ids("hangul") == set()
    assert index.query(unit(2), "latin", 5) == [[], []]
    assert index.sample("latin", 5) == {}
    index.delete("latin", ["nothing"])


def test_a_record_put_in_twice_stands_once_and_as_it_was_last(index: VectorIndex) -> None:
    first, last = unit(2)
    index.upsert("latin", [Record("one", "tea.md", first)])
    index.upsert("latin", [Record("one", "김치.md", last)])
    assert index.count() == 1
    ((identity, cosine),) = near(index, last, "latin", 5)
    assert identity == "one"
    assert cosine == pytest.approx(1, abs=1e-5)
    assert found(index, last, documents=["김치.md"]) == ["one"]
    assert found(index, last, documents=["tea.md"]) == []


def test_a_deleted_record_is_found_no_more(index: VectorIndex) -> None:
    vectors = unit(20)
    index.upsert("latin", records(vectors))
    index.delete("latin", ["id3", "id4", "never there"])
    assert index.count() == 18
    assert index.ids("latin") == {f"id{at}" for at in range(20)} - {"id3", "id4"}
    assert {"id3", "id4"}.isdisjoint(found(index, vectors[3]))


def test_a_query_gives_the_cosines_of_numpy_best_first(index: VectorIndex) -> None:
    vectors, query = unit(60), unit(1, seed=1)[0]
    index.upsert("latin", records(vectors))
    cosines = vectors @ query
    got = near(index, query, "latin", 60)
    assert [identity for identity, _ in got] == [f"id{at}" for at in np.argsort(-cosines)]
    assert [cosine for _, cosine in got] == pytest.approx(np.sort(cosines)[::-1], abs=1e-5)
    assert near(index, query, "latin", 7) == got[:7]


def test_a_query_of_many_vectors_finds_for_each_what_it_finds_alone(index: VectorIndex) -> None:
    vectors, queries = unit(60), unit(5, seed=1)
    index.upsert("latin", records(vectors[:30]) + records(vectors, "김치.md")[30:])
    chosen: list[dict[str, Sequence[str]]] = [{}, {"documents": ["김치.md"]}]
    for documents in chosen:
        together = index.query(queries, "latin", 7, **documents)
        assert together == [near(index, query, "latin", 7, **documents) for query in queries]
    assert index.query(queries[:0], "latin", 7) == []


def test_scripts_stand_apart(index: VectorIndex) -> None:
    vectors = unit(3)
    index.upsert("latin", [Record("tea", "tea.md", vectors[0])])
    index.upsert("hangul", [Record("김치", "김치.md", vectors[1])])
    index.upsert("han", [Record("茶", "茶.md", vectors[2])])
    assert [identity for identity, _ in near(index, vectors[0], "hangul", 5)] == ["김치"]
    index.delete("latin", ["김치"])
    assert (index.count(), index.ids("hangul"), index.ids("other")) == (3, {"김치"}, set())
    assert index.sample("han", 5)["茶"] == pytest.approx(vectors[2], abs=1e-6)


def test_a_query_can_be_kept_to_documents(index: VectorIndex) -> None:
    vectors = unit(40)
    index.upsert(
        "latin",
        [Record(f"id{at}", f"문서 {at}.md", vector) for at, vector in enumerate(vectors)],
    )
    assert set(found(index, vectors[0], documents=["문서 7.md", "문서 9.md"])) == {"id7", "id9"}
    assert found(index, vectors[0], documents=["없음.md"]) == []
    assert found(index, vectors[0], documents=[]) == []
    many = ["문서 7.md", *(f"none {number}.md" for number in range(2_000))]
    assert found(index, vectors[0], documents=many) == ["id7"]


def test_one_call_takes_more_records_than_chroma_does(index: VectorIndex) -> None:
    vectors = unit(MORE_THAN_CHROMA_TAKES_AT_ONCE)
    index.upsert("latin", records(vectors))
    ids = {f"id{at}" for at in range(len(vectors))}
    assert index.count() == len(vectors)
    assert index.ids("latin") == ids
    index.delete("latin", sorted(ids - {"id5"}))
    assert index.ids("latin") == {"id5"}


def test_reopened_it_holds_what_it_held(place: Place, name: str) -> None:
    vectors = unit(30)
    with VectorIndex(place, name, CONTRACT) as index:
        index.upsert("latin", records(vectors))
        index.delete("latin", ["id3"])
        before = near(index, vectors[5], "latin", 40)
    assert len(before) == 29
    with VectorIndex(place, name, CONTRACT) as index:
        assert near(index, vectors[5], "latin", 40) == before
        index.close()
        assert index.count() == 29, "a call after close() opens it again"


def test_dropping_one_index_leaves_another(place: Place, name: str) -> None:
    with (
        VectorIndex(place, name, CONTRACT) as index,
        VectorIndex(place, f"{name}-2", CONTRACT) as other,
    ):
        index.upsert("latin", records(unit(3)))
        other.upsert("latin", records(unit(4)))
        assert (index.count(), other.count()) == (3, 4)
        index.drop()
        assert (index.count(), other.count()) == (0, 4)
        index.upsert("latin", records(unit(2)))
        assert index.count() == 2


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(CONTRACT, embedder="better words"), "embedder words, now better words"),
        (replace(CONTRACT, dimension=16), "dimension 8, now 16"),
        (replace(CONTRACT, chunker="tokens"), "chunker sentences, now tokens"),
        (replace(CONTRACT, version=99), "version"),
    ],
    ids=["embedder", "dimension", "chunker", "version"],
)
def test_an_index_made_in_another_way_is_refused(
    place: Place, name: str, other: Contract, told: str
) -> None:
    with VectorIndex(place, name, CONTRACT) as index:
        index.upsert("hangul", records(unit(1)))
    with VectorIndex(place, name, other) as index:
        with pytest.raises(IndexMismatch, match=f"{told}.*--rebuild"):
            index.count()
        with pytest.raises(IndexMismatch):
            index.query(unit(1), "hangul", 1)


@pytest.mark.parametrize(
    ("made_with", "told"),
    [
        ({"metadata": asdict(CONTRACT)}, "distance l2, now cosine"),
        ({"configuration": {"hnsw": {"space": "cosine"}}}, "embedder not recorded"),
    ],
    ids=["space", "metadata"],
)
def test_a_collection_that_the_product_did_not_make_is_refused(
    place: Place, name: str, made_with: dict[str, Any], told: str
) -> None:
    with chroma_client(place) as client:
        client.create_collection(f"{name}-latin", embedding_function=None, **made_with)
    with VectorIndex(place, name, CONTRACT) as index, pytest.raises(IndexMismatch, match=told):
        index.upsert("latin", records(unit(1)))


def test_a_vector_of_another_length_is_refused(index: VectorIndex) -> None:
    index.upsert("latin", records(unit(2)))
    short = np.ones(DIMENSION - 1, np.float32)
    with pytest.raises(IndexMismatch, match="--rebuild"):
        index.query(short[None, :], "latin", 1)
    with pytest.raises(IndexMismatch, match="--rebuild"):
        index.upsert("latin", [Record("short", "tea.md", short)])


def test_the_environment_changes_nothing(
    place: Place, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma would take its settings from variables with everyday names, and from a file .env."""
    for variable in ("MIGRATIONS", "CHROMA_API_IMPL", "CHROMA_SERVER_HOST"):
        monkeypatch.setenv(variable, "none")
    with VectorIndex(place, name, CONTRACT) as index:
        index.upsert("latin", records(unit(2)))
        assert index.count() == 2


def test_a_server_that_is_down_is_named(name: str) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with VectorIndex(url, name, CONTRACT) as index, pytest.raises(KnowledgeError, match=url):
        index.count()


def test_a_server_that_never_answers_is_named_after_a_while(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with (
            patch("knowledge.index.SERVER_TIMEOUT_S", 0.3),
            VectorIndex(url, name, CONTRACT) as index,
            pytest.raises(KnowledgeError, match=url),
        ):
            index.count()


def test_a_folder_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("no folder")
    with (
        VectorIndex(tmp_path / "file", name, CONTRACT) as index,
        pytest.raises(KnowledgeError, match="file"),
    ):
        index.count()
