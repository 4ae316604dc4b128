"""Find the rule that tells this corpus's questions from foreign ones (docs/decisions/013)."""

from collections.abc import Callable

from knowledge.asking import own_and_foreign
from knowledge.domain import MIN_PASSAGES, Calibration, cautious
from knowledge.embed import Embedder
from knowledge.fitting import MIN_QUESTIONS, expected, find_rule, without_own
from knowledge.foreign_nearness import ForeignNearness
from knowledge.store import Store
from knowledge.vector_cache import VectorCache

WITHOUT_BANK = ("dense_top", "best_covered", "near_covered", "lexical_top")
WITH_VECTORS = (*WITHOUT_BANK, "foreign_lead")
BY_WORDS = ("best_covered", "lexical_top")


def calibrate(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    on_progress: Callable[[int, int], None],
    target: float,
) -> Calibration:
    """`target` is the share of own questions that may be refused. The cautious rule where too few
    questions can be asked. The vectors of the foreign questions stay beside the index. Raises
    `EmbedderUnavailable`."""
    catalog = store.catalog
    passages = catalog.passage_count()
    if passages < MIN_PASSAGES:
        return cautious(store)
    own, bank = own_and_foreign(store, cache, embedder, on_progress)
    if sum(asked.group.kind == "full" for asked in own) < MIN_QUESTIONS:
        return cautious(store)
    foreign = without_own(own, bank, WITHOUT_BANK)
    if len(foreign) < MIN_QUESTIONS:
        return cautious(store)
    nearness = ForeignNearness.of((asked.vector, asked.features.script) for asked in foreign)
    own, foreign = ([asked.against(nearness) for asked in those] for those in (own, foreign))
    nearness.write(store.foreign_path)
    return Calibration(
        method="calibrated",
        corpus=catalog.corpus_version(),
        passages=passages,
        changes=catalog.changes(),
        own_questions=len(own),
        foreign_questions=len(foreign),
        foreign_left_out=len(bank) - len(foreign),
        false_refusal_target=target,
        with_vectors=find_rule(own, foreign, WITH_VECTORS, target),
        by_words=find_rule(own, foreign, BY_WORDS, target),
        expected=expected(own, foreign, WITH_VECTORS, target),
        expected_by_words=expected(own, foreign, BY_WORDS, target),
    )
