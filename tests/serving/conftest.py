"""The same tests on SQLite and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from serving.store.database import Database, open_database
from serving.store.keys import KeyStore
from serving.store.quotas import QuotaStore
from serving.store.tenants import TenantStore
from tests.postgresql import PostgresqlServer, running_postgresql

__all__ = ["running_postgresql"]


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = None
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("running_postgresql")
        url = server.new_database()
    async with open_database(url, tmp_path) as opened:
        yield opened


@pytest.fixture
def tenants(database: Database) -> TenantStore:
    return TenantStore(database)


@pytest.fixture
def keys(database: Database, tenants: TenantStore) -> KeyStore:
    return KeyStore(database, tenants)


@pytest.fixture
def quotas(database: Database, tenants: TenantStore) -> QuotaStore:
    return QuotaStore(database, tenants)
