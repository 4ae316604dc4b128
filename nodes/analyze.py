"""Compare, weigh, or find causes in what the passages say."""

from graph.ports import Deps
from graph.state import StepInput, StepUpdate
from nodes.write import write_step


async def analyze(state: StepInput, deps: Deps) -> StepUpdate:
    return await write_step(state, deps, prompt="analyze")
