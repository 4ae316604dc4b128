"""The questions that a calibration asks of the corpus, and what retrieval says to each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from knowledge.domain import Group, group_of
from knowledge.embed import Embedder, Vectors
from knowledge.foreign import foreign_words, sampled
from knowledge.foreign_nearness import ForeignNearness
from knowledge.pseudo_questions import PseudoQuestion, pseudo_questions
from knowledge.question_vectors import QuestionVectors
from knowledge.search import Features, Searcher, Seen
from knowledge.store import Store
from knowledge.vector_cache import VectorCache

SAMPLED_PASSAGES = 150
BANK_QUESTIONS = 600

AT_ONCE = 64
"""Questions that are searched together. Each has up to 100 candidates, of some 20 kB."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's features, and its vector of shape (dimension,). `source` is the passage that one
    of the corpus's own was made of, and `language` that of a foreign one."""

    features: Features
    vector: Vectors = field(compare=False, repr=False)
    source: str | None = None
    language: str | None = None

    @property
    def group(self) -> Group:
        return group_of(self.features)

    def against(self, foreign: ForeignNearness) -> "Asked":
        """With its lead over these foreign questions."""
        assert self.features.dense_top is not None  # it was asked with a vector
        lead = foreign.lead(self.vector, self.features.script, self.features.dense_top)
        return replace(self, features=replace(self.features, foreign_lead=lead))


def own_and_foreign(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    on_progress: Callable[[int, int], None],
) -> tuple[list[Asked], list[Asked]]:
    """Questions made out of passages, as far as searching them leads back to their passage, and
    foreign ones. Their vectors are kept: most are the same the next time. Raises
    `EmbedderUnavailable`."""
    bank = sampled(BANK_QUESTIONS)
    on_progress(0, len(bank))  # the corpus's own are yet to be made
    searcher = Searcher(store)
    made = _made(store, searcher)
    seen, vectors = _seen(
        searcher,
        QuestionVectors(embedder, cache),
        [one.text for one in made] + [one.question for one in bank],
        on_progress,
    )
    own = [
        Asked(saw.features, vector, source=one.source.id)
        for one, saw, vector in zip(made, seen[: len(made)], vectors[: len(made)], strict=True)
        if saw.best == one.source.id
    ]
    foreign = [
        Asked(saw.features, vector, language=one.language)
        for one, saw, vector in zip(bank, seen[len(made) :], vectors[len(made) :], strict=True)
    ]
    return own, foreign


def _made(store: Store, searcher: Searcher) -> list[PseudoQuestion]:
    return [
        question
        for passage in store.catalog.sample(SAMPLED_PASSAGES)
        for question in pseudo_questions(passage, searcher.rarities, foreign_words())
    ]


def _seen(
    searcher: Searcher,
    vectors: QuestionVectors,
    questions: Sequence[str],
    on_progress: Callable[[int, int], None],
) -> tuple[list[Seen], Vectors]:
    """What search says to each, and their vectors."""
    seen: list[Seen] = []
    parts: list[Vectors] = []
    for at in range(0, len(questions), AT_ONCE):
        some = questions[at : at + AT_ONCE]
        parts.append(vectors.of(some))
        seen += searcher.look(some, parts[-1])
        on_progress(len(seen), len(questions))
    return seen, np.concatenate(parts)
