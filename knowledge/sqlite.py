"""How SQLite is opened here: WAL, bounded waits, and errors as this product's own."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from graph.errors import KnowledgeError

BUSY_TIMEOUT_S = 5.0

P = ParamSpec("P")
T = TypeVar("T")


def _translated(method: Callable[P, T]) -> Callable[P, T]:
    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except sqlite3.Error as error:
            raise KnowledgeError(f"the index cannot be read or written: {error}") from error

    return call


class Connection(sqlite3.Connection):
    """Raises `KnowledgeError` where SQLite fails."""

    execute = _translated(sqlite3.Connection.execute)
    executemany = _translated(sqlite3.Connection.executemany)
    executescript = _translated(sqlite3.Connection.executescript)


def connect(path: Path, schema: str, wait_s: float = BUSY_TIMEOUT_S) -> Connection:
    """Open `path`, made where there is none. A commit survives a killed process. Who only reads
    needs no lock, so that one can read while another writes."""
    try:
        connection = sqlite3.connect(
            path,
            timeout=wait_s,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
        )
    except sqlite3.Error as error:
        raise _broken(path, error) from error
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            connection.executescript(schema + "PRAGMA user_version = 1;")
    except KnowledgeError as error:
        connection.close()
        raise _broken(path, error) from error
    return connection


def _broken(path: Path, cause: Exception) -> KnowledgeError:
    return KnowledgeError(
        f"the index file {path} does not open ({cause}); if it is damaged, "
        "make the index anew with: knowledge-agent ingest DIR --rebuild"
    )


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All of the block's changes, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """All reads of the block see the index as it was at the first of them."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def marks(values: Sequence[object]) -> str:
    """Placeholders for a list of values."""
    return ", ".join("?" * len(values))
