"""Lone queries: past the connection that writes, and never behind what was committed."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import OperationalError

from serving.store import tables
from serving.store.database import Database, open_database
from serving.store.tenants import TenantStore


async def test_a_reader_waits_for_no_writer_and_sees_what_was_committed(
    database: Database, tenants: TenantStore
) -> None:
    async with database.transaction() as connection:
        await tenants.add_in(connection, "acme")
        async with asyncio.timeout(10):
            assert await tenants.known() == []
    assert [name for name, _ in await tenants.known()] == ["acme"]


async def test_with_sqlite_a_reader_cannot_write(tmp_path: Path) -> None:
    async with open_database(None, tmp_path) as database, database.reading() as connection:
        with pytest.raises(OperationalError, match="readonly"):
            await connection.execute(insert(tables.tenants).values(name="acme", created_s=0.0))
