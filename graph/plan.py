"""The plan contract: what a plan may say, whoever wrote it.

A plan is 1 to 5 steps. Step numbers are positions, from 1. `after` names earlier steps whose
results a step reads; a step without it reads the evidence alone, so steps that do not name each
other run in parallel.
"""

import json
from collections.abc import Collection
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, create_model

from graph.errors import PlanInvalid
from graph.evidence import Frozen, Passage

MAX_STEPS = 5
MAX_RETRIEVALS = 3

Action = Literal["answer", "personalize", "summarize", "analyze", "retrieve"]
ACTIONS: tuple[Action, ...] = get_args(Action)

Focus = Annotated[str, Field(min_length=1, max_length=200)]
After = Annotated[tuple[Annotated[int, Field(ge=1, le=MAX_STEPS)], ...], Field(max_length=4)]


class _Step(Frozen):
    after: After = ()


class AnswerStep(_Step):
    """Answer a question from the passages."""

    action: Literal["answer"]
    focus: Focus


class PersonalizeStep(_Step):
    """Answer for the reader whom the profile describes."""

    action: Literal["personalize"]
    focus: Focus


class SummarizeStep(_Step):
    """Shorten the passages, or earlier results."""

    action: Literal["summarize"]
    focus: Focus


class AnalyzeStep(_Step):
    """Compare, weigh, or find causes."""

    action: Literal["analyze"]
    focus: Focus


class RetrieveStep(_Step):
    """Search the documents once more."""

    action: Literal["retrieve"]
    query: Focus


Step = Annotated[
    AnswerStep | PersonalizeStep | SummarizeStep | AnalyzeStep | RetrieveStep,
    Field(discriminator="action"),
]
_STEP_OF: dict[Action, type[_Step]] = {
    "answer": AnswerStep,
    "personalize": PersonalizeStep,
    "summarize": SummarizeStep,
    "analyze": AnalyzeStep,
    "retrieve": RetrieveStep,
}


class Plan(Frozen):
    """A plan that holds the contract; build one with `validate_plan`."""

    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=MAX_STEPS)]

    def final_steps(self) -> tuple[int, ...]:
        """The steps that yield text which no other step reads: the parts of the answer."""
        read = {number for step in self.steps for number in step.after}
        return tuple(
            number
            for number, step in enumerate(self.steps, start=1)
            if step.action != "retrieve" and number not in read
        )


class PlanMade(Frozen):
    """A plan, who made it, and why it was not somebody better."""

    plan: Plan
    maker: Literal["model", "rules", "direct", "person"]
    reason: str = ""


class StepResult(Frozen):
    """What one step of the plan gave: text, or passages, or a failure in words."""

    step: int = Field(ge=1)
    action: Action
    text: str = ""
    cut_off: bool = Field(default=False, description="the model ran out of tokens for the text")
    passages: tuple[Passage, ...] = Field(default=(), description="what a retrieval found anew")
    failure: str | None = None
    degraded: tuple[str, ...] = Field(default=(), description="what a retrieval went without")
    seconds: float = Field(default=0.0, ge=0)


def validate_plan(
    raw: str | dict[str, Any] | Plan,
    *,
    allowed: Collection[Action] = ACTIONS,
    required: Collection[Action] = (),
) -> Plan:
    """Give the plan in `raw` (JSON text, or the parsed object), or raise `PlanInvalid`.

    `allowed` are the actions open to this task; `required` those that its question asks for in so
    many words. The message names the first broken rule in words a model or a person can act on.
    """
    try:
        data = json.loads(raw) if isinstance(raw, str) else raw
        plan = data if isinstance(data, Plan) else Plan.model_validate(data)
    except json.JSONDecodeError as error:
        raise PlanInvalid(f"the plan is not JSON: {error.msg} at character {error.pos}") from error
    except ValidationError as error:
        raise PlanInvalid(f"the plan breaks its schema: {_first(error)}") from error
    _check(plan, allowed, required)
    return plan


def allowed_actions(profile: str | None) -> tuple[Action, ...]:
    """Without a profile there is nobody to personalize for."""
    return tuple(action for action in ACTIONS if action != "personalize" or profile)


def plan_schema(allowed: Collection[Action] = ACTIONS) -> dict[str, Any]:
    """The JSON schema for a model that may use only `allowed`; same source as the validation."""
    steps = tuple(_STEP_OF[action] for action in ACTIONS if action in allowed)
    union: Any = steps[0]
    for step in steps[1:]:
        union = union | step
    model: type[BaseModel] = create_model(
        "Plan",
        steps=(Annotated[list[union], Field(min_length=1, max_length=MAX_STEPS)], ...),
    )
    return TypeAdapter(model).json_schema()


def _check(plan: Plan, allowed: Collection[Action], required: Collection[Action]) -> None:
    seen: set[str] = set()
    for number, step in enumerate(plan.steps, start=1):
        if step.action not in allowed:
            raise PlanInvalid(
                f"step {number} uses {step.action!r}; allowed here: {', '.join(sorted(allowed))}"
            )
        if late := [other for other in step.after if other >= number]:
            raise PlanInvalid(f"step {number} reads step {late[0]}, which does not come before it")
        twin = step.model_dump_json()
        if twin in seen:
            raise PlanInvalid(f"step {number} repeats an earlier step word for word")
        seen.add(twin)
    if not plan.final_steps():
        raise PlanInvalid("no step yields text: end with answer, summarize or analyze")
    if sum(step.action == "retrieve" for step in plan.steps) > MAX_RETRIEVALS:
        raise PlanInvalid(f"more than {MAX_RETRIEVALS} retrievals")
    if missing := set(required) - {step.action for step in plan.steps}:
        raise PlanInvalid(f"the question asks for {', '.join(sorted(missing))}; no step does it")


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "plan"
    return f"{place}: {first['msg']}"
