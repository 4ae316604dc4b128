"""What the routes work with, and how it is put together."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from graph.errors import AgentError
from graph.ports import Limits
from nodes.select import INSTRUCTION_TOKENS
from serving.api.engine import Engine
from serving.api.identity import Identity, KeyIdentity, NoIdentity
from serving.api.rates import RateLimits, rate_limits
from serving.api.runner import Agents, TaskRunner
from serving.gateway.quota_ledger import QuotaLedger
from serving.gateway.server import ModelServer
from serving.settings import Settings
from serving.store.database import Database, open_database
from serving.store.events import EventStore
from serving.store.instances import InstanceStore
from serving.store.keys import KeyStore
from serving.store.quotas import QuotaStore
from serving.store.tasks import TaskStore
from serving.store.tenants import Allowance, TenantStore
from serving.wiring.tenants import tenant_agents


class Health(Protocol):
    async def checks(self) -> dict[str, str | None]:
        """What each part that a task needs lacks: None where it is ready."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    identity: Identity
    tasks: TaskStore
    events: EventStore
    quotas: QuotaStore
    rates: RateLimits
    agents: Agents
    runner: TaskRunner
    health: Health
    engine: Engine
    limits: Limits


def _own(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


OwnService = Annotated[Service, Depends(_own)]


class _Health:
    def __init__(self, database: Database, server: ModelServer) -> None:
        self._database = database
        self._server = server

    async def checks(self) -> dict[str, str | None]:
        return {
            "database": await _lack(self._database.answer()),
            "engine": await _lack(self._server.model()),
        }


async def _lack(check: Awaitable[object]) -> str | None:
    try:
        await check
    except AgentError as error:
        return str(error)
    return None


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Service]:
    """The service on its real parts. Raises `ConfigError` and `StoreUnavailable`."""
    async with AsyncExitStack() as opened:
        database = await opened.enter_async_context(
            open_database(settings.database_address, settings.home)
        )
        tenants = TenantStore(database, _default_allowance(settings))
        quotas = QuotaStore(database, tenants)
        ledger = QuotaLedger(quotas)
        agents, server = await opened.enter_async_context(tenant_agents(settings, ledger))
        instance = InstanceStore(database, quotas, settings.instance_name)
        tasks, events = TaskStore(database, quotas, instance.id), EventStore(database)
        keys = KeyStore(database, tenants)
        if not settings.api_auth:
            await tenants.add(settings.tenant)
        rates = await opened.enter_async_context(rate_limits(settings.redis_url, tenants))
        first_tokens = settings.evidence_tokens + INSTRUCTION_TOKENS + settings.output_tokens
        runner = TaskRunner(agents, ledger, tasks, events, instance, first_tokens)
        await opened.enter_async_context(runner.serving())
        yield Service(
            identity=KeyIdentity(keys) if settings.api_auth else NoIdentity(settings.tenant),
            tasks=tasks,
            events=events,
            quotas=quotas,
            rates=rates,
            agents=agents,
            runner=runner,
            health=_Health(database, server),
            engine=agents.model,
            limits=settings.limits,
        )


def _default_allowance(settings: Settings) -> Allowance:
    return Allowance(
        tokens_per_day=settings.tokens_per_day,
        tokens_per_month=settings.tokens_per_month,
        requests_per_minute=settings.requests_per_minute,
        concurrent_tasks=settings.concurrent_tasks,
    )
