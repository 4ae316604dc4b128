"""What the words of a question find: candidates, by as few lists of passages as a search can read.

A question of ten common words names most passages of an index. Rare terms decide which of them are
worth a look, and these are then scored exactly.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from knowledge.bm25 import rarity
from knowledge.foreign import question_terms
from knowledge.lexical import (
    MARKS,
    MAX_COUNTED,
    LexicalIndex,
    pieces,
    terms,
    words,
)

MAX_TERMS = 64
"""Of a question."""

MAX_POSTINGS = 5_000
"""Passages that the lists of a question may name, counted once per list (docs/decisions/012)."""

MARK_SHARE = 0.25
"""Of a term's rarity, that each of its marks adds."""

KNOWN_TERMS = 50_000
KNOWN_LISTS = 500


@dataclass(frozen=True, slots=True)
class WordMatch:
    """`rarities` of a question's terms; how much of its `content` each is; its `pieces`; and `ids`
    of passages that hold some of the terms: those first that promise the highest BM25."""

    rarities: Mapping[str, float]
    content: Mapping[str, float]
    unknown_content: float
    pieces: Sequence[str]
    ids: Sequence[str]


class WordSearch:
    """Searches an index of `passages` passages that does not change meanwhile."""

    def __init__(self, index: LexicalIndex, passages: int) -> None:
        self._index = index
        self._passages = passages
        # Counting a common term takes a fraction of a millisecond, and questions share them.
        self._holding = lru_cache(maxsize=KNOWN_TERMS)(index.holding)

    def rarities(self, asked: Iterable[str]) -> dict[str, float]:
        """Inverse document frequencies among all passages."""
        return _rarities({term: self._holding(term) for term in asked}, self._passages)

    def match(
        self, queries: Sequence[str], limit: int, within: Collection[str] | None = None
    ) -> list[WordMatch]:
        """Search all documents, or those `within` as if there were no others."""
        scoped = within is not None
        passages = self._passages if within is None else self._index.restrict(within)
        count = partial(self._index.holding, scoped=True) if scoped else self._holding
        list_rows = lru_cache(KNOWN_LISTS)(partial(self._index.rows, scoped=scoped))
        return [self._match(query, limit, passages, count, list_rows) for query in queries]

    def _match(
        self,
        query: str,
        limit: int,
        passages: int,
        count: Callable[[str], int],
        list_rows: Callable[[tuple[str, ...]], NDArray[np.int64]],
    ) -> WordMatch:
        asked = list(dict.fromkeys(terms(query)))[:MAX_TERMS]
        holding = {term: count(term) for term in asked}
        rarities = _rarities(holding, passages)
        lists = [_List((term,), n, rarities[term]) for term, n in holding.items()]
        lists += [
            _List((term + mark,), count(term + mark), MARK_SHARE * rarities[term])
            for term, n in holding.items()
            if n > limit
            for mark in MARKS
        ]
        rows, promises = [_NO_ROWS], [_NO_ROWS]
        for chosen in _affordable(lists):
            found = list_rows(chosen.terms)
            rows.append(found)
            promises.append(np.full(len(found), chosen.weight))
        distinct, place = np.unique(np.concatenate(rows), return_inverse=True)
        promise = np.bincount(place, np.concatenate(promises))
        best = distinct[np.argsort(-promise, kind="stable")[:limit]]
        return WordMatch(
            rarities=rarities,
            content={term: _content(passages, n, term) for term, n in holding.items()},
            unknown_content=_content(passages, 0, ""),
            pieces=pieces(words(query)),
            ids=self._index.ids(best.tolist()),
        )


def _rarities(holding: Mapping[str, int], passages: int) -> dict[str, float]:
    return {term: rarity(passages, min(n, passages)) for term, n in holding.items()}


def _content(passages: int, holding: int, term: str) -> float:
    """The square of a term's rarity among the passages and the questions of the foreign bank
    together. Words that questions are made of ("how", "mean", "뭐야") are as rare in documents as
    those that a question is about, and among questions they are not. Squared, as in a cosine of
    TF-IDF vectors."""
    bank = question_terms()
    together = min(holding, passages) + bank.holding[term]
    return float(rarity(passages + bank.questions, together)) ** 2


_NO_ROWS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class _List:
    """About `length` passages hold all of `terms`; each of them gets `weight`."""

    terms: tuple[str, ...]
    length: int
    weight: float


def _affordable(lists: Iterable[_List]) -> list[_List]:
    """The shortest ones that `MAX_POSTINGS` allows. Where all are too long, what the two shortest
    have in common."""
    ordered = sorted((one for one in lists if one.length), key=lambda one: one.length)
    chosen: list[_List] = []
    left = MAX_POSTINGS
    for one in ordered:
        left -= one.length
        if left < 0 or one.length > MAX_COUNTED:
            break
        chosen.append(one)
    if not chosen:
        common = ordered[:2]
        return (
            [_List(tuple(term for one in common for term in one.terms), 0, 1.0)] if common else []
        )
    return chosen
