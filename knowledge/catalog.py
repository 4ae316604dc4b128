"""The catalog of one tenant, in SQLite: documents, passages, words, and vectors once made.

It is the truth about what the index holds; Chroma's collection follows it. A passage whose vector
is not in Chroma yet has `dense = 0`; an id that Chroma still holds and nobody wants stands in
`stale`. Both lists survive a crash, which is how an interrupted ingest gets completed.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from graph.evidence import Passage
from knowledge.contract import Contract
from knowledge.embed import Vectors
from knowledge.lexical import LexicalIndex

BUSY_TIMEOUT_S = 5.0
MIN_KEPT_VECTORS = 20_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS contract (
    embedder TEXT NOT NULL, dimension INTEGER NOT NULL, chunker TEXT NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
    path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, title TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS passages (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, page INTEGER NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL,
    text TEXT NOT NULL, dense INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS passages_of_document ON passages (document);
CREATE INDEX IF NOT EXISTS passages_without_vector ON passages (dense) WHERE dense = 0;
CREATE TABLE IF NOT EXISTS stale (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS vectors (
    key TEXT PRIMARY KEY, vector BLOB NOT NULL, used_s INTEGER NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """`status` is 'indexed', or why the file gives no passages; then `reason` says more."""

    path: str
    sha256: str
    bytes: int
    mtime_ns: int
    status: str
    reason: str = ""
    title: str = ""


class Catalog:
    """Not safe for several threads at once: whoever shares one holds a lock around each call."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)
        self.lexical = LexicalIndex(self._connection)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def contract(self) -> Contract | None:
        row = self._connection.execute(
            "SELECT embedder, dimension, chunker, version FROM contract"
        ).fetchone()
        return Contract(*row) if row else None

    def start(self, contract: Contract) -> None:
        """A new collection follows `contract`: every vector has to go in again."""
        with self.transaction():
            self._connection.execute("DELETE FROM contract")
            self._connection.execute("INSERT INTO contract VALUES (?, ?, ?, ?)", astuple(contract))
            self._connection.execute("UPDATE passages SET dense = 0")
            self._connection.execute("DELETE FROM stale")

    def documents(self) -> dict[str, DocumentRow]:
        rows = self._connection.execute(
            "SELECT path, sha256, bytes, mtime_ns, status, reason, title FROM documents"
        )
        return {row[0]: DocumentRow(*row) for row in rows}

    def replace_document(self, document: DocumentRow, passages: Sequence[Passage]) -> None:
        """Put the whole document in place of an older one of that path, in one transaction."""
        with self.transaction():
            carried = self._drop_passages(document.path)
            self._connection.execute(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    document.path,
                    document.sha256,
                    document.bytes,
                    document.mtime_ns,
                    document.status,
                    document.reason,
                    document.title,
                ),
            )
            for passage in passages:
                self._insert(passage, dense=passage.id in carried)

    def touch_document(self, path: str, mtime_ns: int) -> None:
        self._connection.execute(
            "UPDATE documents SET mtime_ns = ? WHERE path = ?", (mtime_ns, path)
        )

    def remove_document(self, path: str) -> None:
        with self.transaction():
            self._drop_passages(path)
            self._connection.execute("DELETE FROM documents WHERE path = ?", (path,))

    def clear(self) -> None:
        """Forget documents and passages; vectors stay, since their keys name what made them."""
        with self.transaction():
            for table in ("contract", "documents", "passages", "stale", "lexical"):
                self._connection.execute(f"DELETE FROM {table}")

    def _drop_passages(self, document: str) -> set[str]:
        """Drop a document's passages; the ids that Chroma holds become stale, and are returned."""
        rows = self._connection.execute(
            "SELECT row, id, dense FROM passages WHERE document = ?", (document,)
        ).fetchall()
        held = {identity for _, identity, dense in rows if dense}
        self._connection.executemany("INSERT OR IGNORE INTO stale VALUES (?)", ((i,) for i in held))
        self.lexical.remove(row for row, _, _ in rows)
        self._connection.execute("DELETE FROM passages WHERE document = ?", (document,))
        return held

    def _insert(self, passage: Passage, *, dense: bool) -> None:
        cursor = self._connection.execute(
            "INSERT INTO passages (id, document, page, start, end, title, heading, text, dense) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                passage.id,
                passage.document,
                passage.page,
                passage.start,
                passage.end,
                passage.title,
                json.dumps(passage.heading, ensure_ascii=False),
                passage.text,
                int(dense),
            ),
        )
        if dense:
            self._connection.execute("DELETE FROM stale WHERE id = ?", (passage.id,))
        self.lexical.add(int(cursor.lastrowid or 0), passage.text)

    def passage_count(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM passages").fetchone()[0])

    def corpus_version(self) -> str:
        """Changes when any passage does."""
        digest = hashlib.sha256()
        for (identity,) in self._connection.execute("SELECT id FROM passages ORDER BY id"):
            digest.update(identity.encode())
        return digest.hexdigest()[:16]

    def missing_vectors(self) -> int:
        query = "SELECT count(*) FROM passages WHERE dense = 0"
        return int(self._connection.execute(query).fetchone()[0])

    def passages_without_vector(self, limit: int) -> list[Passage]:
        return self._select("WHERE dense = 0 ORDER BY row LIMIT ?", (limit,))

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        found = self._select(f"WHERE id IN ({', '.join('?' * len(ids))})", ids)
        return {passage.id: passage for passage in found}

    def passages_at(self, rows: Sequence[int]) -> dict[int, Passage]:
        """Passages by their row in the lexical index."""
        marks = ", ".join("?" * len(rows))
        found = self._connection.execute(
            f"SELECT row, id FROM passages WHERE row IN ({marks})", rows
        ).fetchall()
        by_id = self.passages([identity for _, identity in found])
        return {row: by_id[identity] for row, identity in found}

    def sample(self, size: int) -> list[Passage]:
        """Up to `size` passages, the same in each run and spread evenly, since ids are hashes."""
        return self._select("ORDER BY id LIMIT ?", (size,))

    def _select(self, condition: str, values: Sequence[str | int]) -> list[Passage]:
        rows = self._connection.execute(
            "SELECT id, document, title, page, start, end, heading, text FROM passages "
            + condition,
            values,
        )
        return [
            Passage(
                id=row[0],
                document=row[1],
                title=row[2],
                page=row[3],
                start=row[4],
                end=row[5],
                heading=tuple(json.loads(row[6])),
                text=row[7],
            )
            for row in rows
        ]

    def mark_dense(self, ids: Iterable[str]) -> None:
        with self.transaction():
            self._connection.executemany(
                "UPDATE passages SET dense = 1 WHERE id = ?", ((i,) for i in ids)
            )

    def dense_ids(self) -> set[str]:
        return {
            row[0] for row in self._connection.execute("SELECT id FROM passages WHERE dense = 1")
        }

    def mark_sparse(self, ids: Iterable[str]) -> None:
        """Chroma does not hold these vectors, whatever was noted."""
        with self.transaction():
            self._connection.executemany(
                "UPDATE passages SET dense = 0 WHERE id = ?", ((i,) for i in ids)
            )

    def stale_ids(self) -> list[str]:
        return [row[0] for row in self._connection.execute("SELECT id FROM stale")]

    def forget_stale(self, ids: Iterable[str]) -> None:
        with self.transaction():
            self._connection.executemany("DELETE FROM stale WHERE id = ?", ((i,) for i in ids))

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Vectors that were made before, by the keys of `knowledge.sync`."""
        rows = self._connection.execute(
            f"SELECT key, vector FROM vectors WHERE key IN ({', '.join('?' * len(keys))})", keys
        )
        return {key: np.frombuffer(blob, np.float32) for key, blob in rows}

    def keep_vectors(self, vectors: dict[str, Vectors], used_s: int) -> None:
        with self.transaction():
            self._connection.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET used_s = excluded.used_s",
                ((key, vector.tobytes(), used_s) for key, vector in vectors.items()),
            )

    def drop_oldest_vectors(self) -> None:
        """Keep as many as twice the passages, and `MIN_KEPT_VECTORS` at least."""
        kept = max(MIN_KEPT_VECTORS, 2 * self.passage_count())
        self._connection.execute(
            "DELETE FROM vectors WHERE key IN "
            "(SELECT key FROM vectors ORDER BY used_s DESC LIMIT -1 OFFSET ?)",
            (kept,),
        )
