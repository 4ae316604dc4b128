"""Ask once more for the sentences that the passages do not bear."""

from typing import TypedDict

from graph.answer import Removed
from graph.events import TokenDrafted
from graph.evidence import Passage
from graph.plan import StepResult
from graph.ports import Deps, ModelRequest
from graph.state import Task, numbered_passages
from nodes.prompt import instruction, numbered_text, task_messages
from nodes.room import fitting, own_room


class ReviseInput(TypedDict):
    task: Task
    query: str
    evidence: tuple[Passage, ...]
    results: dict[int, StepResult]
    removed: tuple[Removed, ...]


class ReviseUpdate(TypedDict):
    revision: str


async def revise(state: ReviseInput, deps: Deps) -> ReviseUpdate:
    text = instruction("revise", state["task"].language)
    known = numbered_passages(state["evidence"], state["results"])
    further = [
        numbered_text(number, passage).strip()
        for number, passage in known.items()
        if number > len(state["evidence"])
    ]
    complaints = (f"- {removed.text}" for removed in state["removed"] if removed.worth_asking_again)
    room = await own_room(deps, state["evidence"], state["query"], text)
    told = await fitting(deps, complaints, room // 2)
    read = await fitting(deps, further, room // 2)
    own = "\n\n".join((text, "\n".join(told), *read))
    completion = await deps.model.complete(
        ModelRequest(
            messages=task_messages(state["evidence"], state["query"], own),
            account=deps.account(state["task"].id),
            node="revise",
            max_tokens=deps.limits.output_tokens,
            on_draft=lambda piece: deps.emit(TokenDrafted(node="revise", text=piece)),
        )
    )
    return {"revision": completion.text.strip()}
