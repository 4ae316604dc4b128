"""Ask once more for the sentences that the passages do not bear."""

from typing import TypedDict

from graph.answer import Removed
from graph.events import TokenDrafted
from graph.evidence import Passage
from graph.plan import StepResult
from graph.ports import Deps, ModelRequest
from graph.state import Task, numbered_passages
from nodes.prompt import instruction, results_read, task_messages


class ReviseInput(TypedDict):
    task: Task
    query: str
    evidence: tuple[Passage, ...]
    results: dict[int, StepResult]
    removed: tuple[Removed, ...]


class ReviseUpdate(TypedDict):
    revision: str


async def revise(state: ReviseInput, deps: Deps) -> ReviseUpdate:
    known = numbered_passages(state["evidence"], state["results"])
    further = {n: passage for n, passage in known.items() if n > len(state["evidence"])}
    text = instruction(
        "revise",
        state["task"].language,
        removed="\n".join(f"- {removed.text} ({removed.reason})" for removed in state["removed"]),
    )
    completion = await deps.model.complete(
        ModelRequest(
            messages=task_messages(
                state["evidence"], state["query"], text + results_read({}, further)
            ),
            account=deps.account(state["task"].id),
            node="revise",
            max_tokens=deps.limits.output_tokens,
            on_draft=lambda piece: deps.emit(TokenDrafted(node="revise", text=piece)),
        )
    )
    return {"revision": completion.text.strip()}
