"""Vectors in Chroma: in files of this process, or in a Chroma server.

A tenant has one collection per script, with cosine as its space and the contract in its metadata.
Search asks each script apart (`knowledge.search`), and a `where` over metadata that many records
share makes a query of 100,000 vectors take 390 ms in place of 1.3 (docs/decisions/011).
"""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar, get_args
from urllib.parse import urlsplit

import numpy as np

from graph.errors import AgentError, KnowledgeError
from knowledge.chroma_server import check_server
from knowledge.contract import Contract, mismatch
from knowledge.embed import Vectors
from knowledge.lexical import Script

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection as ChromaCollection
    from chromadb.api.types import GetResult, Where

MAX_BATCH = 5_000
"""Records in one call; Chroma takes 5,461."""

MAX_NAMED = 30_000
UNNAMED_FACTOR = 20
"""Chroma fails on a `where` of more names (SQLite's 32,766 variables). So many documents are most
of an index: as many times more of all are asked for, and those of other documents left out."""

SERVER_TIMEOUT_S = 30.0
"""Of one call of a Chroma server. Its client has none of its own."""

_opening = threading.Lock()
"""Chroma shares what it has open of a folder among its clients, and counts them without a lock."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """A vector of shape (dimension,), and the document of its passage."""

    id: str
    document: str
    vector: Vectors


def _translated(
    method: Callable[Concatenate["VectorIndex", P], T],
) -> Callable[Concatenate["VectorIndex", P], T]:
    """Chroma raises errors of its own, of its HTTP client, and of its native part."""

    @wraps(method)
    def call(self: "VectorIndex", /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except AgentError:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            if "dimension" in text:
                raise mismatch(f"a vector has another length: {error}") from error
            raise KnowledgeError(
                f"Chroma cannot {method.__name__} in {self.place}: {text}"
            ) from error

    return call


class VectorIndex:
    """The collections whose names begin with `name`. Connects at the first call that needs it.

    For files the caller owns the folder (`knowledge.lock.owned`). Every method raises
    `KnowledgeError` where Chroma fails, and `IndexMismatch` where a collection does not follow
    `contract`.
    """

    def __init__(self, place: Path | str, name: str, contract: Contract) -> None:
        self.place = place
        self._name = name
        self._contract = contract
        self._client: Any = None
        self._collections: dict[Script, ChromaCollection] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of files and connections; the next call opens them again."""
        self._collections.clear()
        if self._client is not None:
            with _opening:
                self._client.close()
            self._client = None

    @_translated
    def count(self) -> int:
        return sum(self._count(of) for of in get_args(Script))

    def _count(self, of: Script) -> int:
        collection = self._collection(of)
        return int(collection.count()) if collection else 0

    @_translated
    def ids(self, of: Script) -> set[str]:
        found: set[str] = set()
        if collection := self._collection(of):
            for offset in range(0, int(collection.count()), MAX_BATCH):
                page = collection.get(limit=MAX_BATCH, offset=offset, include=[])
                found.update(page["ids"])
        return found

    @_translated
    def upsert(self, of: Script, records: Sequence[Record]) -> None:
        """Texts stay in the catalog alone, so that the two can never disagree."""
        for part in _parts(records):
            self._made(of).upsert(
                ids=[record.id for record in part],
                embeddings=np.stack([record.vector for record in part]),
                metadatas=[{"document": record.document} for record in part],
            )

    @_translated
    def delete(self, of: Script, ids: Sequence[str]) -> None:
        if collection := self._collection(of):
            for part in _parts(ids):
                collection.delete(ids=list(part))

    @_translated
    def drop(self) -> None:
        """Remove the collections and what they hold."""
        from chromadb.errors import NotFoundError

        for of in get_args(Script):
            try:
                self._connected().delete_collection(f"{self._name}-{of}")
            except NotFoundError:
                continue
        self._collections.clear()

    @_translated
    def sample(self, of: Script, limit: int) -> dict[str, Vectors]:
        """Up to `limit` vectors of passages in one script."""
        collection = self._collection(of)
        return _by_id(collection.get(limit=limit, include=["embeddings"])) if collection else {}

    @_translated
    def vectors(self, of: Script, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of passages in one script, as far as there are any."""
        found: dict[str, Vectors] = {}
        if collection := self._collection(of):
            for part in _parts(ids):
                found |= _by_id(collection.get(ids=list(part), include=["embeddings"]))
        return found

    @_translated
    def query(
        self, vectors: Vectors, of: Script, limit: int, documents: Collection[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each of `vectors`, shape (n, dimension): ids and cosines of passages in one script,
        best first; of `documents` alone where they are given."""
        collection = self._collection(of)
        if not collection or not len(vectors) or (documents is not None and not documents):
            return [[] for _ in vectors]
        unnamed = documents if documents is not None and len(documents) > MAX_NAMED else None
        found = collection.query(
            query_embeddings=vectors,
            n_results=limit if unnamed is None else limit * UNNAMED_FACTOR,
            where=_in(documents) if documents is not None and unnamed is None else None,
            # Metadata would be half the time of a query.
            include=["distances"] if unnamed is None else ["distances", "metadatas"],
        )
        distances, metadatas = found["distances"], found["metadatas"]
        assert distances is not None  # they were asked for
        near = [
            [(key, 1.0 - float(distance)) for key, distance in zip(*row, strict=True)]
            for row in zip(found["ids"], distances, strict=True)
        ]
        if unnamed is None or metadatas is None:
            return near
        return [
            [one for one, of in zip(*row, strict=True) if of["document"] in unnamed][:limit]
            for row in zip(near, metadatas, strict=True)
        ]

    def _collection(self, of: Script) -> "ChromaCollection | None":
        """The collection, checked on its first use; None where there is none yet."""
        from chromadb.errors import NotFoundError

        if of not in self._collections:
            try:
                found = self._connected().get_collection(
                    f"{self._name}-{of}", embedding_function=None
                )
            except NotFoundError:
                return None
            self._check(found)
            self._collections[of] = found
        return self._collections[of]

    def _made(self, of: Script) -> "ChromaCollection":
        if self._collection(of) is None:
            self._collections[of] = self._connected().create_collection(
                f"{self._name}-{of}",
                metadata=asdict(self._contract),
                configuration={"hnsw": {"space": "cosine"}},
                embedding_function=None,
            )
        return self._collections[of]

    def _check(self, collection: "ChromaCollection") -> None:
        space = (collection.configuration.get("hnsw") or {}).get("space")
        if space != "cosine":
            raise mismatch(f"distance {space}, now cosine")
        recorded = collection.metadata or {}
        try:
            theirs = Contract(**{field.name: recorded[field.name] for field in fields(Contract)})
        except KeyError as error:
            raise mismatch(f"{error.args[0]} not recorded") from error
        self._contract.check(theirs)

    def _connected(self) -> Any:
        if self._client is None:
            self._client = (
                _embedded(self.place) if isinstance(self.place, Path) else _server(self.place)
            )
        return self._client


# Chroma takes a second to import: only who touches vectors pays for it.


def _embedded(folder: Path) -> Any:
    import chromadb

    with _opening:
        return chromadb.PersistentClient(str(folder), settings=_settings()())


def _server(url: str) -> Any:
    import chromadb
    import httpx

    parts = urlsplit(url)
    secure = parts.scheme == "https"
    # The client's constructor asks the server, and would wait for ever.
    check_server(url, SERVER_TIMEOUT_S)
    client = chromadb.HttpClient(
        host=parts.hostname or "",
        port=parts.port or (443 if secure else 80),
        ssl=secure,
        settings=_settings()(),
    )
    session: httpx.Client = client._server._session  # type: ignore[attr-defined]
    session.timeout = httpx.Timeout(SERVER_TIMEOUT_S)
    return client


@cache
def _settings() -> Any:
    """A class: Chroma's settings, without what the environment or a file `.env` says of them."""
    from chromadb.config import Settings

    class OwnSettings(Settings):
        anonymized_telemetry: bool = False

        @classmethod
        def settings_customise_sources(cls, *_: Any, **sources: Any) -> Any:
            return (sources["init_settings"],)

    return OwnSettings


def _by_id(found: "GetResult") -> dict[str, Vectors]:
    vectors = np.asarray(found["embeddings"], np.float32)
    return dict(zip(found["ids"], vectors, strict=True))


def _in(documents: Collection[str]) -> "Where":
    chosen: dict[Literal["$in", "$nin"], list[str | int | float | bool]] = {"$in": [*documents]}
    return {"document": chosen}


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for at in range(0, len(items), MAX_BATCH):
        yield items[at : at + MAX_BATCH]
