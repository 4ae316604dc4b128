"""Every call of a task sends the same bytes first: the server computes them once."""

import json

from graph.build import build_graph
from graph.evidence import Passage
from graph.run import run_task
from graph.state import AgentInput
from nodes.prompt import instruction, shared_prefix
from tests.fakes import EN_PASSAGES, KO_PASSAGES, FixedRetriever, ScriptedModel, make_deps, passage

PLAN = {
    "steps": [
        {"action": "retrieve", "query": "response cache"},
        {"action": "answer", "focus": "what a prefix cache keeps"},
        {"action": "personalize", "focus": "for a beginner"},
        {"action": "analyze", "focus": "how the two differ", "after": [1, 2]},
        {"action": "summarize", "focus": "all of it", "after": [2, 3, 4]},
    ]
}
FURTHER = passage("A semantic cache compares embeddings.", document="semantic.pdf")


async def test_all_nodes_of_a_task_share_their_prompt_up_to_the_instruction() -> None:
    lines = {
        "plan": json.dumps(PLAN),
        "answer": "A prefix cache keeps key and value tensors [1].",
        "personalize": "Think of it as notes [1].",
        "analyze": "They differ [2].",
        "summarize": "Pigs can fly.",
        "revise": "Pigs can really fly.",
    }
    deps = make_deps(lines, FixedRetriever(further={"response cache": [FURTHER]}))
    question = "Compare a prefix cache and a response cache, then summarize."
    task_input = AgentInput(question=question, mode="plan", profile="a beginner")
    async for _ in run_task(build_graph(deps).compile(), task_input, deps):
        pass

    assert isinstance(deps.model, ScriptedModel)
    prompts = {request.node: request.messages for request in deps.model.requests}
    assert set(prompts) == set(lines)
    prefix = shared_prefix(EN_PASSAGES, question)
    assert len({messages[0] for messages in prompts.values()}) == 1
    assert all(messages[1].content.startswith(prefix) for messages in prompts.values())
    instructions = {messages[1].content.removeprefix(prefix) for messages in prompts.values()}
    assert len(instructions) == len(lines)


async def analyze_prompt(further: Passage) -> str:
    """What `analyze` is told behind the prefix, which has about 200 words."""
    lines = {"plan": json.dumps(PLAN), **dict.fromkeys(("answer", "personalize"), "One [1].")}
    lines |= dict.fromkeys(("analyze", "summarize", "revise"), "Two [1].")
    evidence = tuple(
        one.model_copy(update={"text": one.text + " and so on" * 30}) for one in EN_PASSAGES
    )
    deps = make_deps(lines, FixedRetriever(evidence, further={"response cache": [further]}))
    task_input = AgentInput(question="Compare them", mode="plan", profile="a beginner")
    async for _ in run_task(build_graph(deps).compile(), task_input, deps):
        pass
    assert isinstance(deps.model, ScriptedModel)
    (messages,) = (r.messages for r in deps.model.requests if r.node == "analyze")
    return messages[1].content.removeprefix(shared_prefix(evidence, "Compare them"))


async def test_what_a_step_reads_stands_behind_its_instruction() -> None:
    told = await analyze_prompt(FURTHER)
    assert told.startswith(instruction("analyze", "en", focus="how the two differ"))
    assert told.index("Result of step 2") < told.index("[3] Semantic")


async def test_the_first_thing_a_step_reads_is_never_left_out() -> None:
    lines = dict.fromkeys(("answer", "summarize", "revise"), "One [1].")
    plan = {
        "steps": [
            {"action": "answer", "focus": "x"},
            {"action": "summarize", "focus": "y", "after": [1]},
        ]
    }
    deps = make_deps({"plan": json.dumps(plan), **lines})
    async for _ in run_task(
        build_graph(deps).compile(), AgentInput(question="What?", mode="plan"), deps
    ):
        pass
    assert isinstance(deps.model, ScriptedModel)
    (summarize,) = (r.messages for r in deps.model.requests if r.node == "summarize")
    assert "Result of step 1:\nOne [1]." in summarize[1].content


async def test_what_would_outgrow_the_shared_part_is_left_out() -> None:
    long = FURTHER.model_copy(update={"text": FURTHER.text + " and on" * 200})
    told = await analyze_prompt(long)
    assert "Result of step 2" in told
    assert "[3] Semantic" not in told


def test_the_prefix_depends_on_passages_and_question_alone() -> None:
    assert shared_prefix(EN_PASSAGES, "질문") == shared_prefix(list(EN_PASSAGES), "질문")
    assert shared_prefix(EN_PASSAGES, "질문") != shared_prefix(KO_PASSAGES, "질문")
