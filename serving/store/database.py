"""Open the service's database: SQLite in the home folder, or the owner's PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import Connection, Table, event, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from graph.errors import ConfigError, StoreUnavailable
from serving.store import tables

WAIT_S = 30.0
"""For a connection, and for another process's lock."""

POOL = 10
READERS = 2
"""Connections to SQLite for those who only read."""

MAKING_TABLES = 7_320_114  # an advisory lock of PostgreSQL: replicas start at the same time


OUTAGES = (OperationalError, InterfaceError, PoolTimeout, OSError)


P = ParamSpec("P")
T = TypeVar("T")


def to_its_end(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """For methods with a transaction: a cancel of the caller does not break it off.

    A statement that is broken off takes its connection along, and with SQLite's only one everybody
    waits. The caller is cancelled at once, and the transaction still ends.
    """

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        working = asyncio.create_task(method(*args, **kwargs))
        _working.add(working)
        working.add_done_callback(_ended)
        return await asyncio.shield(working)

    return call


_working: set[asyncio.Task[Any]] = set()


def _ended(working: asyncio.Task[Any]) -> None:
    _working.discard(working)
    if not working.cancelled():
        working.exception()  # who was cancelled does not ask for it


class Database:
    """Transactions on one database, by `engine`; lone queries by `reader`, which commits each by
    itself. Raises `StoreUnavailable` where it fails."""

    def __init__(self, engine: AsyncEngine, reader: AsyncEngine) -> None:
        self._engine = engine
        self._reader = reader

    async def aclose(self) -> None:
        if _working:
            await asyncio.wait(_working, timeout=WAIT_S)
        await self._reader.dispose()
        await self._engine.dispose()

    @property
    def is_postgresql(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    @to_its_end
    async def answer(self) -> None:
        """Raises `StoreUnavailable` where it does not."""
        async with self.transaction() as connection:
            await connection.execute(text("SELECT 1"))

    async def insert_new(
        self, connection: AsyncConnection, table: Table, values: Mapping[str, Any]
    ) -> bool:
        """Whether it was: nothing is done where a row has the same key already."""
        new = self.insert_into(table).values(values).on_conflict_do_nothing()
        made = await connection.execute(new.returning(*table.primary_key))
        return made.first() is not None

    def insert_into(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """With `on_conflict_do_…`, which both databases know and the standard does not."""
        return postgresql.insert(table) if self.is_postgresql else sqlite.insert(table)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Committed when the block ends, undone when it raises."""
        with _outages_told():
            async with self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """For queries that change nothing: each sees what was committed before it. With SQLite they
        do not queue for the connection that writes."""
        with _outages_told():
            async with self._reader.connect() as connection:
                yield connection


@contextmanager
def _outages_told() -> Iterator[None]:
    try:
        yield
    except OUTAGES as error:
        raise StoreUnavailable(
            f"the database does not answer ({type(error).__name__}); try again, and look at "
            "KA_DATABASE_URL or the disk if it lasts"
        ) from error


@asynccontextmanager
async def open_database(url: str | None, home: Path) -> AsyncIterator[Database]:
    """The tables are made where there are none. Raises `ConfigError` for an address that is none
    of PostgreSQL's, or tables of another version; `StoreUnavailable` where nobody answers."""
    database = _postgresql(url) if url else _sqlite(home)
    try:
        await _prepare(database)
        yield database
    finally:
        await database.aclose()


def _postgresql(url: str) -> Database:
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise ConfigError(
            "KA_DATABASE_URL is no address; use postgresql://USER@HOST/NAME"
        ) from error
    if address.get_backend_name() != "postgresql":
        raise ConfigError(
            f"KA_DATABASE_URL names {address.get_backend_name()}; PostgreSQL is supported: "
            "postgresql://USER@HOST/NAME, or leave it empty for SQLite"
        )
    try:
        engine = create_async_engine(
            address.set(drivername="postgresql+psycopg"),
            pool_size=POOL,
            max_overflow=0,
            pool_timeout=WAIT_S,
            pool_pre_ping=True,
            connect_args={"connect_timeout": int(WAIT_S)},
            skip_autocommit_rollback=True,
        )
    except ModuleNotFoundError as error:
        raise ConfigError(
            "the client of PostgreSQL is not installed; run: make replicas"
        ) from error
    return Database(engine, engine.execution_options(isolation_level="AUTOCOMMIT"))


def _sqlite(home: Path) -> Database:
    home.mkdir(parents=True, exist_ok=True)

    def connections(count: int, **options: Any) -> AsyncEngine:
        return create_async_engine(
            f"sqlite+aiosqlite:///{home / 'service.sqlite3'}",
            pool_size=count,
            max_overflow=0,
            pool_timeout=WAIT_S,
            connect_args={"timeout": WAIT_S},
            **options,
        )

    # One that writes: SQLite has one writer at a time anyway, and nobody waits on a lock.
    engine = connections(1)
    reader = connections(READERS, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True)

    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None  # `begin` below says how a transaction begins
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        """Wait for another process's lock here: a transaction that reads first and writes then
        would not wait but fail."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @event.listens_for(reader.sync_engine, "connect")
    def read_only(connection: Any, _: object) -> None:
        connection.execute("PRAGMA query_only=ON")

    return Database(engine, reader)


async def _prepare(database: Database) -> None:
    async with database.transaction() as connection:
        if database.is_postgresql:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({MAKING_TABLES})"))
        await connection.run_sync(tables.metadata.create_all)
        found = (await connection.execute(select(tables.schema.c.version))).scalar_one_or_none()
        if found is None:
            await connection.execute(insert(tables.schema).values(version=tables.SCHEMA))
        elif found != tables.SCHEMA:
            raise ConfigError(
                f"the database has tables of version {found}, this release needs "
                f"{tables.SCHEMA}; use the release that made them, or an empty database"
            )
