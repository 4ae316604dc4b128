"""A `retrieve` step of the plan: search once more, with a query of its own."""

import time

from graph.plan import RetrieveStep, StepResult
from graph.ports import Deps
from graph.state import StepInput, StepUpdate, numbered_passages

LIMIT = 3


async def search(state: StepInput, deps: Deps) -> StepUpdate:
    """Only passages that the task does not have yet count; finding none is a result too.

    They do not join the shared prefix, or every later call would compute it anew: the steps that
    read this one get them behind their instruction.
    """
    number = state["step"]
    step = state["made"].plan.steps[number - 1]
    assert isinstance(step, RetrieveStep)  # routes send nothing else here
    started = time.perf_counter()
    scope = state["task"].scope
    retrieval = await deps.retriever.search(step.query, limit=LIMIT, scope=scope)
    known = {
        passage.id for passage in numbered_passages(state["evidence"], state["results"]).values()
    }
    found = tuple(hit.passage for hit in retrieval.hits if hit.passage.id not in known)
    return {
        "results": {
            number: StepResult(
                step=number,
                action="retrieve",
                passages=found,
                degraded=retrieval.degraded,
                seconds=time.perf_counter() - started,
            )
        }
    }
