"""Search the index for the question."""

from typing import TypedDict

from graph.evidence import Retrieval
from graph.ports import Deps

LIMIT = 8


class RetrieveInput(TypedDict):
    query: str


class RetrieveUpdate(TypedDict):
    retrieval: Retrieval


async def retrieve(state: RetrieveInput, deps: Deps) -> RetrieveUpdate:
    """Errors of the index end the task: an answer or a refusal from no index would be a lie."""
    return {"retrieval": await deps.retriever.search(state["query"], limit=LIMIT)}
