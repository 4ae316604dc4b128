"""Find out whether the model's verdict is of use for this corpus, and how much it counts.

Each question is judged twice: with the passage that it was made from among its passages, and with
that passage, its copies and its neighbours taken out. See docs/decisions/020.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph.errors import KnowledgeError
from graph.evidence import Hit, Passage
from knowledge import logistic
from knowledge.fitting import rate
from knowledge.foreign import foreign_words
from knowledge.lexical import terms
from knowledge.pseudo_questions import PseudoQuestion, pseudo_questions
from knowledge.search import Searcher
from knowledge.store import Store
from knowledge.verdict import WRONG_REFUSAL_TARGET, Estimate, Weights

MAX_QUESTIONS = 80
MIN_QUESTIONS = 40
"""Of fewer, the bound would be the score of a single question."""

CROSS_LANGUAGE_EVERY = 4

COPY_SHARE = 0.5
"""Of the source's terms: a passage that holds so many may say the same."""

PARTS = 5
RESAMPLES = 2_000
SEED = 0

Judged = tuple[float, float]
"""Log-odds of an answer: by words, and by the model."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One question, judged with its source among the passages and without it."""

    with_source: Judged
    without: Judged


def made_questions(store: Store) -> Iterator[PseudoQuestion]:
    """A question from each passage of a sample, in a fixed order: three whole ones in its language,
    then one in another language. More than are wanted, since search will not lead from each back
    to its passage."""
    rarities = Searcher(store).rarities
    for number, passage in enumerate(store.catalog.sample(4 * MAX_QUESTIONS), start=1):
        if made := list(pseudo_questions(passage, rarities, foreign_words())):
            yield made[-1] if number % CROSS_LANGUAGE_EVERY == 0 else made[0]


def without_source(hits: Sequence[Hit], source: Passage) -> tuple[Hit, ...]:
    """The hits that hold neither the source nor a copy of it nor what stands next to it."""
    own = set(terms(source.text))

    def is_near(passage: Passage) -> bool:
        reach = source.end - source.start
        return (
            (passage.document, passage.page) == (source.document, source.page)
            and passage.start <= source.end + reach
            and passage.end >= source.start - reach
        )

    def is_copy(passage: Passage) -> bool:
        return len(own & set(terms(passage.text))) >= COPY_SHARE * len(own)

    return tuple(hit for hit in hits if not is_near(hit.passage) and not is_copy(hit.passage))


def fit(pairs: Sequence[Pair]) -> Weights:
    """A logistic regression over both log-odds, held out by question.

    The model keeps its weight where that is positive and its gain in AUROC over words alone has its
    95% interval above zero (percentiles of a bootstrap over questions). The bound is the conformal
    one: of `n` held-out questions with an answer, the floor(target * (n + 1))-th lowest score. A
    further one falls below it with a probability of at most `WRONG_REFUSAL_TARGET` (Vovk, Gammerman
    and Shafer, 2005). It is never above 0, where an answer is as likely as none.

    Raises `KnowledgeError` for fewer than `MIN_QUESTIONS`.
    """
    if len(pairs) < MIN_QUESTIONS:
        raise KnowledgeError(
            f"only {len(pairs)} questions could be made from these documents whose search leads "
            f"back to its passage; a verdict is calibrated on {MIN_QUESTIONS} and more"
        )
    rows = np.array([pair.with_source for pair in pairs] + [pair.without for pair in pairs])
    scores, (words, model), intercept = _fitted(rows)
    by_words, by_both = _aurocs(rows[:, 0]), _aurocs(scores)
    gain = _estimate(by_both - by_words)
    if gain.low <= 0 or model <= 0:
        scores, (words, model), intercept = rows[:, 0], (1.0, 0.0), 0.0
    answerable, unanswerable = np.split(scores, 2)
    bound = min(0.0, np.sort(answerable)[int(WRONG_REFUSAL_TARGET * (len(pairs) + 1)) - 1])
    return Weights(
        questions=len(pairs),
        words_auroc=_estimate(by_words),
        both_auroc=_estimate(by_both),
        gain=gain,
        intercept=intercept,
        words=words,
        model=model,
        bound=float(bound),
        answerable_refused=rate((answerable < bound).tolist()),
        unanswerable_refused=rate((unanswerable < bound).tolist()),
    )


def _fitted(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[float, float], float]:
    """The scores of all rows, each by a model that was not fitted on its question; weights and
    intercept of one that was fitted on all. Row n of the first half, which have an answer, and of
    the second are of one question."""
    questions = len(rows) // 2
    labels = np.arange(2 * questions) < questions
    part = np.tile(np.arange(questions) % PARTS, 2)
    held_out = np.empty(2 * questions)
    for one in range(PARTS):
        weights, intercept = logistic.fit(rows[part != one], labels[part != one])
        held_out[part == one] = rows[part == one] @ weights + intercept
    weights, intercept = logistic.fit(rows, labels)
    return held_out, (float(weights[0]), float(weights[1])), intercept


def _aurocs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """AUROC of all questions, then of each resample of them; a tie counts half."""
    answerable, unanswerable = np.split(scores, 2)
    above = answerable[:, None] - unanswerable[None, :]
    wins = (above > 0) + 0.5 * (above == 0)
    size = len(answerable)
    drawn = np.random.default_rng(SEED).multinomial(size, [1 / size] * size, RESAMPLES)
    times = np.vstack([np.ones(size), drawn])  # that each question is in the sample
    found: NDArray[np.float64] = ((times @ wins) * times).sum(axis=1) / size**2
    return found


def _estimate(values: NDArray[np.float64]) -> Estimate:
    """The first is that of all questions, the others those of resamples."""
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return Estimate(float(values[0]), float(low), float(high))
