import asyncio
import random

import httpx

from serving.store.database import Database
from serving.store.tenants import Allowance
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, ScriptedAgents, Served, serving
from tests.waiting import until

BODY = {"question": EN_QUESTION, "mode": "direct"}
TASKS = 60


async def spent_by_one_task(served: Served, client: httpx.AsyncClient) -> int:
    usage = (await client.post("/v1/tasks", json=BODY)).json()["usage"]
    return int(usage["prompt_tokens"] + usage["output_tokens"])


async def agreed(served: Served, client: httpx.AsyncClient) -> int:
    """Tokens used, as the quota, the tasks and the model's own count have them."""
    standing, _ = await served.service.quotas.standing("acme")
    assert standing.reserved == 0
    tasks = (await client.get("/v1/tasks", params={"limit": 100})).json()["tasks"]
    by_tasks = sum(
        task["usage"]["prompt_tokens"] + task["usage"]["output_tokens"] for task in tasks
    )
    assert standing.used == by_tasks == served.agents.model.tokens
    return standing.used


async def test_parallel_tasks_never_overshoot_a_quota(served: Served) -> None:
    async with await served.client() as client:
        one = await spent_by_one_task(served, client)
        allowed = 15 * (one + 260)  # a call reserves all that it may write
        await served.tenants.allow("acme", Allowance(tokens_per_day=allowed))
        answers = await asyncio.gather(*(client.post("/v1/tasks", json=BODY) for _ in range(TASKS)))
        statuses = [answer.status_code for answer in answers]
        assert set(statuses) == {200, 429}
        assert all(
            int(answer.headers["retry-after"]) > 0
            for answer in answers
            if answer.status_code == 429
        )
        assert await agreed(served, client) <= allowed
        # Those that were let in were answered by the model, or from quotes when tokens ran out.
        assert statuses.count(200) >= 15


async def test_the_counts_agree_when_clients_leave_at_any_time(database: Database) -> None:
    agents = ScriptedAgents({"answer": [EN_LINE, "HANG"] * TASKS})
    chance = random.Random(7)
    async with serving(database, agents) as served, await served.client() as client:
        asking = [asyncio.create_task(client.post("/v1/tasks", json=BODY)) for _ in range(TASKS)]
        for early in chance.sample(asking, 10):
            await asyncio.sleep(0.01)
            early.cancel()
        await until(lambda: len(agents.model.requests) >= TASKS // 2, timeout_s=30)
        for late in chance.sample(asking, TASKS):
            if not late.done():
                await asyncio.sleep(0.01)
                late.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await until(lambda: not served.service.runner.running, timeout_s=30)
        assert await agreed(served, client) > 0
