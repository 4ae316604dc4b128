"""Turn a follow-up question into one that stands alone."""

from typing import TypedDict

from graph.errors import ModelOutputUnusable
from graph.ports import Deps, Message, ModelRequest
from graph.state import MAX_QUESTION_CHARS, Task, Turn
from nodes.prompt import instruction

MAX_TOKENS = 96


class RewriteInput(TypedDict):
    question: str
    task: Task
    turns: tuple[Turn, ...]


class RewriteUpdate(TypedDict):
    query: str


async def rewrite(state: RewriteInput, deps: Deps) -> RewriteUpdate:
    """The only call without the task's prefix: the evidence is not known before the question is."""
    turns = "\n".join(
        f"Question: {turn.question}\nAnswer: {turn.answer}" for turn in state["turns"]
    )
    completion = await deps.model.complete(
        ModelRequest(
            messages=[
                Message("system", instruction("rewrite", state["task"].language)),
                Message("user", f"{turns}\n\nQuestion: {state['question']}"),
            ],
            account=deps.account(state["task"].id),
            node="rewrite",
            max_tokens=MAX_TOKENS,
        )
    )
    query = completion.text.strip().splitlines()[0].strip() if completion.text.strip() else ""
    if not query or completion.cut_off or len(query) > MAX_QUESTION_CHARS:
        raise ModelOutputUnusable("the model gave no question of its own for the follow-up")
    return {"query": query}
