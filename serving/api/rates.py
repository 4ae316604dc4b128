"""How many requests a tenant may send in a minute, counted in this process or in Redis."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
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

NO_REDIS = "Redis does not answer; try again, and look at KA_REDIS_URL if it lasts"
REDIS_TIMEOUT_S = 2.0
REDIS_CONNECTIONS = 20


@dataclass(frozen=True, slots=True)
class Counted:
    """A request that was counted; `reset_s` is when the next one may be sent."""

    allowed: int
    remaining: int
    reset_s: int
    admitted: bool

    @property
    def headers(self) -> Mapping[str, str]:
        return {
            "RateLimit-Limit": str(self.allowed),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_s),
        }

    def check(self) -> None:
        """Raises `RateLimited`."""
        if not self.admitted:
            raise RateLimited(
                f"{self.allowed} requests a minute are allowed; "
                f"send the next one in {self.reset_s} s",
                retry_after_s=self.reset_s,
            )


class RateLimits:
    def __init__(self, storage: MemoryStorage | RedisStorage, tenants: TenantStore) -> None:
        self._storage = storage
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._tenants = tenants

    async def answer(self) -> None:
        """Raises `StoreUnavailable` where Redis does not."""
        if not await self._storage.check():
            raise StoreUnavailable(NO_REDIS)

    async def count(self, tenant: str) -> Counted | None:
        """One more request; None where the tenant has no limit. Raises `StoreUnavailable` where
        Redis does not answer."""
        allowed = await self._tenants.allowance(tenant)
        if allowed is None or allowed.requests_per_minute is None:
            return None
        item = RateLimitItemPerMinute(allowed.requests_per_minute)
        try:
            admitted = await self._limiter.hit(item, tenant)
            stats = await self._limiter.get_window_stats(item, tenant)
        except StorageError as error:
            raise StoreUnavailable(NO_REDIS) from error
        return Counted(
            allowed=allowed.requests_per_minute,
            remaining=max(0, stats.remaining),
            reset_s=max(1, ceil(stats.reset_time - time.time())),
            admitted=admitted,
        )


@asynccontextmanager
async def rate_limits(redis_url: str | None, tenants: TenantStore) -> AsyncIterator[RateLimits]:
    """Raises `ConfigError` for an address that is none of Redis's."""
    if redis_url is None:
        yield RateLimits(MemoryStorage(), tenants)
        return
    if find_spec("redis") is None:
        raise ConfigError("the client of Redis is not installed; run: make replicas")
    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    try:
        pool = BlockingConnectionPool.from_url(
            redis_url.removeprefix("redis+"),  # redis+unix:// in limits' words
            max_connections=REDIS_CONNECTIONS,
            timeout=REDIS_TIMEOUT_S,
            socket_timeout=REDIS_TIMEOUT_S,
            socket_connect_timeout=REDIS_TIMEOUT_S,
            retry=Retry(NoBackoff(), 1),  # for a connection that a restart of Redis has ended
        )
    except ValueError as error:
        raise ConfigError(
            "KA_REDIS_URL is no address of Redis; use redis://HOST:6379, rediss://… or "
            "redis+unix:///PATH"
        ) from error
    own_pool: dict[str, Any] = {"connection_pool": pool}  # limits would never close one of its own
    storage = RedisStorage(
        f"async+{redis_url}",
        wrap_exceptions=True,
        implementation="redispy",
        key_prefix="knowledge-agent",
        **own_pool,
    )
    try:
        yield RateLimits(storage, tenants)
    finally:
        await pool.aclose()


class RateLimitHeaders:
    """Adds what `Counted.headers` gave to the response, whatever kind of response it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                state: dict[str, Any] = scope.get("state", {})
                MutableHeaders(scope=message).update(state.get(HEADERS, {}))
            await send(message)

        await self._app(scope, receive, told if scope["type"] == "http" else send)
