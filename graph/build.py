"""The agent's graph: every node and every edge, on one screen."""

from langgraph.graph import START, StateGraph
from langgraph.types import TimeoutPolicy

from graph import routes
from graph.binding import RETRY, Node, bind, error_handler, node_timeout_s
from graph.ports import Deps, Listener
from graph.state import AgentInput, AgentOutput, AgentState, StepInput
from nodes import (
    admit,
    analyze,
    answer,
    extract,
    gate,
    personalize,
    plan,
    plan_by_rules,
    refuse,
    retrieve,
    revise,
    rewrite,
    schedule,
    search,
    select,
    summarize,
    verdict,
    verify,
)

NODES: dict[str, Node] = {
    "admit": admit.admit,
    "rewrite": rewrite.rewrite,
    "retrieve": retrieve.retrieve,
    "gate": gate.gate,
    "select": select.select,
    "verdict": verdict.verdict,
    "plan": plan.plan,
    "plan_by_rules": plan_by_rules.plan_by_rules,
    "schedule": schedule.schedule,
    "verify": verify.verify,
    "revise": revise.revise,
    "extract": extract.extract,
    "refuse": refuse.refuse,
}
STEP_NODES: dict[str, Node] = {
    "answer": answer.answer,
    "personalize": personalize.personalize,
    "summarize": summarize.summarize,
    "analyze": analyze.analyze,
    "search": search.search,
}


def build_graph(deps: Deps) -> StateGraph[AgentState, Listener, AgentInput, AgentOutput]:
    """The graph, not compiled: the caller chooses the checkpointer."""
    graph: StateGraph[AgentState, Listener, AgentInput, AgentOutput] = StateGraph(
        AgentState, input_schema=AgentInput, output_schema=AgentOutput
    )
    graph.set_node_defaults(retry_policy=RETRY)
    for name, node in {**NODES, **STEP_NODES}.items():
        target = routes.FALLBACK.get(name)
        graph.add_node(
            name,
            bind(name, node, deps),
            input_schema=StepInput if name in STEP_NODES else AgentState,
            timeout=TimeoutPolicy(run_timeout=node_timeout_s(name, deps)),
            error_handler=error_handler(deps) if name in routes.MAY_FAIL else None,
            destinations={target: "failed" if name == "plan" else "done or failed"}
            if target
            else None,
        )

    graph.add_edge(START, "admit")
    graph.add_conditional_edges("admit", routes.after_admit)
    graph.add_edge("rewrite", "retrieve")
    graph.add_edge("retrieve", "gate")
    graph.add_conditional_edges("gate", routes.after_gate)
    graph.add_conditional_edges("select", routes.after_select)
    graph.add_conditional_edges("verdict", routes.after_verdict)
    graph.add_conditional_edges("plan", routes.after_plan)
    graph.add_conditional_edges("plan_by_rules", routes.after_plan)
    graph.add_conditional_edges("schedule", routes.after_schedule, [*STEP_NODES, "verify"])
    for name in STEP_NODES:
        graph.add_edge(name, "schedule")
    graph.add_conditional_edges("verify", routes.after_verify)
    graph.add_edge("revise", "verify")
    graph.add_conditional_edges("extract", routes.after_extract)
    return graph
