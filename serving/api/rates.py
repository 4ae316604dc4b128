"""How many requests a tenant may send in a minute, counted in this process or in Redis."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from math import ceil
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.errors import ConfigError, RateLimited, StoreUnavailable
from serving.store.tenants import TenantStore

HEADERS = "rate_limit_headers"
"""Where a request's state holds what the response is to say."""

REDIS_TIMEOUT_S = 2.0


class RateLimits:
    def __init__(self, storage: MemoryStorage | RedisStorage, tenants: TenantStore) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._tenants = tenants

    async def admit(self, tenant: str) -> dict[str, str]:
        """Count a request; the headers that tell what is left. Raises `RateLimited`, and
        `StoreUnavailable` where Redis does not answer."""
        allowed = await self._tenants.allowance(tenant)
        if allowed is None or allowed.requests_per_minute is None:
            return {}
        item = RateLimitItemPerMinute(allowed.requests_per_minute)
        try:
            admitted = await self._limiter.hit(item, tenant)
            stats = await self._limiter.get_window_stats(item, tenant)
        except StorageError as error:
            raise StoreUnavailable(
                "Redis does not answer; try again, and look at KA_REDIS_URL if it lasts"
            ) from error
        reset_s = max(1, ceil(stats.reset_time - time.time()))
        if not admitted:
            raise RateLimited(
                f"{allowed.requests_per_minute} requests a minute are allowed; "
                f"send the next one in {reset_s} s",
                retry_after_s=reset_s,
            )
        return {
            "RateLimit-Limit": str(allowed.requests_per_minute),
            "RateLimit-Remaining": str(max(0, stats.remaining)),
            "RateLimit-Reset": str(reset_s),
        }


@asynccontextmanager
async def rate_limits(redis_url: str | None, tenants: TenantStore) -> AsyncIterator[RateLimits]:
    if redis_url is None:
        yield RateLimits(MemoryStorage(), tenants)
        return
    if find_spec("redis") is None:
        raise ConfigError("the client of Redis is not installed; run: make replicas")
    storage = RedisStorage(
        f"async+{redis_url}",
        wrap_exceptions=True,
        implementation="redispy",
        key_prefix="knowledge-agent",
        socket_timeout=REDIS_TIMEOUT_S,
        socket_connect_timeout=REDIS_TIMEOUT_S,
    )
    yield RateLimits(storage, tenants)


class RateLimitHeaders:
    """Adds what `RateLimits.admit` gave to the response, whatever kind of response it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                state: dict[str, Any] = scope.get("state", {})
                MutableHeaders(scope=message).update(state.get(HEADERS, {}))
            await send(message)

        await self._app(scope, receive, told if scope["type"] == "http" else send)
