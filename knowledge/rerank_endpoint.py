"""A reranker behind HTTP, as vLLM serves a cross-encoder (docs/decisions/016)."""

from collections.abc import Sequence

import httpx
from pydantic import BaseModel, Field, ValidationError

from graph.errors import RerankerUnavailable

TIMEOUT_S = 10.0
SHOWN_CHARS = 300


class _Result(BaseModel):
    index: int
    relevance_score: float = Field(allow_inf_nan=False)


class _Reply(BaseModel):
    results: list[_Result]


class EndpointReranker:
    """`POST {url}/rerank`, the protocol of Jina and Cohere that vLLM follows.

    Asked once: the order before it is an answer too, and somebody waits.
    """

    def __init__(
        self, url: str, model: str | None, api_key: str | None, *, use_proxies: bool = True
    ) -> None:
        self._url = f"{url}/rerank"
        self._model = {"model": model} if model else {}  # vLLM has one
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.Client(timeout=TIMEOUT_S, headers=headers, trust_env=use_proxies)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        question = query.encode("utf-8", "replace").decode("utf-8")
        request = {**self._model, "query": question, "documents": list(texts)}
        try:
            response = self._http.post(self._url, json=request)
        except httpx.HTTPError as error:
            raise self._unavailable(f"{type(error).__name__} {error}") from error
        if response.status_code != httpx.codes.OK:
            said = " ".join(response.text.split())[:SHOWN_CHARS]
            raise self._unavailable(f"HTTP {response.status_code} {said}")
        try:
            results = _Reply.model_validate_json(response.content).results
        except ValidationError as error:
            raise self._unavailable(f"{error.error_count()} faults in its answer") from error
        scores = {result.index: result.relevance_score for result in results}
        if len(results) != len(texts) or scores.keys() != set(range(len(texts))):
            raise self._unavailable(f"{len(results)} scores for {len(texts)} texts")
        return [scores[at] for at in range(len(texts))]

    def _unavailable(self, cause: str) -> RerankerUnavailable:
        return RerankerUnavailable(
            f"no scores from {self._url}: {cause.strip()}; check KA_RERANK_URL and that server"
        )
