"""LlamaIndex's usual pipeline: SimpleDirectoryReader, SentenceSplitter, ChromaVectorStore.

Runs in the environment of the peers. See `evals.index.peers` for the command.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr

from evals.index.embedders import Timed
from evals.index.outcome import Ingested, Sizes, cpu_seconds
from evals.index.peers import main

CHUNK_TOKENS = 400
OVERLAP_TOKENS = 40


class Adapter(BaseEmbedding):  # type: ignore[misc]  # LlamaIndex is not in the agent's environment
    """The lists that LlamaIndex asks for are made outside of the embedding time."""

    _embedder: Timed = PrivateAttr()

    def __init__(self, embedder: Timed, **settings: Any) -> None:
        super().__init__(**settings)
        self._embedder = embedder

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed_passages(texts).tolist()
        return rows

    def _get_query_embedding(self, query: str) -> list[float]:
        row: list[float] = self._embedder.embed_query(query).tolist()
        return row

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def ingested(files: Sequence[Path], index: Path, embedder: Timed) -> Ingested:
    def tokenize(text: str) -> range:
        """The splitter takes the length of what a tokenizer gives and no more."""
        return range(embedder.count_tokens(text))

    splitter = SentenceSplitter(
        chunk_size=CHUNK_TOKENS, chunk_overlap=OVERLAP_TOKENS, tokenizer=tokenize
    )
    cpu = cpu_seconds()
    started = time.perf_counter()
    documents = SimpleDirectoryReader(input_files=[str(file) for file in files]).load_data()
    read = time.perf_counter()
    nodes = splitter.get_nodes_from_documents(documents)
    split = time.perf_counter()
    store = ChromaVectorStore.from_params("documents", persist_dir=str(index))
    VectorStoreIndex(
        nodes,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=Adapter(embedder),
    )
    ended = time.perf_counter()
    cpu = cpu_seconds() - cpu
    texts = (node.get_content(MetadataMode.NONE) for node in nodes)
    sizes = Sizes.of(texts, embedder.count_tokens)
    return Ingested(
        passages=sizes.passages,
        tokens_per_passage=sizes.tokens,
        characters_per_passage=sizes.characters,
        seconds=ended - started,
        cpu_seconds=cpu,
        embed_seconds=embedder.seconds,
        embedded_passages=embedder.passages,
        pages=len(documents),
        phases={"read": read - started, "split": split - read, "store": ended - split},
    )


if __name__ == "__main__":
    main(ingested)
