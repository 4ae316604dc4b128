"""A folder whose documents go to and fro between two versions, and what a search may see of it."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from graph.evidence import Passage
from knowledge.store import IndexAddress
from tests.knowledge.dump import dump
from tests.knowledge.folders import write
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

Version = Literal["A", "B"]

QUERY = "Which boiler is it? 어느 보일러인가?"
"""Touches every passage."""

_CHANGING = ("tea.md", "notes/boiler.txt", "김치.md", "보고서/요약.md")
_MOVING: dict[Version, str] = {"A": "여기.md", "B": "moved/there.md"}
_SENTENCES: dict[Version, int] = {"A": 40, "B": 70}

Texts = dict[str, frozenset[str]]
"""The texts of each document's passages."""


def put(folder: Path, version: Version) -> None:
    """Bring the folder to a version, each file at once."""
    for number, name in enumerate(_CHANGING):
        draft = folder / ".draft"
        write(draft, _text(f"{version}{number}", _SENTENCES[version]))
        (folder / name).parent.mkdir(exist_ok=True)
        draft.replace(folder / name)
    other = folder / _MOVING["B" if version == "A" else "A"]
    here = folder / _MOVING[version]
    if other.exists():
        here.parent.mkdir(exist_ok=True)
        other.rename(here)
    elif not here.exists():
        write(here, _text("moving", 30))


def alternate(folder: Path, address: IndexAddress, rounds: int) -> None:
    """Ingest one version after the other; every fourth time as a rebuild."""
    for number in range(rounds):
        put(folder, "B" if number % 2 == 0 else "A")
        sync(folder, address, WordsEmbedder(), rebuild=number % 4 == 3)


def expected(home: Path) -> dict[Version, Texts]:
    """What an index of each version holds."""
    made: dict[Version, Texts] = {}
    for version in _SENTENCES:
        folder, address = home / version, IndexAddress(home / f"index {version}")
        put(folder, version)
        sync(folder, address, WordsEmbedder())
        rows = [dict(row) for row in dump(address).tables["passages"]]
        made[version] = _by_document((row["document"], row["text"]) for row in rows)
    return made


def faults(passages: Iterable[Passage], of: dict[Version, Texts]) -> list[str]:
    """What no search may see: a document of two versions, not whole, missing, or twice."""
    seen = _by_document((passage.document, passage.text) for passage in passages)
    found = [
        f"{name} is not whole or of two versions"
        for name, texts in seen.items()
        if texts not in (of["A"].get(name), of["B"].get(name))
    ]
    found += [f"{name} is missing" for name in _CHANGING if name not in seen]
    if sum(name in seen for name in _MOVING.values()) != 1:
        found.append(f"of the moving document: {seen.keys() & set(_MOVING.values())}")
    return found


def _text(mark: str, sentences: int) -> str:
    """Sentences that share the words of `QUERY` and have many words of their own, so that no
    passage is a near-duplicate of another."""
    return "\n\n".join(
        f"The boiler {mark}a{number} stands by {mark}b{number} and {mark}c{number}. "
        f"보일러 {mark}d{number} 옆에 {mark}e{number} 있다."
        for number in range(sentences)
    )


def _by_document(pairs: Iterable[tuple[str, str]]) -> Texts:
    found: dict[str, set[str]] = defaultdict(set)
    for document, text in pairs:
        found[document].add(text)
    return {document: frozenset(texts) for document, texts in found.items()}
