"""Searches in a part of the documents, from a folder to the hits."""

import os
from pathlib import Path

import pytest

from graph.errors import InputError
from graph.evidence import Retrieval, Scope, read_scope
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.knowledge.stubs import WordsEmbedder

OLD, NEW = 1_600_000_000, 1_700_000_000  # 2020-09-13 and 2023-11-14


@pytest.fixture
def shelves(folder: Path) -> Path:
    """The documents of `folder` in folders of their own; coffee.md is the newest."""
    for name, shelf in (("tea.md", "Drinks/hot"), ("coffee.md", "Drinks"), ("김치.md", "음식")):
        (folder / shelf).mkdir(parents=True, exist_ok=True)
        place = (folder / name).rename(folder / shelf / name)
        os.utime(place, (NEW, NEW) if name == "coffee.md" else (OLD, OLD))
    return folder


async def search(address: IndexAddress, question: str, scope: Scope) -> Retrieval:
    with open_retriever(address, WordsEmbedder()) as retriever:
        return await retriever.search(question, limit=5, scope=scope)


@pytest.mark.parametrize("question", ["How long is green tea steeped?", "김치는 어떻게 절이나요?"])
@pytest.mark.parametrize(
    ("given", "documents"),
    [
        ({"documents": ["Drinks/*"]}, {"Drinks/hot/tea.md", "Drinks/coffee.md"}),
        ({"documents": ["*/김치.md"]}, {"음식/김치.md"}),
        ({"tags": ["hot", "음식"]}, {"Drinks/hot/tea.md", "음식/김치.md"}),
        ({"since": "2023-11-01"}, {"Drinks/coffee.md"}),
        ({"tags": ["drinks"], "until": "2020-12-31"}, {"Drinks/hot/tea.md"}),
    ],
)
async def test_only_documents_of_the_scope_are_found(
    shelves: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    given: object,
    documents: set[str],
    question: str,
) -> None:
    ingest(shelves, address, embedder)
    found = await search(address, question, read_scope(given))
    assert {hit.passage.document for hit in found.hits} == documents


@pytest.mark.parametrize(
    ("question", "holding", "other"),
    [
        ("How long is green tea steeped?", "*tea.md", "*coffee.md"),
        ("배추김치는 소금에 절인다", "음식/*", "Drinks/*"),
    ],
)
async def test_the_gate_goes_by_what_the_scope_holds(
    shelves: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    question: str,
    holding: str,
    other: str,
) -> None:
    ingest(shelves, address, embedder)
    inside = (await search(address, question, Scope(documents=(holding,)))).domain
    outside = (await search(address, question, Scope(documents=(other,)))).domain
    assert inside.score >= inside.bound
    assert outside.coverage < inside.coverage


@pytest.mark.parametrize(
    ("question", "scope"),
    [("김치는 어떻게 절이나요?", "Drinks/*"), ("How is cabbage salted?", "음식/*")],
)
async def test_a_question_in_another_script_than_the_scope_is_not_refused_by_its_words(
    shelves: Path, address: IndexAddress, embedder: WordsEmbedder, question: str, scope: str
) -> None:
    ingest(shelves, address, embedder)
    domain = (await search(address, question, Scope(documents=(scope,)))).domain
    assert domain.score >= domain.bound


async def test_the_tags_of_a_document_follow_it_into_another_folder(
    shelves: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(shelves, address, embedder)
    (shelves / "음료").mkdir()
    (shelves / "Drinks" / "coffee.md").rename(shelves / "음료" / "coffee.md")
    ingest(shelves, address, embedder)
    found = await search(address, "espresso", Scope(tags=("음료",)))
    assert [hit.passage.document for hit in found.hits] == ["음료/coffee.md"]
    assert len(embedder.embedded) == 3


@pytest.mark.parametrize("pattern", ["Drinks/tea.md", "음식/김치찌개.md"])
async def test_a_scope_without_documents_is_an_error_that_names_a_near_one(
    shelves: Path, address: IndexAddress, embedder: WordsEmbedder, pattern: str
) -> None:
    ingest(shelves, address, embedder)
    near = "Drinks/hot/tea.md" if "tea" in pattern else "음식/김치.md"
    with pytest.raises(InputError, match=f"near by name: .*{near}"):
        await search(address, "tea", Scope(documents=(pattern,)))
