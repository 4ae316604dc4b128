"""Search the index for the question."""

from typing import TypedDict

from graph.evidence import Retrieval
from graph.ports import Deps
from graph.state import Task

LIMIT = 8


class RetrieveInput(TypedDict):
    task: Task
    query: str


class RetrieveUpdate(TypedDict):
    retrieval: Retrieval


async def retrieve(state: RetrieveInput, deps: Deps) -> RetrieveUpdate:
    """Errors of the index end the task: an answer or a refusal from no index would be a lie."""
    scope = state["task"].scope
    return {"retrieval": await deps.retriever.search(state["query"], limit=LIMIT, scope=scope)}
