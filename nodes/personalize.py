"""Answer for the reader whom the profile describes."""

from graph.ports import Deps
from graph.state import StepInput, StepUpdate
from nodes.write import write_step


async def personalize(state: StepInput, deps: Deps) -> StepUpdate:
    return await write_step(state, deps, prompt="personalize")
