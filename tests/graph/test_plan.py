import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import PlanInvalid
from graph.plan import ACTIONS, MAX_STEPS, Plan, plan_schema, validate_plan

ANSWER = {"action": "answer", "focus": "what is a cache"}
SUMMARIZE = {"action": "summarize", "focus": "caches", "after": [1]}
RETRIEVE = {"action": "retrieve", "query": "prefix cache"}


def plan(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"steps": list(steps)}


def test_a_valid_plan_is_accepted_as_text_and_as_object() -> None:
    raw = plan(ANSWER, SUMMARIZE)
    assert validate_plan(json.dumps(raw)) == validate_plan(raw)
    assert validate_plan(raw).final_steps() == (2,)


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ("the plan is to answer", "not JSON"),
        ('{"steps": [{"action": "ans', "not JSON"),
        ("[]", "breaks its schema"),
        (plan(), "at least 1"),
        (plan({"action": "fly", "focus": "away"}), "'fly'"),
        (plan({"action": "answer"}), "focus"),
        (plan({"action": "answer", "focus": ""}), "focus"),
        (plan({"action": "answer", "focus": "x" * 201}), "focus"),
        (plan({**ANSWER, "tool": "shell"}), "tool"),
        (plan({**ANSWER, "after": [1]}), "step 1 reads step 1"),
        (plan({**ANSWER, "after": [2]}, SUMMARIZE), "step 1 reads step 2"),
        (plan(ANSWER, ANSWER), "repeats an earlier step"),
        (plan(RETRIEVE), "no step yields text"),
        (plan(*({**ANSWER, "focus": f"part {n}"} for n in range(6))), "at most 5"),
        (
            plan(*({**RETRIEVE, "query": f"query {n}"} for n in range(4)), ANSWER),
            "more than 3 retrievals",
        ),
    ],
)
def test_a_plan_that_breaks_a_rule_is_refused_with_that_rule(raw: Any, complaint: str) -> None:
    with pytest.raises(PlanInvalid, match=complaint):
        validate_plan(raw)


def test_an_action_that_this_task_may_not_use_is_refused() -> None:
    with pytest.raises(PlanInvalid, match="'summarize'; allowed here: answer"):
        validate_plan(plan(ANSWER, SUMMARIZE), allowed=ACTIONS[:1])


def test_a_plan_without_what_the_question_asks_for_is_refused() -> None:
    with pytest.raises(PlanInvalid, match="asks for analyze"):
        validate_plan(plan(ANSWER), required=("analyze", "answer"))


def test_steps_that_nothing_reads_are_the_parts_of_the_answer() -> None:
    parallel = plan(RETRIEVE, ANSWER, {"action": "analyze", "focus": "causes", "after": [1]})
    assert validate_plan(parallel).final_steps() == (2, 3)


def test_the_schema_for_the_model_offers_the_allowed_actions_alone() -> None:
    schema = json.dumps(plan_schema(("answer", "retrieve")))
    offered = {action for action in ACTIONS if f'"const": "{action}"' in schema}
    assert offered == {"answer", "retrieve"}
    assert f'"maxItems": {MAX_STEPS}' in schema


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_no_json_at_all_makes_the_validation_raise_anything_else(value: Any) -> None:
    with contextlib.suppress(PlanInvalid):
        assert isinstance(validate_plan(json.dumps(value)), Plan)
