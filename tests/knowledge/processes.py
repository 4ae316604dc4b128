"""Processes beside this one that work on an index.

They are forked from one that has imported everything and started nothing: no thread, no Chroma. A
fork of pytest itself would inherit both.
"""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from knowledge.embed import Vectors
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.knowledge import versions
from tests.knowledge.stubs import WordsEmbedder
from tests.knowledge.syncing import sync

TIMEOUT_S = 60.0
"""Far more than anything here takes: what waits longer hangs."""

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.knowledge.crash_worker"])


@contextmanager
def working(work: Callable[..., None], *args: object) -> Iterator[tuple[BaseProcess, Connection]]:
    """Run `work(connection, *args)` in a process until the block ends; gives the process and the
    other end of the connection."""
    ours, theirs = _forks.Pipe()
    process = _forks.Process(target=work, args=(theirs, *args), daemon=True)
    process.start()
    theirs.close()
    with ours:
        try:
            yield process, ours
        finally:
            process.kill()
            process.join(TIMEOUT_S)


def receive(connection: Connection) -> Any:
    """The next thing that the process says. Raises `EOFError` where it died; then its traceback
    stands on stderr."""
    if not connection.poll(TIMEOUT_S):
        raise TimeoutError(f"not a word from the process for {TIMEOUT_S:g} s")
    return connection.recv()


def hold_open(connection: Connection, folder: Path, address: IndexAddress) -> None:
    """Have the index open to search it, as a service does."""
    with open_retriever(address, WordsEmbedder()):
        connection.send("open")
        connection.recv()


def hold_ingest(connection: Connection, folder: Path, address: IndexAddress) -> None:
    """Be in the middle of an ingest, its embedder waiting; say at its end what went wrong."""

    class Waiting(WordsEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            if not self.embedded:
                connection.send("embedding")
                connection.recv()
            return super().embed_passages(texts)

    connection.send(sync(folder, address, Waiting()).embedder_error)


def ingest_again_and_again(
    connection: Connection, folder: Path, address: IndexAddress, rounds: int
) -> None:
    connection.send("begins")
    versions.alternate(folder, address, rounds)
    connection.send("ended")
