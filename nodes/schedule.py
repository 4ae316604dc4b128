"""Before each round of steps: see that the plan in the state is one that may run."""

from typing import Any, TypedDict

from langgraph.types import Overwrite

from graph.answer import Removed, Sentence
from graph.plan import PlanMade, validate_plan
from graph.ports import Deps


class ScheduleInput(TypedDict):
    made: PlanMade | dict[str, Any]


class ScheduleUpdate(TypedDict, total=False):
    """Empty for a plan of ours."""

    made: PlanMade
    results: Overwrite
    kept: tuple[Sentence, ...]
    removed: tuple[Removed, ...]
    revision: None
    outcome: None


async def schedule(state: ScheduleInput, deps: Deps) -> ScheduleUpdate:
    """A plan that a person put into the state (Studio sends plain JSON) is validated like any
    other, and begins anew: results of the plan before it are not its results.

    Raises `PlanInvalid`: a person wants to hear of it, not to get another plan.
    """
    made = state["made"]
    if isinstance(made, PlanMade):
        return {}
    plan = validate_plan(made.get("plan", made))
    return {
        "made": PlanMade(plan=plan, maker="person"),
        "results": Overwrite({}),
        "kept": (),
        "removed": (),
        "revision": None,
        "outcome": None,
    }
