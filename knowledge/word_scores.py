"""Exact scores of the passages that a search has found, by the words of its questions."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge.bm25 import rarity, saturation
from knowledge.counting import piece_counts, word_counts
from knowledge.lexical import PassageWords
from knowledge.word_search import WordMatch

PIECE_WEIGHT = 0.8
"""Of BM25 over pieces of words, which finds "invasion" for "invaded", added to BM25 over terms."""


class WordScores:
    """BM25 (Robertson and Zaragoza, 2009). The terms of all questions are counted together in all
    passages; a score then looks at one question and its candidates."""

    def __init__(self, matches: Sequence[WordMatch], passages: Mapping[str, PassageWords]) -> None:
        terms = dict.fromkeys(term for match in matches for term in match.rarities)
        self._columns = {term: at for at, term in enumerate(terms)}
        self._rows = {key: at for at, key in enumerate(passages)}
        texts = [held.terms + held.context for held in passages.values()]
        self._counts = word_counts([*terms], texts)
        self._lengths = np.array([held.terms.count(" ") for held in passages.values()], np.float64)

    def by_terms(
        self, match: WordMatch, candidates: Mapping[str, PassageWords]
    ) -> dict[str, float]:
        """A term that stands twice in a row counts once."""
        rows = [self._rows[key] for key in candidates]
        columns = [self._columns[term] for term in match.rarities]
        rarities = np.array(list(match.rarities.values()))
        return self._scores(candidates, self._counts[rows][:, columns], rarities)

    def by_pieces(
        self, match: WordMatch, candidates: Mapping[str, PassageWords]
    ) -> dict[str, float]:
        """How rare a piece is, is counted among the candidates: so pieces need no index."""
        counts = piece_counts(match.pieces, [held.words for held in candidates.values()])
        holding = np.count_nonzero(counts, axis=0)
        return self._scores(candidates, counts, rarity(len(candidates), holding))

    def _scores(
        self,
        candidates: Mapping[str, PassageWords],
        counts: NDArray[np.float64],
        rarities: NDArray[np.float64],
    ) -> dict[str, float]:
        if not candidates:
            return {}
        lengths = self._lengths[[self._rows[key] for key in candidates]]
        scores = saturation(counts, lengths[:, None], lengths.mean()) @ rarities
        return dict(zip(candidates, scores.tolist(), strict=True))
