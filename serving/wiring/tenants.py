"""The agent of each tenant, on one model server: opened when it is first asked, and kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from graph.build import build_graph
from graph.ports import Deps
from graph.run import Agent
from knowledge.retriever import CorpusRetriever
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.gateway.tenancy import CacheSalts, Tenancy
from serving.settings import Settings
from serving.telemetry.traces import Traces
from serving.wiring.documents import open_index
from serving.wiring.model_server import api_key, engine_priorities, model_url

MAX_OPEN = 32
"""Indexes; those that nobody uses are closed, the longest unused first."""


@dataclass(eq=False)
class _Opened:
    agent: Agent
    deps: Deps
    retriever: CorpusRetriever
    users: int = 0


class TenantAgents:
    def __init__(
        self, settings: Settings, model: GatewayModel, ledger: MemoryLedger, traces: Traces
    ) -> None:
        self._settings = settings
        self.model = model
        self._ledger = ledger
        self._traces = traces
        self._opened: dict[str, _Opened] = {}  # the longest unused first
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        """Raises `KnowledgeError` where the tenant has no usable index."""
        opened = await self._open(tenant)
        opened.users += 1
        try:
            yield opened.agent, opened.deps
        finally:
            opened.users -= 1
            await self._close_unused(MAX_OPEN)

    async def aclose(self) -> None:
        await self._close_unused(0)

    async def _open(self, tenant: str) -> _Opened:
        async with self._opening.setdefault(tenant, asyncio.Lock()):
            opened = self._opened.pop(tenant, None)
            if opened is None:
                opened = await self._made(tenant)
            self._opened[tenant] = opened
            return opened

    async def _made(self, tenant: str) -> _Opened:
        settings = self._settings.model_copy(update={"tenant": tenant})
        opening = asyncio.create_task(asyncio.to_thread(open_index, settings))
        try:
            retriever = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close)  # or nobody ever would
            raise
        deps = Deps(
            model=self.model,
            ledger=self._ledger,
            retriever=self._traces.traced(retriever),
            limits=settings.limits,
            tenant=tenant,
            watch=self._traces.node,
        )
        return _Opened(build_graph(deps).compile(), deps, retriever)

    async def _close_unused(self, keep: int) -> None:
        unused = [tenant for tenant, opened in self._opened.items() if not opened.users]
        for tenant in unused[: max(0, len(self._opened) - keep)]:
            await asyncio.to_thread(self._opened.pop(tenant).retriever.close)


def _close(opening: asyncio.Task[CorpusRetriever]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


@asynccontextmanager
async def tenant_agents(
    settings: Settings, ledger: MemoryLedger, cache_salts: CacheSalts, traces: Traces
) -> AsyncIterator[tuple[TenantAgents, ModelServer]]:
    """No index is opened yet, and the model server is not asked."""
    url = await asyncio.to_thread(model_url, settings)
    server = ModelServer(url, settings.engine_model, api_key(settings))
    model = GatewayModel(
        server,
        ledger,
        api_key(settings),
        tenancy=Tenancy(cache_salts, await asyncio.to_thread(engine_priorities, settings)),
        prices=settings.price_list,
        traces=traces,
    )
    agents = TenantAgents(settings, model, ledger, traces)
    try:
        yield agents, server
    finally:
        await agents.aclose()
        await model.aclose()
