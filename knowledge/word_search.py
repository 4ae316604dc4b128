"""What the words of a question find: candidates, by as few lists of passages as a search can read.

A question of ten common words names most passages of an index. Rare terms decide which of them are
worth a look, and these are then scored exactly.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from knowledge.bm25 import rarity, saturation
from knowledge.lexical import (
    MARKS,
    MAX_COUNTED,
    LexicalIndex,
    PassageWords,
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


PIECE_WEIGHT = 0.8
"""Of BM25 over pieces of words, which finds "invasion" for "invaded", added to BM25 over terms."""


@dataclass(frozen=True, slots=True)
class WordMatch:
    """`rarities` of a question's terms, its `pieces`, and `ids` of passages that hold some of the
    terms: those first that promise the highest BM25."""

    rarities: Mapping[str, float]
    pieces: Sequence[str]
    ids: Sequence[str]


class WordSearch:
    """Searches an index of `passages` passages that does not change meanwhile."""

    def __init__(self, index: LexicalIndex, passages: int) -> None:
        self._index = index
        self._passages = passages
        # Counting a common term takes a fraction of a millisecond, and questions share them.
        self._holding = lru_cache(maxsize=KNOWN_TERMS)(index.holding)

    def match(self, query: str, limit: int, within: Collection[str] | None = None) -> WordMatch:
        """Search all documents, or those `within` as if there were no others."""
        scoped = within is not None
        passages = self._passages if within is None else self._index.restrict(within)
        count = partial(self._index.holding, scoped=True) if scoped else self._holding
        asked = list(dict.fromkeys(terms(query)))[:MAX_TERMS]
        holding = {term: count(term) for term in asked}
        rarities = {term: rarity(passages, min(n, passages)) for term, n in holding.items()}
        lists = [_List((term,), n, rarities[term]) for term, n in holding.items()]
        lists += [
            _List((term + mark,), count(term + mark), MARK_SHARE * rarities[term])
            for term, n in holding.items()
            if n > limit
            for mark in MARKS
        ]
        rows, weights = [_NO_ROWS], [_NO_ROWS]
        for chosen in _affordable(lists):
            found = self._index.rows(chosen.terms, scoped=scoped)
            rows.append(found)
            weights.append(np.full(len(found), chosen.weight))
        distinct, place = np.unique(np.concatenate(rows), return_inverse=True)
        promise = np.bincount(place, np.concatenate(weights))
        best = distinct[np.argsort(-promise, kind="stable")[:limit]]
        return WordMatch(rarities, pieces(words(query)), self._index.ids(best.tolist()))


def term_scores(match: WordMatch, passages: Mapping[str, PassageWords]) -> dict[str, float]:
    """BM25 of each passage; a term that stands twice in a row counts once."""
    asked = [f" {term} " for term in match.rarities]
    counts = _counts(asked, [held.terms + held.context for held in passages.values()])
    rarities = np.array(list(match.rarities.values()))
    return _bm25(passages, counts, rarities)


def piece_scores(match: WordMatch, passages: Mapping[str, PassageWords]) -> dict[str, float]:
    """BM25 of each passage over pieces of words. How rare a piece is, is counted among these
    passages: so pieces need no index."""
    counts = _counts(match.pieces, [held.words for held in passages.values()])
    holding = np.count_nonzero(counts, axis=0)
    return _bm25(passages, counts, rarity(len(passages), holding))


def _counts(asked: Sequence[str], texts: Sequence[str]) -> NDArray[np.float64]:
    """How often each of `asked` stands in each text, shape (len(texts), len(asked))."""
    counts = [[text.count(one) for one in asked] for text in texts]
    return np.array(counts, np.float64).reshape(len(texts), len(asked))


def _bm25(
    passages: Mapping[str, PassageWords],
    counts: NDArray[np.float64],
    rarities: NDArray[np.float64],
) -> dict[str, float]:
    lengths = np.array([held.terms.count(" ") for held in passages.values()], np.float64)
    mean = lengths.mean() if passages else 1.0
    scores = saturation(counts, lengths[:, None], mean) @ rarities
    return dict(zip(passages, scores.tolist(), strict=True))


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
