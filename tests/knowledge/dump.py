"""The whole content of an index, read past the product's own code, in comparable form."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.embed import Vectors
from knowledge.store import IndexAddress
from tests.chroma import chroma_client

_OF_A_RUN = {"changes", "row", "seen_ns", "collections"}
"""Columns that tell of a run and not of the documents."""


Row = tuple[tuple[str, Any], ...]
"""Columns and their values."""


@dataclass(frozen=True, slots=True)
class Dump:
    """`tables` are the rows of each table. `words` are (term, position) pairs by passage. `vectors`
    stand by the script of their collection and their id, each with its document. `calibration` is
    None where there is no passage to search."""

    tables: Mapping[str, Sequence[Row]]
    words: Mapping[str, Sequence[tuple[str, int]]]
    vectors: Mapping[tuple[str, str], tuple[str, Vectors]]
    calibration: Any

    @property
    def texts(self) -> set[str]:
        return {str(dict(row)["text"]) for row in self.tables["passages"]}

    @property
    def by_document(self) -> dict[str, frozenset[str]]:
        rows = [dict(row) for row in self.tables["passages"]]
        return _by_document((row["document"], row["id"]) for row in rows)

    def difference(self, other: "Dump") -> list[str]:
        """What stands in one of the two and not in the other; nothing where they are equal."""
        found: list[str] = []
        for table in self.tables.keys() | other.tables.keys():
            found += _only(table, self.tables[table], other.tables[table])
        found += _only("words", _flat(self.words), _flat(other.words))
        found += _only("vectors", self.vectors, other.vectors)
        for key in self.vectors.keys() & other.vectors.keys():
            (document, mine), (its_document, theirs) = self.vectors[key], other.vectors[key]
            if document != its_document or not np.allclose(mine, theirs, atol=1e-6):
                found.append(f"vectors: {key} differs")
        if self.calibration != other.calibration:
            found.append(f"calibration: {self.calibration} and {other.calibration}")
        return found

    def faults(self) -> list[str]:
        """What no finished index may show, whatever its documents."""
        passages = [dict(row)["id"] for row in self.tables["passages"]]
        found = _only("words without a passage, or none", self.words, passages)
        held = [identity for _, identity in self.vectors]
        found += _only("vectors without a passage, or none", held, passages)
        found += [f"not worked off: {row}" for row in self.tables["stale"]]
        found += [
            f"no vector noted: {row}" for row in self.tables["passages"] if not dict(row)["dense"]
        ]
        totals = dict(self.tables["totals"][0])
        if (totals["passages"], totals["missing"], totals["unsettled"]) != (len(passages), 0, 0):
            found.append(f"{totals} of {len(passages)} passages")
        return found


def dump(address: IndexAddress) -> Dump:
    """Read an index that nobody has open."""
    generation = address.current()
    assert generation is not None
    assert [path.name for path in address.home.glob("g*")] == [generation], "leftovers of a rebuild"
    folder = address.home / generation
    with closing(sqlite3.connect(folder / "catalog.sqlite3")) as catalog:
        assert catalog.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        catalog.execute("INSERT INTO lexical (lexical) VALUES ('integrity-check')")
        tables, words = _tables(catalog), _words(catalog)
        (collections,) = catalog.execute("SELECT collections FROM contract").fetchone()
    calibration = folder / "calibration.json"
    return Dump(
        tables=tables,
        words=words,
        vectors=_vectors(address.chroma_url or folder / "chroma", f"{collections}-"),
        calibration=_calibration(calibration) if tables["passages"] else None,
    )


def _calibration(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return {name: value for name, value in held.items() if name not in _OF_A_RUN}


def passages_by_document(address: IndexAddress) -> dict[str, frozenset[str]]:
    """The ids of each document's passages, also in an index that is not finished."""
    generation = address.current()
    if generation is None:
        return {}
    with closing(sqlite3.connect(address.home / generation / "catalog.sqlite3")) as catalog:
        return _by_document(catalog.execute("SELECT document, id FROM passages"))


def _by_document(found: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    ids: dict[str, set[str]] = defaultdict(set)
    for document, identity in found:
        ids[document].add(identity)
    return {document: frozenset(of) for document, of in ids.items()}


def _tables(catalog: sqlite3.Connection) -> dict[str, list[Row]]:
    names = catalog.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'lexical%' "
        "AND name NOT IN ('vocabulary', 'sqlite_sequence')"
    )
    return {name: _rows(catalog, name) for (name,) in names.fetchall()}


def _rows(catalog: sqlite3.Connection, table: str) -> list[Row]:
    found = catalog.execute(f"SELECT * FROM {table}")
    columns = [described[0] for described in found.description]
    return [
        tuple(pair for pair in zip(columns, row, strict=True) if pair[0] not in _OF_A_RUN)
        for row in found
    ]


def _words(catalog: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    catalog.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, lexical, instance)")
    ids = dict(catalog.execute("SELECT row, id FROM passages").fetchall())
    # A passage may hold no term at all.
    found: dict[str, list[tuple[str, int]]] = {
        ids.get(row, f"row {row}"): [] for (row,) in catalog.execute("SELECT rowid FROM lexical")
    }
    postings = catalog.execute("SELECT doc, term, offset FROM temp.words ORDER BY doc, offset")
    for row, term, offset in postings:
        found.setdefault(ids.get(row, f"row {row}"), []).append((term, offset))
    return found


def _vectors(place: Path | str, prefix: str) -> dict[tuple[str, str], tuple[str, Vectors]]:
    found = {}
    if isinstance(place, Path) and not place.exists():
        return {}
    with chroma_client(place) as client:
        for collection in client.list_collections():
            if not collection.name.startswith(prefix):
                assert isinstance(place, str), f"{collection.name} is left over"
                continue
            got = collection.get(include=["embeddings", "metadatas"])
            vectors, metadatas = got["embeddings"], got["metadatas"]
            assert vectors is not None
            assert metadatas is not None
            for identity, vector, metadata in zip(got["ids"], vectors, metadatas, strict=True):
                key = collection.name.removeprefix(prefix), identity
                found[key] = str(metadata["document"]), np.asarray(vector, np.float32)
    return found


def _flat(words: Mapping[str, Sequence[tuple[str, int]]]) -> list[tuple[str, str, int]]:
    return [(identity, *posting) for identity, postings in words.items() for posting in postings]


def _only(what: str, mine: Iterable[Any], theirs: Iterable[Any]) -> list[str]:
    one, other = Counter(iter(mine)), Counter(iter(theirs))
    found = [f"{what}: only here {item}" for item in one - other]
    return found + [f"{what}: only there {item}" for item in other - one]
