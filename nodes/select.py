"""Choose the passages that the task's prompts share, and fix their order and numbers."""

from typing import TypedDict

from graph.evidence import Passage, Retrieval
from graph.ports import Deps
from graph.state import Task
from nodes.prompt import numbered_text, shared_prefix

# Room for the system text's chat template, the longest instruction and the results that it reads.
INSTRUCTION_TOKENS = 1_200


class SelectInput(TypedDict):
    task: Task
    query: str
    retrieval: Retrieval


class SelectUpdate(TypedDict):
    evidence: tuple[Passage, ...]


async def select(state: SelectInput, deps: Deps) -> SelectUpdate:
    """Best hits first until the budget is full, then in stable order (document, page, offset).

    The budget is the smaller of `Limits.evidence_tokens` and what the model's window leaves. The
    best passage is always taken: an answer without evidence is worse than a long prompt, and a
    model that cannot hold it says so, which leads to `extract`.
    """
    profile = state["task"].profile or ""
    frame = await deps.model.count_tokens(shared_prefix((), state["query"]) + profile)
    room = (
        await deps.model.context_tokens() - frame - INSTRUCTION_TOKENS - deps.limits.output_tokens
    )
    budget = min(deps.limits.evidence_tokens, room)
    chosen: list[Passage] = []
    for hit in state["retrieval"].hits:
        tokens = await deps.model.count_tokens(numbered_text(len(chosen) + 1, hit.passage))
        if chosen and tokens > budget:
            break
        chosen.append(hit.passage)
        budget -= tokens
    return {"evidence": tuple(sorted(chosen, key=lambda passage: passage.order))}
