"""The graph's shape, and the contract between state and nodes."""

from typing import Any, get_type_hints

import pytest

from graph.build import NODES, STEP_NODES, build_graph
from graph.evidence import Retrieval
from graph.plan import PlanMade, StepResult, validate_plan
from graph.routes import FALLBACK
from graph.state import AgentState, StepInput, Task, Turn
from tests.fakes import EN_PASSAGES, FixedRetriever, make_deps, verdict_rule

PLAN = PlanMade(
    plan=validate_plan(
        {
            "steps": [
                {"action": "answer", "focus": "prefix cache"},
                {"action": "retrieve", "query": "response cache"},
            ]
        }
    ),
    maker="model",
)
LINES = dict.fromkeys(("rewrite", *STEP_NODES, "revise"), "A prefix cache keeps tensors [1].")
LINES["verdict"] = "No"
LINES["plan"] = PLAN.plan.model_dump_json()


async def whole_state() -> dict[str, Any]:
    retrieval: Retrieval = await FixedRetriever(verdict=verdict_rule()).search("cache", limit=2)
    answer = StepResult(step=1, action="answer", text="A prefix cache keeps tensors [1].")
    return {
        "question": "What does a prefix cache keep?",
        "query": "What does a prefix cache keep?",
        "task_id": None,
        "mode": "auto",
        "profile": None,
        "scope": None,
        "review": None,
        "reviewed": None,
        "task": Task(id="task", language="en"),
        "turns": (Turn(question="Hello?", answer="Hello."),),
        "retrieval": retrieval,
        "in_domain": True,
        "evidence": EN_PASSAGES,
        "answerable": True,
        "made": PLAN,
        "results": {1: answer},
        "kept": (),
        "removed": (),
        "revision": None,
        "refusal": "not_in_documents",
        "cause": "",
        "failures": {},
        "calls": {},
        "outcome": None,
    }


@pytest.mark.parametrize("name", [*NODES, *STEP_NODES])
async def test_a_node_gets_by_with_the_keys_it_declares_and_writes_those_it_declares(
    name: str,
) -> None:
    node = {**NODES, **STEP_NODES}[name]
    hints = get_type_hints(node)
    reads, writes = set(get_type_hints(hints["state"])), set(get_type_hints(hints["return"]))
    assert reads <= set(get_type_hints(StepInput if name in STEP_NODES else AgentState))
    assert writes <= set(get_type_hints(AgentState))

    state = {**await whole_state(), "step": 2 if name == "search" else 1}
    update = await node({key: state[key] for key in reads}, make_deps(LINES))
    assert set(update) <= writes
    assert update or name == "schedule"  # a plan of ours needs no change


def test_every_fallback_is_an_edge_of_the_drawn_graph() -> None:
    drawn = build_graph(make_deps()).compile().get_graph()
    edges = {(edge.source, edge.target): edge.data for edge in drawn.edges}
    assert {(source, target) for source, target in FALLBACK.items()} <= set(edges)
    assert all("failed" in str(edges[edge]) for edge in FALLBACK.items())


def test_every_node_can_be_reached_and_left() -> None:
    drawn = build_graph(make_deps()).compile().get_graph()
    names = {*NODES, *STEP_NODES}
    assert names <= {edge.target for edge in drawn.edges}
    assert names <= {edge.source for edge in drawn.edges}
