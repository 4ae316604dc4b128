"""For LangGraph Studio's server: `langgraph.json` names `make_agent`, `app` and `checkpointer`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.memory import InMemorySaver
from starlette.applications import Starlette

from graph.run import Agent
from serving.settings import load_settings
from serving.wiring.agent import checkpoint_serializer, open_agent

# The server's own checkpointer cannot be told which classes to read back.
checkpointer = InMemorySaver(serde=checkpoint_serializer())


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Own the index as long as the server runs. The errors of `open_agent` end its start."""
    settings = await asyncio.to_thread(load_settings)
    async with open_agent(settings) as (agent, _):
        app.state.agent = agent
        yield


app = Starlette(lifespan=lifespan)


def make_agent() -> Agent:
    """The same graph for every request. It has no checkpointer: the server adds its own."""
    agent: Agent = app.state.agent
    return agent
