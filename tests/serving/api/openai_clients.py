"""The official clients, pointed at the running service; the engine behind it is a stub."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import SecretStr

from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.store.database import Database
from tests.serving.api.conftest import EN_LINE, ScriptedAgents, Served, serving
from tests.stub_engine import StubEngine


@dataclass
class EngineAgents(ScriptedAgents):
    """With the gateway to a real server beside them."""

    engine_url: str = ""
    gateway: GatewayModel = field(init=False)

    def keep_in(self, ledger: MemoryLedger) -> None:
        super().keep_in(ledger)
        server = ModelServer(self.engine_url, None, None)
        self.engine = self.gateway = GatewayModel(server, ledger, None)


@asynccontextmanager
async def serving_engine(database: Database, engine: StubEngine) -> AsyncIterator[Served]:
    agents = EngineAgents({"answer": EN_LINE}, engine_url=engine.url)
    async with serving(database, agents) as served:
        yield served
        await agents.gateway.aclose()


@asynccontextmanager
async def openai_client(
    served: Served, tenant: str = "acme", **options: Any
) -> AsyncIterator[AsyncOpenAI]:
    _, key = await served.keys.make(tenant, "openai", ["ask"], None)
    usual = {"api_key": key, "max_retries": 0, "timeout": 60}
    client = AsyncOpenAI(base_url=f"{served.url}/v1", **{**usual, **options})
    async with client:
        yield client


async def langchain_model(served: Served, model: str, **options: Any) -> ChatOpenAI:
    _, key = await served.keys.make("acme", "langchain", ["ask"], None)
    return ChatOpenAI(
        model=model, base_url=f"{served.url}/v1", api_key=SecretStr(key), max_retries=0, **options
    )
