import httpx
from limits.aio.storage import MemoryStorage

from serving.api.rates import RateLimits
from serving.store.tenants import Allowance
from tests.serving.api.conftest import Served


async def test_a_tenant_is_told_what_is_left_and_when_to_come_again(served: Served) -> None:
    async with await served.client("acme") as client, await served.client("umbrella") as other:
        await served.tenants.allow("acme", Allowance(requests_per_minute=3))
        answers = [await client.get("/v1/tasks") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        left = [answer.headers["ratelimit-remaining"] for answer in answers]
        assert left == ["2", "1", "0", "0", "0"]
        assert {answer.headers["ratelimit-limit"] for answer in answers} == {"3"}
        assert 0 < int(answers[3].headers["retry-after"]) <= 60
        assert answers[3].headers["ratelimit-reset"] == answers[3].headers["retry-after"]
        assert answers[3].json()["type"] == "urn:knowledge-agent:RateLimited"
        assert (await other.get("/v1/tasks")).status_code == 200


async def test_streams_tell_what_is_left_too(served: Served) -> None:
    async with await served.client() as client:
        await served.tenants.allow("acme", Allowance(requests_per_minute=10))
        task = (await client.post("/v1/tasks", json={"question": "캐시는?"})).json()
        response = await client.get(f"/v1/tasks/{task['id']}/events")
        assert response.headers["ratelimit-remaining"] == "8"


async def test_who_is_not_known_is_not_counted(served: Served) -> None:
    async with httpx.AsyncClient(base_url=served.url) as client:
        assert "ratelimit-limit" not in (await client.get("/v1/tasks")).headers


async def test_a_tenant_without_a_limit_is_told_nothing(served: Served) -> None:
    await served.tenants.add("acme")
    assert await RateLimits(MemoryStorage(), served.tenants).count("acme") is None
