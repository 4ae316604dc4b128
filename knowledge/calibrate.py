"""The gate's bound, found for each corpus from its own passages (docs/decisions/013).

In-domain questions are made out of passages (`knowledge.pseudo_questions`); those whose search does
not lead back to their passage are no good questions and are left out. Foreign ones come from a
bank. A logistic regression over the features of retrieval tells them apart; the bound is the score
that `FALSE_REFUSAL_TARGET` of the in-domain questions fall below.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from graph.errors import EmbedderUnavailable
from graph.evidence import DomainSignal
from knowledge.embed import Embedder, Vectors
from knowledge.lexical import script
from knowledge.pseudo_questions import pseudo_questions
from knowledge.search import Features, Searcher
from knowledge.store import Store
from knowledge.vector_cache import VectorCache, vector_key

FALSE_REFUSAL_TARGET = 0.02
MIN_PASSAGES = 20
SAMPLED_PASSAGES = 80

CAUTIOUS_COVERAGE = 0.15
"""Without a calibration only a question is refused whose words, weighted by rarity, the passages
lack to more than 85%; and none in a script that the corpus does not have. Set by hand."""

SEARCH_LIMIT = 5

RETRIES = 3
RETRY_PAUSE_S = 2.0
"""For the hundreds of questions of a calibration together: a query is not repeated by the embedder
itself, and one that a busy endpoint turned away should not lose the others."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A linear score over standardised features, and the score below which a question is foreign.

    `foreign_refused` is cross-validated on the bank's questions.
    """

    weights: tuple[float, ...]
    intercept: float
    bound: float
    foreign_refused: float

    def score(self, values: Sequence[float]) -> float:
        return self.intercept + sum(w * v for w, v in zip(self.weights, values, strict=True))


@dataclass(frozen=True, slots=True)
class Calibration:
    """`with_vectors` is None under `MIN_PASSAGES`: then `method` is 'cautious'."""

    method: Literal["calibrated", "cautious"]
    corpus: str
    scripts: tuple[str, ...]
    in_domain_questions: int = 0
    foreign_questions: int = 0
    false_refusal_target: float = FALSE_REFUSAL_TARGET
    with_vectors: Bound | None = None
    by_words: Bound | None = None

    def signal(self, question: str, features: Features) -> DomainSignal:
        if self.with_vectors and self.by_words:
            dense = features.lead_top is not None
            rule = self.with_vectors if dense else self.by_words
            score, bound = rule.score(_values(question, features, dense=dense)), rule.bound
        else:
            known_script = script(question) in self.scripts
            score, bound = features.coverage if known_script else 1.0, CAUTIOUS_COVERAGE
        return DomainSignal(
            score=score,
            bound=bound,
            dense_top=features.dense_top,
            coverage=features.coverage,
            method=self.method,
        )

    def write(self, path: Path) -> None:
        """Replace the file at once, so that a reader never sees a half."""
        draft = path.with_suffix(".tmp")
        draft.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False), encoding="utf-8")
        draft.replace(path)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` left; None where there is nothing, or of another version."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            for name in ("with_vectors", "by_words"):
                if data[name]:
                    data[name] = Bound(**data[name] | {"weights": tuple(data[name]["weights"])})
            data["scripts"] = tuple(data["scripts"])
            return cls(**data)
        except (OSError, ValueError, KeyError, TypeError):
            return None


def current_calibration(store: Store) -> Calibration | None:
    """The one that was made for exactly the store's passages; None where the last ingest changed
    them and could not calibrate, since a bound says nothing about other passages."""
    last = Calibration.read(store.calibration_path)
    return last if last and last.corpus == store.catalog.corpus_version() else None


def cautious(store: Store) -> Calibration:
    return Calibration("cautious", store.catalog.corpus_version(), _scripts(store))


def calibrate(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    on_progress: Callable[[int, int], None],
) -> Calibration:
    """Find the bounds for this corpus. The questions' vectors are kept: most are the same the next
    time. Raises `EmbedderUnavailable`."""
    catalog = store.catalog
    passages = catalog.passage_count()
    if passages < MIN_PASSAGES:
        return cautious(store)
    made = [
        question
        for passage in catalog.sample(SAMPLED_PASSAGES)
        for question in pseudo_questions(
            passage, lambda query: catalog.lexical.rarity(query, passages)
        )
    ]
    bank = foreign_questions()
    searcher = Searcher(store)
    embed = _kept(_bearing_failures(embedder), cache, embedder.name)
    inside: list[tuple[str, Features]] = []
    outside: list[tuple[str, Features]] = []
    for done, (text, source) in enumerate(
        [(q.text, q.source.id) for q in made] + [(text, None) for text in bank], start=1
    ):
        found = searcher.search(text, embed(text), limit=SEARCH_LIMIT)
        if source is None:
            outside.append((text, found.features))
        elif found.hits and found.hits[0].passage.id == source:
            inside.append((text, found.features))
        if done % 20 == 0:
            on_progress(done, len(made) + len(bank))
    outside = _really_foreign(outside, inside)
    if min(len(inside), len(outside)) < MIN_PASSAGES:
        return cautious(store)
    return Calibration(
        method="calibrated",
        corpus=catalog.corpus_version(),
        scripts=_scripts(store),
        in_domain_questions=len(inside),
        foreign_questions=len(outside),
        with_vectors=_fit(inside, outside, dense=True),
        by_words=_fit(inside, outside, dense=False),
    )


def foreign_questions() -> list[str]:
    """The bank: English and Korean, from small talk to expert fields."""
    lines = files("knowledge").joinpath("data/foreign_questions.jsonl").read_text("utf-8")
    return [json.loads(line)["question"] for line in lines.splitlines()]


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


def _really_foreign(
    outside: list[tuple[str, Features]], inside: list[tuple[str, Features]]
) -> list[tuple[str, Features]]:
    """Without those that look like the corpus's own questions: a bank cannot know the corpus."""
    if not inside:
        return outside
    lead = median(features.lead_top or 0.0 for _, features in inside)
    covered = median(features.coverage for _, features in inside)
    return [
        (text, features)
        for text, features in outside
        if (features.lead_top or 0.0) < lead or features.coverage < covered
    ]


def _fit(
    inside: list[tuple[str, Features]], outside: list[tuple[str, Features]], *, dense: bool
) -> Bound:
    # Half of the import time of this package, and only an ingest comes here.
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows = np.array([_values(text, found, dense=dense) for text, found in inside + outside])
    labels = np.array([1] * len(inside) + [0] * len(outside))
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    held_out: NDArray[np.float64] = cross_val_predict(
        model, rows, labels, cv=5, method="decision_function"
    )
    bound = float(np.quantile(held_out[labels == 1], FALSE_REFUSAL_TARGET))
    model.fit(rows, labels)
    scaler, logistic = model[0], model[1]
    weights = logistic.coef_[0] / scaler.scale_
    return Bound(
        weights=tuple(float(weight) for weight in weights),
        intercept=float(logistic.intercept_[0] - weights @ scaler.mean_),
        bound=bound,
        foreign_refused=float(np.mean(held_out[labels == 0] < bound)),
    )


def _values(question: str, features: Features, *, dense: bool) -> list[float]:
    """The cosine itself is left out: its level differs between languages and corpora."""
    values = [features.coverage, features.lexical_top, float(script(question) == "hangul")]
    return [features.lead_top or 0.0, *values] if dense else values


def _scripts(store: Store) -> tuple[str, ...]:
    return tuple(sorted({script(p.text) for p in store.catalog.sample(SAMPLED_PASSAGES)}))
