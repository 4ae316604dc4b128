"""LangChain's usual pipeline: PyPDFLoader, RecursiveCharacterTextSplitter, Chroma.from_documents.

Runs in the environment of the peers. See `evals.index.peers` for the command.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from langchain_chroma import Chroma
from langchain_community.document_loaders import PyPDFLoader
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from evals.index.embedders import Timed
from evals.index.outcome import Ingested, Sizes, cpu_seconds
from evals.index.peers import main

CHUNK_CHARACTERS = 1_200
OVERLAP_CHARACTERS = 150


class Adapter(Embeddings):
    """The lists that LangChain asks for are made outside of the embedding time."""

    def __init__(self, embedder: Timed) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed_passages(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        row: list[float] = self._embedder.embed_query(text).tolist()
        return row


def ingested(files: Sequence[Path], index: Path, embedder: Timed) -> Ingested:
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=CHUNK_CHARACTERS, chunk_overlap=OVERLAP_CHARACTERS
    )
    cpu = cpu_seconds()
    started = time.perf_counter()
    documents = [page for file in files for page in PyPDFLoader(str(file)).load()]
    read = time.perf_counter()
    chunks = splitter.split_documents(documents)
    split = time.perf_counter()
    Chroma.from_documents(chunks, Adapter(embedder), persist_directory=str(index))
    ended = time.perf_counter()
    cpu = cpu_seconds() - cpu
    sizes = Sizes.of((chunk.page_content for chunk in chunks), embedder.count_tokens)
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
