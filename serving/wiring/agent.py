"""The agent on its real parts."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graph.build import build_graph
from graph.evidence import Frozen
from graph.ports import Deps
from graph.run import Agent
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.settings import Settings
from serving.wiring.documents import open_index
from serving.wiring.model_server import api_key, model_url


@asynccontextmanager
async def open_deps(settings: Settings) -> AsyncIterator[Deps]:
    """What nodes need, on the real parts; the index is owned until the block ends.

    Raises `KnowledgeError` when there is no usable index. The model server is not asked: when it
    cannot be reached, the task finds out and says so.
    """
    ledger = MemoryLedger()
    url = await asyncio.to_thread(model_url, settings)
    server = ModelServer(url, settings.engine_model, api_key(settings))
    model = GatewayModel(server, ledger, api_key(settings), prices=settings.price_list)
    try:
        with await asyncio.to_thread(open_index, settings) as retriever:
            yield Deps(model=model, ledger=ledger, retriever=retriever, limits=settings.limits)
    finally:
        await model.aclose()


@asynccontextmanager
async def open_agent(
    settings: Settings, checkpointer: BaseCheckpointSaver[str] | None = None
) -> AsyncIterator[tuple[Agent, Deps]]:
    async with open_deps(settings) as deps:
        yield build_graph(deps).compile(checkpointer=checkpointer), deps


def checkpoint_serializer() -> JsonPlusSerializer:
    """Makes values of the state out of checkpoints, and objects of no other class."""
    return JsonPlusSerializer(allowed_msgpack_modules=_values(Frozen))


def _values(base: type[Frozen]) -> Iterator[type[Frozen]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _values(kind)
