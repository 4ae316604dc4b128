"""Answer the step's question from the passages."""

from graph.ports import Deps
from graph.state import StepInput, StepUpdate
from nodes.write import write_step


async def answer(state: StepInput, deps: Deps) -> StepUpdate:
    return await write_step(state, deps, prompt="answer")
