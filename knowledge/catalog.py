"""The catalog of one index, in SQLite: documents, their pages, passages and words.

It is the truth about what the index holds; Chroma's collections follow it. A passage whose vector
is not in Chroma yet has `dense = 0`; an id that Chroma may still hold and nobody wants stands in
`stale`; `totals.unsettled` is set while Chroma is written to. All three survive a crash, which is
how an interrupted ingest gets completed.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass
from importlib.resources import files
from pathlib import Path

from graph.evidence import Passage, Scope
from knowledge.contract import Contract
from knowledge.document_row import DocumentRow
from knowledge.lexical import LexicalIndex, Script, script
from knowledge.load.document import Page
from knowledge.scope import paths_in
from knowledge.sqlite import BUSY_TIMEOUT_S, connect, marks, snapshot, transaction

_SCHEMA = files("knowledge").joinpath("data/catalog.sql").read_text("utf-8")
_PASSAGE = "id, document, title, page, start, end, heading, text"


@dataclass(frozen=True, slots=True)
class Unembedded:
    """What has to be known of a passage to give it its vector."""

    row: int
    id: str
    document: str
    script: Script
    text: str


class Catalog:
    """Not safe for several threads at once: whoever shares one holds a lock around each call.

    Other threads and processes open catalogs of their own on the same file; `snapshot` keeps what
    one of them reads consistent. Every method raises `KnowledgeError` where SQLite fails.
    """

    def __init__(self, path: Path, *, wait_s: float = BUSY_TIMEOUT_S) -> None:
        """`wait_s` for others to end what they write."""
        self._connection = connect(path, _SCHEMA, wait_s)
        self.lexical = LexicalIndex(self._connection)

    def close(self) -> None:
        self._connection.close()

    def snapshot(self) -> AbstractContextManager[None]:
        return snapshot(self._connection)

    def change_counter(self) -> int:
        """Differs from the last call's when another connection has committed since."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def contract(self) -> Contract | None:
        row = self._connection.execute(
            "SELECT embedder, dimension, chunker, version FROM contract"
        ).fetchone()
        return Contract(*row) if row else None

    def start(self, contract: Contract, collections: str) -> None:
        """`collections` is what the names of this index's collections begin with."""
        self._connection.execute(
            "INSERT INTO contract VALUES (?, ?, ?, ?, ?)", (*astuple(contract), collections)
        )

    def collections(self) -> str:
        row = self._connection.execute("SELECT collections FROM contract").fetchone()
        return str(row[0])

    def documents(self, paths: Sequence[str] | None = None) -> dict[str, DocumentRow]:
        """Those at `paths`, or all."""
        rows = self._connection.execute(
            "SELECT path, sha256, bytes, seen_ns, read_with, status, reason, title, "
            "own_date, modified, tags FROM documents"
            + (" ORDER BY path" if paths is None else f" WHERE path IN ({marks(paths)})"),
            paths or (),
        )
        return {row[0]: DocumentRow(*(*row[:-1], tuple(json.loads(row[-1])))) for row in rows}

    def paths_in(self, scope: Scope) -> frozenset[str]:
        """Indexed documents of a scope. Raises `InputError` where it holds none."""
        return paths_in(self._connection, scope)

    def page_count(self, document: str) -> int:
        """The number of its last page with text."""
        row = self._connection.execute(
            "SELECT max(page) FROM pages WHERE document = ?", (document,)
        ).fetchone()
        return int(row[0] or 0)

    def passage_count_of(self, document: str) -> int:
        row = self._connection.execute(
            "SELECT count(*) FROM passages WHERE document = ?", (document,)
        ).fetchone()
        return int(row[0])

    def replace_document(
        self,
        document: DocumentRow,
        pages: Sequence[Page] = (),
        passages: Sequence[Passage] = (),
        instead_of: str | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Put the whole document in place of an older one of its path, and of the one at
        `instead_of`, in one transaction: a search sees either the old or the new. Nothing is done
        where, nobody else writing any more, it `is_wanted` no longer."""
        before = self._select("WHERE document IN (?, ?)", (document.path, instead_of or ""))
        with transaction(self._connection):
            if not is_wanted():
                return False
            held = self._drop(document.path)
            if instead_of is not None:
                self._drop(instead_of)
            self._connection.execute(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*astuple(document)[:-1], json.dumps(document.tags, ensure_ascii=False)),
            )
            self._connection.executemany(
                "INSERT INTO pages VALUES (?, ?, ?)",
                ((document.path, page.number, page.text) for page in pages),
            )
            for passage in passages:
                self._insert(passage, dense=passage.id in held)
            self._add_to_checksum(sum(int(passage.id, 16) for passage in passages))
            same = Counter(one.text for one in before) & Counter(one.text for one in passages)
            self._connection.execute("UPDATE totals SET changes = changes - ?", (2 * same.total(),))
        return True

    def touch_document(self, row: DocumentRow) -> None:
        """The file's times have changed, and nothing else."""
        self._connection.execute(
            "UPDATE documents SET seen_ns = ?, modified = ? WHERE path = ?",
            (row.seen_ns, row.modified, row.path),
        )

    def remove_document(self, path: str) -> None:
        with transaction(self._connection):
            self._drop(path)

    def _drop(self, document: str) -> set[str]:
        """Drop a document with its passages; the ids that Chroma holds become stale, and are
        returned."""
        rows = self._connection.execute(
            "SELECT row, id, script, dense FROM passages WHERE document = ?", (document,)
        ).fetchall()
        self._connection.executemany(
            "INSERT OR IGNORE INTO stale VALUES (?, ?)",
            ((identity, of) for _, identity, of, dense in rows if dense),
        )
        self.lexical.remove(row for row, *_ in rows)
        for table in ("passages", "pages"):
            self._connection.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
        self._connection.execute("DELETE FROM documents WHERE path = ?", (document,))
        self._add_to_checksum(-sum(int(identity, 16) for _, identity, *_ in rows))
        return {identity for _, identity, _, dense in rows if dense}

    def _insert(self, passage: Passage, *, dense: bool) -> None:
        cursor = self._connection.execute(
            f"INSERT INTO passages ({_PASSAGE}, script, dense) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                passage.id,
                passage.document,
                passage.title,
                passage.page,
                passage.start,
                passage.end,
                json.dumps(passage.heading, ensure_ascii=False),
                passage.text,
                script(passage.text),
                int(dense),
            ),
        )
        if dense:
            self._connection.execute("DELETE FROM stale WHERE id = ?", (passage.id,))
        self.lexical.add(int(cursor.lastrowid or 0), passage)

    def _add_to_checksum(self, amount: int) -> None:
        checksum = (int(self.corpus_version(), 16) + amount) % 2**128
        self._connection.execute("UPDATE totals SET checksum = ?", (f"{checksum:x}",))

    def corpus_version(self) -> str:
        """Changes when any passage does: the sum of all ids, which are hashes."""
        return str(self._total("checksum"))

    def passage_count(self) -> int:
        return int(self._total("passages"))

    def changes(self) -> int:
        """Passages added and dropped since the index was made; one whose text changed counts twice,
        and one that only got another place or file name does not count."""
        return int(self._total("changes"))

    def missing_vectors(self) -> int:
        return int(self._total("missing"))

    def unsettled(self) -> bool:
        """Whether Chroma may hold something else than `dense` says."""
        return bool(self._total("unsettled"))

    def settle(self, settled: bool) -> None:
        self._connection.execute("UPDATE totals SET unsettled = ?", (int(not settled),))

    def announce(self) -> None:
        """Have `change_counter` differ for others, who then look at what lies beside the catalog.
        SQLite commits nothing where a row becomes what it was, so it is changed and changed back.
        """
        with transaction(self._connection):
            for _ in range(2):
                self._connection.execute("UPDATE totals SET unsettled = 1 - unsettled")

    def _total(self, column: str) -> int | str:
        value: int | str = self._connection.execute(f"SELECT {column} FROM totals").fetchone()[0]
        return value

    def passages_without_vector(self, limit: int, after: int) -> list[Unembedded]:
        """The next ones behind the row `after`."""
        rows = self._connection.execute(
            "SELECT row, id, document, script, text FROM passages WHERE dense = 0 AND row > ? "
            "ORDER BY row LIMIT ?",
            (after, limit),
        )
        return [Unembedded(*row) for row in rows]

    def texts(self) -> Iterator[str]:
        """Of all passages."""
        return (str(text) for (text,) in self._connection.execute("SELECT text FROM passages"))

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        found = self._select(f"WHERE id IN ({marks(ids)})", ids)
        return {passage.id: passage for passage in found}

    def passages_on(self, document: str, page: int) -> list[Passage]:
        """The passages of one page, in reading order."""
        return self._select("WHERE document = ? AND page = ? ORDER BY start", (document, page))

    def page_text(self, document: str, page: int) -> str:
        """Empty where the page has no text."""
        row = self._connection.execute(
            "SELECT text FROM pages WHERE document = ? AND page = ?", (document, page)
        ).fetchone()
        return str(row[0]) if row else ""

    def sample(self, size: int) -> list[Passage]:
        """Up to `size` passages, the same in each run and spread evenly, since ids are hashes."""
        return self._select("ORDER BY id LIMIT ?", (size,))

    def _select(self, condition: str, values: Sequence[str | int]) -> list[Passage]:
        rows = self._connection.execute(f"SELECT {_PASSAGE} FROM passages {condition}", values)
        return [_passage(row) for row in rows]

    def mark_put(self, put: Sequence[tuple[str, Script]]) -> None:
        """Chroma holds these now. What has been dropped meanwhile is stale at once."""
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE passages SET dense = 1 WHERE id = ?", ((i,) for i, _ in put)
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO stale SELECT ?1, ?2 "
                "WHERE NOT EXISTS (SELECT 1 FROM passages WHERE id = ?1)",
                put,
            )

    def mark_missing(self, ids: Iterable[str]) -> None:
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE passages SET dense = 0 WHERE id = ?", ((i,) for i in ids)
            )

    def dense_ids(self, of: Script) -> Iterator[str]:
        """Ids, in their order, whose vectors of one script Chroma holds, as far as is known."""
        rows = self._connection.execute(
            "SELECT id FROM passages WHERE dense = 1 AND script = ? ORDER BY id", (of,)
        )
        return (str(row[0]) for row in rows)

    def stale_ids(self) -> list[tuple[str, Script]]:
        return list(self._connection.execute("SELECT id, script FROM stale"))

    def forget_stale(self, ids: Iterable[str]) -> None:
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM stale WHERE id = ?", ((i,) for i in ids))


def _passage(row: Sequence[str]) -> Passage:
    values = dict(zip(_PASSAGE.split(", "), row, strict=True))
    return Passage.model_validate(values | {"heading": tuple(json.loads(values["heading"]))})
