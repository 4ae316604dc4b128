"""The graph for LangGraph Studio (`langgraph.json` names `make_agent`)."""

import asyncio
from contextlib import AsyncExitStack

from graph.build import build_graph
from graph.run import Agent
from serving.settings import load_settings
from serving.wiring import open_deps

_opening = asyncio.Lock()
_resources = AsyncExitStack()  # held until the server's process ends: it owns the index
_agent: Agent | None = None


async def make_agent() -> Agent:
    """One graph for every run of this server, without a checkpointer: the server brings its own.

    Raises the errors of `open_deps`; the server shows them when the graph is asked for.
    """
    global _agent
    async with _opening:
        if _agent is None:
            settings = await asyncio.to_thread(load_settings)
            deps = await _resources.enter_async_context(open_deps(settings))
            _agent = build_graph(deps).compile()
        return _agent
