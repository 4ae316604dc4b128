"""Vectors once made, by model and text: renames, rebuilds and old versions embed nothing.

A file of its own beside the generations of an index, so that a rebuild finds them too.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from knowledge.embed import Vectors
from knowledge.sqlite import connect, marks, transaction

MIN_KEPT = 20_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key TEXT PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
"""


def vector_key(embedder: str, text: str) -> str:
    return hashlib.sha256(f"{embedder}\0{text}".encode("utf-8", "replace")).hexdigest()


class VectorCache:
    """Not safe for several threads at once."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, _SCHEMA)

    def close(self) -> None:
        self._connection.close()

    def find(self, keys: Sequence[str]) -> dict[str, Vectors]:
        rows = self._connection.execute(
            f"SELECT key, vector FROM vectors WHERE key IN ({marks(keys)})", keys
        )
        return {key: np.frombuffer(blob, np.float32) for key, blob in rows}

    def keep(self, vectors: Mapping[str, Vectors], used_s: int) -> None:
        """Keep what is new; `used_s`, a time in seconds, becomes the last use of all."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET used = excluded.used",
                ((key, vector.tobytes(), used_s) for key, vector in vectors.items()),
            )

    def has_too_many(self, passages: int) -> bool:
        """More than twice the passages, and more than `MIN_KEPT`."""
        return self._count() > max(MIN_KEPT, 2 * passages)

    def drop_oldest(self, passages: int, wanted: Iterable[str], used_s: int) -> None:
        """Keep as many as twice the passages, and `MIN_KEPT` at least; those that `wanted` names
        count as used now."""
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE vectors SET used = ? WHERE key = ?", ((used_s, key) for key in wanted)
            )
            self._connection.execute(
                "DELETE FROM vectors WHERE key IN "
                "(SELECT key FROM vectors ORDER BY used LIMIT max(0, ?))",
                (self._count() - max(MIN_KEPT, 2 * passages),),
            )

    def _count(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM vectors").fetchone()[0])
