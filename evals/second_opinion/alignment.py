"""Align a sentence with the closest stretch of a text, word by word, in order.

Needleman and Wunsch's dynamic programme, free before and behind the stretch (a "fitting"
alignment): a word that both have counts, and a word of the text that is passed over inside the
stretch costs a little, so that the stretch stays close together.
"""

from collections.abc import Sequence

from evals.second_opinion.words import is_free, same_word

WORD, FREE_WORD = 1.0, 0.3
PASSED_OVER = 0.1
"""A word is worth walking past nine others for, an article past two."""

Pairs = list[tuple[int, int]]


def align(sentence: Sequence[str], text: Sequence[str]) -> tuple[float, Pairs]:
    """The score, and the pairs of positions in `sentence` and `text` that belong together, in
    order of both; no pairs where they share no word. Time and memory grow as the product of
    the lengths."""
    best = [[0.0] * (len(text) + 1)]
    """[i][j]: the best score of the first i words with a stretch that ends before position j."""
    for word in sentence:
        worth = FREE_WORD if is_free(word) else WORD
        above, row = best[-1], [0.0]
        for j, other in enumerate(text):
            paired = above[j] + worth if same_word(word, other) else 0.0
            row.append(max(paired, above[j + 1], row[j] - PASSED_OVER))
        best.append(row)
    end = max(range(len(text) + 1), key=lambda j: best[-1][j])
    return best[-1][end], _pairs(best, sentence, text, end)


def _pairs(
    best: Sequence[Sequence[float]], sentence: Sequence[str], text: Sequence[str], end: int
) -> Pairs:
    """The way back from the best score to where it began."""
    i, j, pairs = len(sentence), end, Pairs()
    while i and j and best[i][j] > 0:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1] - PASSED_OVER:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
