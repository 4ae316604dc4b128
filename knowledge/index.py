"""Vectors in Chroma, embedded and persistent: one collection per tenant, cosine, no telemetry."""

import re
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Self, cast

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from graph.errors import InputError, KnowledgeError
from graph.evidence import Passage
from knowledge.contract import Contract, mismatch
from knowledge.embed import Vectors
from knowledge.lexical import Script, script

MAX_BATCH = 5_461
"""Records that one call of Chroma takes."""

_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")


def check_tenant(tenant: str) -> str:
    if not _TENANT.fullmatch(tenant):
        raise InputError(
            f"{tenant!r} is no tenant name: up to 48 of a-z, 0-9, _ and -, a letter or digit first"
        )
    return tenant


class VectorIndex:
    """The collection of one tenant. The caller owns the folder (`knowledge.lock`)."""

    def __init__(self, path: Path, tenant: str) -> None:
        self._name = f"tenant-{check_tenant(tenant)}"
        try:
            self._client = chromadb.PersistentClient(
                str(path), settings=Settings(anonymized_telemetry=False)
            )
        except (ChromaError, ValueError, OSError) as error:
            raise KnowledgeError(f"Chroma cannot open {path}: {error}") from error
        self._collection: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        # ClientAPI, the declared type, lacks the method that every client has.
        cast("Any", self._client).close()

    def open(self) -> Contract | None:
        """Open the collection and return what it records; None where there is none yet."""
        try:
            self._collection = self._client.get_collection(self._name, embedding_function=None)
        except NotFoundError:
            return None
        space = (self._collection.configuration.get("hnsw") or {}).get("space")
        if space != "cosine":
            raise mismatch(f"distance {space}, now cosine")
        recorded = self._collection.metadata or {}
        try:
            return Contract(**{field.name: recorded[field.name] for field in fields(Contract)})
        except KeyError as error:
            raise mismatch(f"{error.args[0]} not recorded") from error

    def create(self, contract: Contract) -> None:
        self._collection = self._client.create_collection(
            self._name,
            metadata=asdict(contract),
            configuration={"hnsw": {"space": "cosine"}},
            embedding_function=None,
        )

    def drop(self) -> None:
        try:
            self._client.delete_collection(self._name)
        except NotFoundError:
            return
        finally:
            self._collection = None

    def count(self) -> int:
        return int(self._collection.count())

    def ids(self) -> set[str]:
        return set(self._collection.get(include=[])["ids"])

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Put `vectors`, shape (len(passages), dimension), in. Texts stay in the catalog alone, so
        that the two can never disagree."""
        for at in range(0, len(passages), MAX_BATCH):
            part = slice(at, at + MAX_BATCH)
            self._collection.upsert(
                ids=[passage.id for passage in passages[part]],
                embeddings=vectors[part],
                metadatas=[
                    {"document": passage.document, "script": script(passage.text)}
                    for passage in passages[part]
                ],
            )

    def delete(self, ids: Sequence[str]) -> None:
        for at in range(0, len(ids), MAX_BATCH):
            self._collection.delete(ids=list(ids[at : at + MAX_BATCH]))

    def sample(self, of: Script, limit: int) -> Vectors:
        """Up to `limit` vectors of passages in one script, shape (n, dimension)."""
        found = self._collection.get(where={"script": of}, limit=limit, include=["embeddings"])
        return np.asarray(found["embeddings"], np.float32)

    def query(self, vector: Vectors, of: Script, limit: int) -> list[tuple[str, float]]:
        """Ids and cosines of passages in one script, best first. Raises `IndexMismatch` for
        another dimension."""
        try:
            found = self._collection.query(
                query_embeddings=vector[None, :],
                n_results=limit,
                where={"script": of},
                include=["distances"],
            )
        except ChromaError as error:
            if "dimension" in str(error):
                raise mismatch(f"the question's vector has {vector.shape[0]} numbers") from error
            raise KnowledgeError(f"Chroma cannot search: {error}") from error
        return [
            (identity, 1.0 - float(distance))
            for identity, distance in zip(found["ids"][0], found["distances"][0], strict=True)
        ]
