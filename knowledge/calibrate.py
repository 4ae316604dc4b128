"""Find the rule that tells this corpus's questions from foreign ones (docs/decisions/013).

In-domain questions are made out of passages (`knowledge.pseudo_questions`); those whose search does
not lead back to their passage are no good questions and are left out. Foreign ones come from a
bank. A logistic regression over the features of retrieval tells them apart; the bound of a group
of questions is the score that `FALSE_REFUSAL_TARGET` of the in-domain ones fall below.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from graph.errors import EmbedderUnavailable
from knowledge.domain import (
    FALSE_REFUSAL_TARGET,
    Calibration,
    Group,
    Rate,
    Rule,
    cautious,
    group_of,
)
from knowledge.embed import Embedder, Vectors
from knowledge.foreign import foreign_words, sampled
from knowledge.pseudo_questions import PseudoQuestion, pseudo_questions
from knowledge.search import Features, Found, Searcher
from knowledge.store import Store
from knowledge.vector_cache import VectorCache, vector_key

MIN_PASSAGES = 20
SAMPLED_PASSAGES = 150
BANK_QUESTIONS = 600
MIN_QUESTIONS = 20
"""Of a kind, to say something about it."""

WITH_VECTORS = ("dense_top", "best_covered", "near_covered", "lexical_top")
BY_WORDS = ("best_covered", "lexical_top")

PROGRESS_STEP = 20

RETRIES = 3
RETRY_PAUSE_S = 2.0
"""For the hundreds of questions of a calibration together: a query is not repeated by the embedder
itself, and one that a busy endpoint turned away should not lose the others."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question's features; `language` is that of a foreign one, and None for the corpus's own."""

    features: Features
    language: str | None = None

    @property
    def group(self) -> Group:
        return group_of(self.features)


def calibrate(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    on_progress: Callable[[int, int], None],
) -> Calibration:
    """Find the rule for this corpus. The questions' vectors are kept: most are the same the next
    time. Raises `EmbedderUnavailable`."""
    catalog = store.catalog
    passages = catalog.passage_count()
    if passages < MIN_PASSAGES:
        return cautious(store)
    made, bank = _made(store, passages), sampled(BANK_QUESTIONS)
    total = len(made) + len(bank)
    searcher = Searcher(store)
    embed = _kept(_bearing_failures(embedder), cache, embedder.name)

    def ask(text: str, number: int) -> Found:
        if number % PROGRESS_STEP == 0:
            on_progress(number, total)
        return searcher.search(text, embed(text), limit=1)

    own: list[_Asked] = []
    for number, made_up in enumerate(made, start=1):
        found = ask(made_up.text, number)
        if found.hits and found.hits[0].passage.id == made_up.source.id:
            own.append(_Asked(found.features))
    foreign = [
        _Asked(ask(one.question, number).features, one.language)
        for number, one in enumerate(bank, start=len(made) + 1)
    ]
    if sum(asked.group == "full" for asked in own) < MIN_QUESTIONS:
        return cautious(store)
    really_foreign = _without_own(own, foreign)
    if len(really_foreign) < MIN_QUESTIONS:
        return cautious(store)
    return Calibration(
        method="calibrated",
        corpus=catalog.corpus_version(),
        passages=passages,
        changes=catalog.changes(),
        scripts=catalog.scripts(),
        own_questions=len(own),
        foreign_questions=len(really_foreign),
        foreign_left_out=len(foreign) - len(really_foreign),
        with_vectors=_rule(own, really_foreign, WITH_VECTORS),
        by_words=_rule(own, really_foreign, BY_WORDS),
    )


def _made(store: Store, passages: int) -> list[PseudoQuestion]:
    catalog = store.catalog
    return [
        question
        for passage in catalog.sample(SAMPLED_PASSAGES)
        for question in pseudo_questions(
            passage, lambda query: catalog.lexical.rarity(query, passages), foreign_words()
        )
    ]


def _kept(
    embed: Callable[[str], Vectors], cache: VectorCache, embedder: str
) -> Callable[[str], Vectors]:
    def vector(question: str) -> Vectors:
        key = vector_key(f"{embedder} query", question)
        known = cache.find([key])
        vectors = known or {key: embed(question)}
        cache.keep(vectors, used_s=int(time.time()))
        return vectors[key]

    return vector


def _bearing_failures(embedder: Embedder) -> Callable[[str], Vectors]:
    """`embed_query`, called again after a failure until `RETRIES` are used up."""
    pauses_s = iter([RETRY_PAUSE_S] * RETRIES)

    def embed(question: str) -> Vectors:
        while True:
            try:
                return embedder.embed_query(question)
            except EmbedderUnavailable:
                pause_s = next(pauses_s, None)
                if pause_s is None:
                    raise
                time.sleep(pause_s)

    return embed


def _without_own(own: Sequence[_Asked], foreign: Sequence[_Asked]) -> list[_Asked]:
    """Foreign questions, less those that score as the corpus's own do: a bank cannot know the
    corpus."""
    fitted = _Fitted(own, foreign, WITH_VECTORS)
    usual = np.median(fitted.own_scores)
    return [
        asked for asked, score in zip(foreign, fitted.foreign_scores, strict=True) if score < usual
    ]


def _rule(own: Sequence[_Asked], foreign: Sequence[_Asked], names: tuple[str, ...]) -> Rule:
    fitted = _Fitted(own, foreign, names)
    bounds = _bounds(own, fitted.own_scores)
    refused = [
        bool(score < bounds[asked.group])
        for asked, score in zip(foreign, fitted.foreign_scores, strict=True)
    ]
    languages = sorted({asked.language or "" for asked in foreign})
    return Rule(
        features=names,
        weights=fitted.weights,
        intercept=fitted.intercept,
        bounds=bounds,
        own_refused=_rate(
            [
                bool(score < bounds[asked.group])
                for asked, score in zip(own, fitted.own_scores, strict=True)
            ]
        ),
        foreign_refused={
            language: _rate(
                [
                    one
                    for asked, one in zip(foreign, refused, strict=True)
                    if asked.language == language
                ]
            )
            for language in languages
        },
    )


def _bounds(own: Sequence[_Asked], scores: NDArray[np.float64]) -> dict[Group, float]:
    """Each group's own quantile, and never above that of full questions, which are the most."""
    groups = np.array([asked.group for asked in own])
    quantiles = {
        group: float(np.quantile(scores[groups == group], FALSE_REFUSAL_TARGET))
        for group in get_args(Group)
        if np.sum(groups == group) >= MIN_QUESTIONS
    }
    highest = quantiles["full"]
    return {group: min(highest, quantiles.get(group, highest)) for group in get_args(Group)}


def _rate(refused: Sequence[bool]) -> Rate:
    from scipy.stats import binomtest

    share = binomtest(sum(refused), len(refused))
    interval = share.proportion_ci(method="wilson")
    return Rate(float(share.statistic), float(interval.low), float(interval.high), len(refused))


class _Fitted:
    """A logistic regression that tells the corpus's full questions from foreign ones.

    `own_scores` and `foreign_scores` are those of all questions, each by a model that was not
    fitted on it.
    """

    def __init__(
        self, own: Sequence[_Asked], foreign: Sequence[_Asked], names: tuple[str, ...]
    ) -> None:
        # Half of the import time of this package, and only an ingest comes here.
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import cross_val_predict
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        full = np.array([asked.group == "full" for asked in own])
        values, foreign_values = _values(own, names), _values(foreign, names)
        rows = np.concatenate([values[full], foreign_values])
        labels = np.array([1] * int(full.sum()) + [0] * len(foreign))
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        held_out = cross_val_predict(model, rows, labels, cv=5, method="decision_function")
        model.fit(rows, labels)
        self.own_scores: NDArray[np.float64] = model.decision_function(values)
        self.own_scores[full] = held_out[labels == 1]
        self.foreign_scores: NDArray[np.float64] = held_out[labels == 0]
        scaler, logistic = model[0], model[1]
        weights = logistic.coef_[0] / scaler.scale_
        self.weights = tuple(float(weight) for weight in weights)
        self.intercept = float(logistic.intercept_[0] - weights @ scaler.mean_)


def _values(asked: Sequence[_Asked], names: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([[float(getattr(one.features, name)) for name in names] for one in asked])
