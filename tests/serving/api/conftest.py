"""The service on both kinds of store, behind a real HTTP server; a model says its lines."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from limits.aio.storage import MemoryStorage

from graph.build import build_graph
from graph.errors import IndexMissing
from graph.ports import Deps, Limits
from graph.run import Agent
from knowledge.embed import Embedder
from serving.api.app import create_app
from serving.api.engine import Engine
from serving.api.identity import Identity, KeyIdentity
from serving.api.observation import Telemetry
from serving.api.opening import assembled
from serving.api.rates import RateLimits
from serving.api.server import Server
from serving.api.service import Service
from serving.gateway.ledger import MemoryLedger
from serving.gateway.quota_ledger import QuotaLedger
from serving.settings import Settings
from serving.store.database import Database
from serving.store.keys import SCOPES, KeyStore, Scope
from serving.store.quotas import QuotaStore
from serving.store.tenants import TenantStore
from serving.wiring.indexing import Indexing
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, Line, ScriptedModel
from tests.knowledge.scratch import scratch
from tests.knowledge.stubs import WordsEmbedder
from tests.waiting import until

FIRST_TOKENS = 300

EN_QUESTION = "How long does a response cache keep answers?"
KO_QUESTION = "응답 캐시는 답변을 얼마나 보관하나요?"
EN_LINE = "A response cache keeps whole answers for 60 seconds. [2]"
KO_LINE = "응답 캐시는 답변 전체를 60초 동안 보관한다. [2]"


@dataclass
class ScriptedAgents:
    """Every tenant has the same documents; `of` raises for a tenant without any."""

    lines: Mapping[str, Sequence[Line] | Line]
    language: str = "en"
    score: float = 0.9
    without_documents: set[str] = field(default_factory=set)
    model: ScriptedModel = field(init=False)
    engine: Engine = field(init=False)
    ledger: MemoryLedger = field(init=False)

    def keep_in(self, ledger: MemoryLedger) -> None:
        self.ledger = ledger
        self.engine = self.model = ScriptedModel(self.lines, ledger)

    def new_retriever(self) -> FixedRetriever:
        passages = EN_PASSAGES if self.language == "en" else KO_PASSAGES
        return FixedRetriever(passages, score=self.score)

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        if tenant in self.without_documents:
            raise IndexMissing(f"there is no index for the tenant {tenant}")
        deps = Deps(self.model, self.ledger, self.new_retriever(), Limits())
        yield build_graph(deps).compile(), deps


class Ready:
    lacking: dict[str, str | None]

    def __init__(self) -> None:
        self.lacking = {"database": None, "engine": None}

    async def checks(self) -> dict[str, str | None]:
        return self.lacking


@dataclass
class Served:
    """A running server, and what a test may look at behind it."""

    url: str
    service: Service
    tenants: TenantStore
    keys: KeyStore
    agents: ScriptedAgents
    server: Server
    health: Ready

    async def client(
        self, tenant: str = "acme", scopes: Sequence[Scope] = SCOPES
    ) -> httpx.AsyncClient:
        _, key = await self.keys.make(tenant, "test", scopes, None)
        return httpx.AsyncClient(
            base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=120
        )


@asynccontextmanager
async def serving(
    database: Database,
    agents: ScriptedAgents,
    instance: str = "host-a",
    grace_s: float = 5,
    *,
    home: Path | None = None,
    embedder: Embedder | None = None,
    identity: Identity | None = None,
    rates: RateLimits | None = None,
    telemetry: Telemetry | None = None,
    **settings: Any,
) -> AsyncIterator[Served]:
    tenants = TenantStore(database)
    ledger = QuotaLedger(QuotaStore(database, tenants))
    agents.keep_in(ledger)
    keys, health = KeyStore(database, tenants), Ready()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Service]:
        with scratch() as folder:
            own = Settings(home=home or folder, **settings)
            async with assembled(
                own,
                database,
                tenants,
                ledger,
                agents,
                agents.engine,
                Indexing(own, embedder or WordsEmbedder()),
                identity=identity or KeyIdentity(keys),
                rates=rates or RateLimits(MemoryStorage(), tenants),
                health=health,
                telemetry=telemetry or Telemetry(),
                instance_name=instance,
                first_tokens=FIRST_TOKENS,
            ) as service:
                yield service

    app = create_app(opened)
    server = Server(app, "127.0.0.1", 0, grace_s)
    running = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        url, service = f"http://127.0.0.1:{port}", app.state.service
        yield Served(url, service, tenants, keys, agents, server, health)
    finally:
        server.should_exit = True
        await running


@pytest.fixture
async def served(database: Database) -> AsyncIterator[Served]:
    async with serving(database, ScriptedAgents({"answer": EN_LINE})) as found:
        yield found
