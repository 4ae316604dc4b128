"""A quota under many tasks at once, on the real process: nobody's count differs by a token."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from graph.answer import CallRecord
from nodes.select import INSTRUCTION_TOKENS
from serving.store.database import Database, open_database
from serving.store.quotas import QuotaStore, Standing
from serving.store.tables import reservations
from serving.store.tenants import Allowance, TenantStore
from tests.postgresql import PostgresqlServer
from tests.serving.api.process import ASK, new_home, served
from tests.stub_engine import Stall, StubEngine
from tests.waiting import until, until_async

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
        self._database = database
        self.tenants = TenantStore(database)
        self.quotas = QuotaStore(database, self.tenants)

    async def standing(self) -> Standing:
        day, _ = await self.quotas.standing("acme")
        return day

    async def noted(self) -> int:
        """Tokens of calls that run."""
        async with self._database.transaction() as connection:
            found = await connection.execute(select(reservations.c.running))
            return sum(
                CallRecord.model_validate(call).tokens
                for calls in found.scalars()
                for call in calls
            )


async def tasks_in(client: httpx.AsyncClient, status: str) -> list[dict[str, Any]]:
    page = await client.get("/v1/tasks", params={"status": status, "limit": 100})
    tasks: list[dict[str, Any]] = page.json()["tasks"]
    return tasks


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


async def test_the_counts_agree_when_clients_leave_and_the_process_is_killed(
    tmp_path: Path, settings: dict[str, str], stub_engine: StubEngine
) -> None:
    chance = random.Random(5)
    stalled = 90
    script = [Stall("A response cache keeps whole")] * stalled
    home = new_home(tmp_path)
    async with books(home, settings) as kept:
        async with served(home, stub_engine, **settings) as (process, client):
            await client.post("/v1/tasks", json=ASK)
            one = stub_engine.tokens
            allowed = TASKS * (one + FIRST_TOKENS)
            await kept.tenants.allow("acme", Allowance(tokens_per_day=allowed))
            stub_engine.script.extend(script)
            asking = [asyncio.create_task(client.post("/v1/tasks", json=ASK)) for _ in range(TASKS)]
            await until(lambda: stub_engine.open_streams == stalled, timeout_s=120)
            await until(
                lambda: sum(each.done() for each in asking) == TASKS - stalled, timeout_s=120
            )
            leaving = chance.sample([each for each in asking if not each.done()], stalled // 3)
            for each in leaving:
                each.cancel()

            async def who_left_is_cancelled() -> bool:
                return len(await tasks_in(client, "running")) == stalled * 2 // 3

            await until_async(who_left_is_cancelled, timeout_s=60)
            deleted = chance.sample(await tasks_in(client, "running"), stalled // 3)
            await asyncio.gather(*(client.delete(f"/v1/tasks/{task['id']}") for task in deleted))
            await until(lambda: stub_engine.open_streams == stalled // 3, timeout_s=60)

            async def all_is_noted() -> bool:
                return (await kept.standing()).used + await kept.noted() == stub_engine.tokens

            await until_async(all_is_noted, timeout_s=30)
            process.kill()
            await asyncio.gather(*asking, return_exceptions=True)
        async with served(home, stub_engine, **settings) as (_, client):
            assert len(await tasks_in(client, "interrupted")) == stalled // 3
            standing = await kept.standing()
            assert standing.reserved == 0
            assert standing.used == await tokens_of_tasks(client) == stub_engine.tokens
            assert standing.used <= allowed
