"""Shorten the passages, or the results that the step reads."""

from graph.ports import Deps
from graph.state import StepInput, StepUpdate
from nodes.write import write_step


async def summarize(state: StepInput, deps: Deps) -> StepUpdate:
    return await write_step(state, deps, prompt="summarize")
