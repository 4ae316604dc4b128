"""Replicas that count requests together, in a real Redis."""

import pytest

from graph.errors import ConfigError
from serving.api.rates import rate_limits
from serving.store.database import Database
from serving.store.tenants import Allowance, TenantStore
from tests.redis import RedisServer, redis_server
from tests.serving.api.conftest import ScriptedAgents, serving

__all__ = ["redis_server"]


async def test_two_instances_share_one_tenants_limit(
    database: Database, redis_server: RedisServer
) -> None:
    tenants = TenantStore(database)
    async with (
        rate_limits(redis_server.url, tenants) as of_one,
        rate_limits(redis_server.url, tenants) as of_other,
        serving(database, ScriptedAgents({}), "host-a", rates=of_one) as one,
        serving(database, ScriptedAgents({}), "host-b", rates=of_other) as other,
        await one.client() as client,
    ):
        await tenants.allow("acme", Allowance(requests_per_minute=3))
        answers = [await client.get(f"{url}/v1/tasks") for url in [one.url, other.url] * 2]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        left = [answer.headers["ratelimit-remaining"] for answer in answers]
        assert left == ["2", "1", "0", "0"]


@pytest.mark.parametrize("dies", [True, False])
async def test_requests_are_told_to_wait_while_redis_is_dead_or_hangs(
    database: Database, redis_server: RedisServer, dies: bool
) -> None:
    tenants = TenantStore(database)
    async with (
        rate_limits(redis_server.url, tenants) as rates,
        serving(database, ScriptedAgents({}), rates=rates) as served,
        await served.client() as client,
    ):
        await tenants.allow("acme", Allowance(requests_per_minute=60))
        assert (await client.get("/v1/tasks")).status_code == 200
        (redis_server.stop if dies else redis_server.hang)()
        refused = await client.get("/v1/tasks")
        assert refused.status_code == 503
        assert refused.json()["type"] == "urn:knowledge-agent:StoreUnavailable"
        assert "KA_REDIS_URL" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) > 0
        (redis_server.start if dies else redis_server.go_on)()
        again = await client.get("/v1/tasks")
        assert again.status_code == 200
        if dies:  # what was counted is lost; who hung still gets what was sent to it meanwhile
            assert again.headers["ratelimit-remaining"] == "59"


@pytest.mark.parametrize("url", ["localhost:6379", "http://localhost", "redis://host:port"])
async def test_an_address_that_is_none_of_redis_is_refused_at_the_start(
    database: Database, url: str
) -> None:
    with pytest.raises(ConfigError, match=r"KA_REDIS_URL .*redis://HOST"):
        async with rate_limits(url, TenantStore(database)):
            pass
