"""Texts to vectors at an OpenAI-compatible endpoint (docs/decisions/014)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from openai import (
    BadRequestError,
    DefaultHttpxClient,
    OpenAI,
    OpenAIError,
    UnprocessableEntityError,
)

from graph.errors import ConfigError, EmbedderUnavailable, TextRefused
from knowledge.embed import Vectors, estimate_tokens

QUERY_TIMEOUT_S = 10.0
"""How long a question waits for its vector, once: then it is searched by words alone."""

BATCH_TIMEOUT_S = 60.0
BATCH_RETRIES = 2
"""Of a batch of an ingest, which has time to bear a busy endpoint; a batch that fails ends it."""

SENT_HEADERS = frozenset(
    {"host", "authorization", "accept", "accept-encoding", "connection", "user-agent"}
    | {"content-type", "content-length", "transfer-encoding"}
)


class OpenAIEmbedder:
    """An OpenAI-compatible `/v1/embeddings`, such as a pooling model that vLLM serves.

    Tokens are estimated from above (`estimate_tokens`), since that protocol has no call to count
    them; a text that is too long all the same is refused by the server and not cut off.

    The only credential that is sent is `api_key`.
    """

    concurrency = 4

    def __init__(
        self, url: str, model: str | None, api_key: str | None, *, use_proxies: bool = True
    ) -> None:
        self._url = url
        self._wanted = model
        key = api_key or "none"  # without one the client takes the environment's
        self._for_batches = OpenAI(
            base_url=url,
            api_key=key,
            default_headers={"Authorization": f"Bearer {key}"},
            http_client=DefaultHttpxClient(
                event_hooks={"request": [_drop_ambient_headers]}, trust_env=use_proxies
            ),
            timeout=BATCH_TIMEOUT_S,
            max_retries=BATCH_RETRIES,
        )
        self._for_queries = self._for_batches.with_options(timeout=QUERY_TIMEOUT_S, max_retries=0)

    @cached_property
    def name(self) -> str:
        if self._wanted:
            return self._wanted
        try:
            served = [model.id for model in self._for_queries.models.list().data]
        except OpenAIError as error:
            raise self._unavailable(error) from error
        if len(served) != 1:
            raise ConfigError(
                f"{self._url} serves {len(served)} models ({', '.join(served[:5])}); "
                "set KA_EMBED_MODEL to the one that makes the vectors"
            )
        return served[0]

    @cached_property
    def dimension(self) -> int:
        return int(self.embed_passages(["dimension"]).shape[1])

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._for_batches, [self._prefix("passage") + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self._embed(self._for_queries, [self._prefix("query") + text])[0]
        return row

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._for_batches, [self._prefix("query") + text for text in texts])

    def _prefix(self, kind: str) -> str:
        """E5 models were trained with a prefix; a server does not add it."""
        return f"{kind}: " if "e5-" in self.name.lower() else ""

    def _embed(self, client: OpenAI, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        try:
            response = client.embeddings.create(
                model=self.name, input=texts, encoding_format="float"
            )
        except (BadRequestError, UnprocessableEntityError) as error:
            raise TextRefused(f"{self._url} refuses a text: {error}") from error
        except OpenAIError as error:
            raise self._unavailable(error) from error
        rows = np.asarray(
            [item.embedding for item in sorted(response.data, key=lambda item: item.index)],
            np.float32,
        )
        lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
        if rows.shape[0] != len(texts) or not np.all(lengths > 0):
            raise self._unavailable(f"{rows.shape[0]} usable vectors for {len(texts)} texts")
        unit: Vectors = rows / lengths
        return unit

    def _unavailable(self, cause: object) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"no vectors from {self._url}: {cause}; check KA_EMBED_URL and that server"
        )


def _drop_ambient_headers(request: Any) -> None:
    """The client adds headers that OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS name:
    another service's, and perhaps its secrets."""
    for name in set(request.headers) - SENT_HEADERS:
        del request.headers[name]
