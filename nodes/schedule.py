"""Before each round of steps: see that the plan in the state is one that may run."""

from typing import Any, NotRequired, TypedDict

from graph.plan import PlanMade, validate_plan
from graph.ports import Deps


class ScheduleInput(TypedDict):
    made: PlanMade | dict[str, Any]


class ScheduleUpdate(TypedDict):
    made: NotRequired[PlanMade]


async def schedule(state: ScheduleInput, deps: Deps) -> ScheduleUpdate:
    """A plan that a person put into the state (Studio sends plain JSON) is validated like any
    other. Raises `PlanInvalid`: a person wants to hear of it, not to get another plan."""
    made = state["made"]
    if isinstance(made, PlanMade):
        return {}
    plan = validate_plan(made["plan"])
    return {"made": PlanMade(plan=plan, maker="person")}
