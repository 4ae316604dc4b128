"""A plan that a person put into the state."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from graph.errors import PlanInvalid
from graph.plan import PlanMade, validate_plan
from nodes.schedule import schedule
from tests.fakes import make_deps

STEPS = {"steps": [{"action": "analyze", "focus": "무엇이 다른가"}]}


async def test_a_plan_of_ours_is_left_as_it_is() -> None:
    made = PlanMade(plan=validate_plan(STEPS), maker="model")
    assert await schedule({"made": made}, make_deps()) == {}


@pytest.mark.parametrize("raw", [{"plan": STEPS}, STEPS])
async def test_a_persons_plan_begins_anew(raw: dict[str, Any]) -> None:
    update = await schedule({"made": raw}, make_deps())
    assert update["made"] == PlanMade(plan=validate_plan(STEPS), maker="person")
    assert update["results"] == Overwrite({})
    assert (update["kept"], update["removed"], update["outcome"]) == ((), (), None)


@pytest.mark.parametrize("raw", [{}, {"plan": {}}, {"steps": []}, {"plan": {"steps": "all"}}])
async def test_a_persons_plan_that_is_none_is_told_to_them(raw: dict[str, Any]) -> None:
    with pytest.raises(PlanInvalid):
        await schedule({"made": raw}, make_deps())
