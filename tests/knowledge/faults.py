"""Crashes at chosen calls of the parts that an ingest changes the world with."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal
from unittest.mock import patch

from knowledge.index import VectorIndex
from knowledge.sqlite import Connection
from knowledge.store import Writable
from tests.knowledge.stubs import WordsEmbedder

Seam = Literal["embedder", "vectors", "sqlite", "publish"]

_METHODS: dict[Seam, list[tuple[type, str]]] = {
    "embedder": [(WordsEmbedder, "embed_passages")],
    "vectors": [(VectorIndex, "upsert"), (VectorIndex, "delete"), (VectorIndex, "drop")],
    "sqlite": [(Connection, "execute"), (Connection, "executemany")],
    "publish": [(Writable, "publish")],
}

_HARMLESS = ("SELECT", "PRAGMA", "BEGIN", "ROLLBACK")
"""Statements that change nothing."""


class Crash(BaseException):
    """Not an `Exception`: nothing may catch it and go on."""


@contextmanager
def crash(seam: Seam, moment: int, *, dead: bool) -> Iterator[None]:
    """Raise `Crash` at a moment of the block: 0 is before the first call of the seam, 1 after it,
    2 before the second call, and so on; statements that change nothing do not count. `dead` lets
    no later call through, on any seam, as if the process were gone; else the code may tidy up, as
    after Ctrl-C."""
    state = _State(seam, moment, dead)
    with ExitStack() as patches:
        for of, methods in _METHODS.items():
            for owner, name in methods:
                told = state.watched(of, getattr(owner, name))
                patches.enter_context(patch.object(owner, name, told))
        yield


class _State:
    def __init__(self, seam: Seam, moment: int, dead: bool) -> None:
        self._seam = seam
        self._left = moment
        self._dead = dead
        self._gone = False

    def watched(self, seam: Seam, method: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            if seam == "sqlite" and str(args[1]).startswith(_HARMLESS):
                return method(*args, **kwargs)
            self._pass(seam)
            result = method(*args, **kwargs)
            self._pass(seam)
            return result

        return call

    def _pass(self, seam: Seam) -> None:
        if self._gone:
            raise Crash
        if seam == self._seam:
            self._left -= 1
            if self._left == -1:
                self._gone = self._dead
                raise Crash
