"""A quota under many tasks at once, on the real process: nobody's count differs by a token."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from nodes.select import INSTRUCTION_TOKENS
from serving.store.database import Database, open_database
from serving.store.quotas import QuotaStore, Standing
from serving.store.tenants import Allowance, TenantStore
from tests.postgresql import PostgresqlServer
from tests.serving.api.process import ASK, new_home, served
from tests.stub_engine import StubEngine

TASKS = 200
QUOTA = 50
ATTEMPTS = 6
OUTPUT_TOKENS, EVIDENCE_TOKENS = 16, 200
FIRST_TOKENS = OUTPUT_TOKENS + EVIDENCE_TOKENS + INSTRUCTION_TOKENS
SETTINGS = {
    "KA_OUTPUT_TOKENS": str(OUTPUT_TOKENS),
    "KA_EVIDENCE_TOKENS": str(EVIDENCE_TOKENS),
    "KA_REQUESTS_PER_MINUTE": "100000",
    "KA_CONCURRENT_TASKS": str(TASKS),
    "KA_DEADLINE_S": "600",
    "KA_CALL_TIMEOUT_S": "600",
}
LIMITS = httpx.Limits(max_connections=TASKS + 10)


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return SETTINGS
    server: PostgresqlServer = request.getfixturevalue("running_postgresql")
    return {**SETTINGS, "KA_DATABASE_URL": server.new_database()}


class Books:
    """What the database says, asked beside the running process."""

    def __init__(self, database: Database) -> None:
        self.tenants = TenantStore(database)
        self.quotas = QuotaStore(database, self.tenants)

    async def standing(self) -> Standing:
        day, _ = await self.quotas.standing("acme")
        return day


@asynccontextmanager
async def books(home: Path, settings: dict[str, str]) -> AsyncIterator[Books]:
    async with open_database(settings.get("KA_DATABASE_URL"), home) as database:
        yield Books(database)


async def tokens_of_tasks(client: httpx.AsyncClient) -> int:
    total, after = 0, None
    while True:
        params = {"limit": 100} | ({"after": after} if after else {})
        page = (await client.get("/v1/tasks", params=params)).json()
        for task in page["tasks"]:
            total += task["usage"]["prompt_tokens"] + task["usage"]["output_tokens"]
        if (after := page["next"]) is None:
            return total


async def ask_until_answered(client: httpx.AsyncClient) -> int:
    """The last status: one who is told to wait asks a few times more."""
    for _ in range(ATTEMPTS):
        response = await client.post("/v1/tasks", json=ASK)
        if response.status_code != 429:
            break
        await asyncio.sleep(0.2)
    return response.status_code


async def test_200_parallel_tasks_take_no_token_more_than_a_quota_for_50(
    tmp_path: Path, settings: dict[str, str], stub_engine: StubEngine
) -> None:
    home = new_home(tmp_path)
    async with (
        served(home, stub_engine, **settings) as (_, client),
        books(home, settings) as kept,
    ):
        assert (await client.post("/v1/tasks", json=ASK)).status_code == 200
        one = stub_engine.tokens
        allowed = one + QUOTA * one + FIRST_TOKENS
        await kept.tenants.allow("acme", Allowance(tokens_per_day=allowed))
        statuses = await asyncio.gather(*(ask_until_answered(client) for _ in range(TASKS)))
        assert set(statuses) == {200, 429}
        for _ in range(QUOTA):
            if await ask_until_answered(client) == 429:
                break
        standing = await kept.standing()
        assert standing.reserved == 0
        assert standing.used == await tokens_of_tasks(client) == stub_engine.tokens
        # As many as the quota is for, and not one more token than it allows.
        assert allowed - FIRST_TOKENS - one < standing.used <= allowed
