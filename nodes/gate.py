"""Is the question about these documents at all? Decided before any model call is spent."""

from typing import TypedDict

from graph.evidence import Retrieval
from graph.ports import Deps


class GateInput(TypedDict):
    retrieval: Retrieval


class GateUpdate(TypedDict):
    in_domain: bool


async def gate(state: GateInput, deps: Deps) -> GateUpdate:
    retrieval = state["retrieval"]
    in_domain = bool(retrieval.hits) and retrieval.domain.score >= retrieval.domain.bound
    return {"in_domain": in_domain}
