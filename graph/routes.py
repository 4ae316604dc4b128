"""Why the task goes where it goes: every conditional edge of the graph, and every fallback."""

from typing import Literal

from langgraph.types import Send

from graph.state import AgentState, StepInput
from nodes.question.intent import read_intent

STEP_NODES = ("answer", "personalize", "summarize", "analyze", "search")
# Where the task goes on when a node has failed for good. A failed step leaves its place to the
# others: `schedule` counts it as ended.
FALLBACK: dict[str, str] = {
    "rewrite": "retrieve",
    "plan": "plan_by_rules",
    "revise": "verify",
    **dict.fromkeys(STEP_NODES, "schedule"),
}
MAY_FAIL = ("verdict", *FALLBACK)


def fallback(node: str, state: AgentState) -> str:
    """A task without a verdict goes on as if there were an answer."""
    return _way_to_a_plan(state) if node == "verdict" else FALLBACK[node]


def after_admit(state: AgentState) -> Literal["rewrite", "retrieve"]:
    """A thread's first question stands alone already, and so does one with a reviewed plan."""
    return "rewrite" if state["turns"] and state["made"] is None else "retrieve"


def after_gate(state: AgentState) -> Literal["select", "refuse"]:
    return "select" if state["in_domain"] else "refuse"


def after_select(state: AgentState) -> Literal["verdict", "plan", "plan_by_rules", "schedule"]:
    """The model is asked for a verdict only where that has proved to be of use. With a reviewed
    plan it was asked before the review."""
    if state["made"] is not None:
        return "schedule"
    return _way_to_a_plan(state) if state["retrieval"].verdict is None else "verdict"


def after_verdict(state: AgentState) -> Literal["refuse", "plan", "plan_by_rules"]:
    return _way_to_a_plan(state) if state["answerable"] else "refuse"


def _way_to_a_plan(state: AgentState) -> Literal["plan", "plan_by_rules"]:
    """A plain look-up is not worth a model call for its plan; `direct` says so for any question."""
    if state["task"].mode == "plan":
        return "plan"
    if state["task"].mode == "direct" or read_intent(state["query"]).is_look_up:
        return "plan_by_rules"
    return "plan"


def after_plan(state: AgentState) -> Literal["schedule", "__end__"]:
    """A task whose plan is to be reviewed ends here, and another one goes on with that plan."""
    return "schedule" if state["task"].review is None else "__end__"


def after_schedule(state: AgentState) -> list[Send] | Literal["verify"]:
    """Send every step whose sources are there; when all steps have ended, verify."""
    made, results = state["made"], state["results"]
    assert made is not None  # `schedule` ran
    ready = [
        (number, step)
        for number, step in enumerate(made.plan.steps, start=1)
        if number not in results and results.keys() >= set(step.after)
    ]
    if not ready:
        return "verify"
    return [
        Send(
            "search" if step.action == "retrieve" else step.action,
            StepInput(
                task=state["task"],
                query=state["query"],
                evidence=state["evidence"],
                results=results,
                made=made,
                step=number,
            ),
        )
        for number, step in ready
    ]


def after_verify(state: AgentState) -> Literal["revise", "extract", "__end__"]:
    """Unsupported sentences are asked for once more; a text with none left is quoted instead."""
    if state["outcome"] is not None:
        return "__end__"
    asked = state["revision"] is not None
    worth_asking = any(removed.worth_asking_again for removed in state["removed"])
    return "revise" if worth_asking and not asked else "extract"


def after_extract(state: AgentState) -> Literal["refuse", "__end__"]:
    return "refuse" if state["outcome"] is None else "__end__"
