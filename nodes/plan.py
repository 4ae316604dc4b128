"""Ask the model for a plan, under a JSON schema."""

from typing import TypedDict

from graph.errors import PlanInvalid
from graph.evidence import Passage
from graph.plan import Action, Plan, PlanMade, allowed_actions, plan_schema, validate_plan
from graph.ports import Deps, ModelRequest
from graph.state import Task
from nodes.judge.injection import is_order
from nodes.prompt import instruction, task_messages
from nodes.question.intent import read_intent

MAX_TOKENS = 256
ATTEMPTS = 2

_MEANING: dict[Action, str] = {
    "answer": "answer one question from the passages",
    "personalize": "answer for the reader of the profile",
    "summarize": "shorten passages or earlier results",
    "analyze": "compare, weigh, find causes",
    "retrieve": "search the documents again with a query",
}


class PlanInput(TypedDict):
    task: Task
    query: str
    evidence: tuple[Passage, ...]


class PlanUpdate(TypedDict):
    made: PlanMade


async def plan(state: PlanInput, deps: Deps) -> PlanUpdate:
    """A plan that does not validate is asked for once more, with the reason.

    Raises `PlanInvalid` when the second one does not validate either: `plan_by_rules` follows.
    """
    allowed = allowed_actions(state["task"].profile)
    required = [action for action in read_intent(state["query"]).required if action in allowed]
    reason = ""
    for _ in range(ATTEMPTS):
        try:
            made = await _ask(state, deps, allowed, required, reason)
        except PlanInvalid as error:
            reason = str(error)
        else:
            return {"made": PlanMade(plan=made, maker="model", reason=reason)}
    raise PlanInvalid(reason)


async def _ask(
    state: PlanInput,
    deps: Deps,
    allowed: tuple[Action, ...],
    required: list[Action],
    reason: str,
) -> Plan:
    text = instruction(
        "plan",
        state["task"].language,
        actions="\n".join(f"- {action}: {_MEANING[action]}" for action in allowed),
        required=", ".join(required) or "none in particular",
        refused=f"Your last plan was refused: {reason}" if reason else "",
    )
    completion = await deps.model.complete(
        ModelRequest(
            messages=task_messages(state["evidence"], state["query"], text),
            account=deps.account(state["task"].id),
            node="plan",
            max_tokens=MAX_TOKENS,
            schema=plan_schema(allowed),
        )
    )
    made = validate_plan(completion.text, allowed=allowed, required=required)
    for number, step in enumerate(made.steps, start=1):
        if is_order(step.query if step.action == "retrieve" else step.focus):
            raise PlanInvalid(f"step {number} repeats an order that stands in a document")
    return made
