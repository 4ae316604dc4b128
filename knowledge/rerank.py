"""A second look at the best hits, by a model that reads question and passage together."""

from collections.abc import Sequence
from typing import Protocol

from graph.errors import ConfigError
from graph.evidence import Hit

RERANKED = 20
"""Hits that are looked at again: what a cross-encoder needs for them, a reader waits for."""


class Reranker(Protocol):
    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite score for each text, in their order; higher is better, and scores of two calls
        are not comparable. Safe to call from several threads. Raises `RerankerUnavailable`."""
        ...


def make_reranker(
    url: str | None, model: str | None, api_key: str | None, *, use_proxies: bool = True
) -> Reranker | None:
    """The one at `url`; None without. `api_key` is the endpoint's own; `use_proxies` says whether
    a proxy that the environment names may stand in between."""
    if url:
        # Its HTTP client takes time to load and is of no use without an endpoint.
        from knowledge.rerank_endpoint import EndpointReranker

        return EndpointReranker(url, model, api_key, use_proxies=use_proxies)
    if model:
        raise ConfigError(
            f"KA_RERANK_MODEL is {model}, and no server is named; set KA_RERANK_URL to the one "
            "that has the model, or unset KA_RERANK_MODEL"
        )
    return None


def rerank(reranker: Reranker, query: str, hits: Sequence[Hit]) -> list[Hit]:
    """The first `RERANKED` hits in the order of their new scores, then the others as they were.
    Raises `RerankerUnavailable`."""
    first, others = hits[:RERANKED], hits[RERANKED:]
    if not first:
        return []
    scores = reranker.rerank(query, [hit.passage.text for hit in first])
    scored = [
        (score, hit.model_copy(update={"reranked": score}))
        for score, hit in zip(scores, first, strict=True)
    ]
    scored.sort(key=lambda pair: -pair[0])
    return [*(hit for _, hit in scored), *others]
