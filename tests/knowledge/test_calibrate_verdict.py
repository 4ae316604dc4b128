"""Does the model's verdict get the weight that it deserves, and the bound that was promised?"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.errors import KnowledgeError
from graph.evidence import Hit, Passage, VerdictRule, log_odds
from knowledge.calibrate_verdict import MAX_QUESTIONS, Pair, fit, without_source
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress, open_generation
from knowledge.verdict import VerdictCalibration, Weights
from tests.knowledge.stubs import WordsEmbedder

SEEDS = range(20)
Verdict = Callable[[np.random.Generator, bool], float]


def judged(verdict: Verdict, *, seed: int = 0, questions: int = MAX_QUESTIONS) -> list[Pair]:
    """Words that tell a little (AUROC 0.76), and a model's verdict beside them."""
    chance = np.random.default_rng(seed)

    def one(is_answerable: bool) -> tuple[float, float]:
        return chance.normal(float(is_answerable)), verdict(chance, is_answerable)

    return [Pair(one(True), one(False)) for _ in range(questions)]


def knowing(chance: np.random.Generator, is_answerable: bool) -> float:
    return float(chance.normal(3.0 * is_answerable))


def half_knowing(chance: np.random.Generator, is_answerable: bool) -> float:
    return float(chance.normal(1.5 * is_answerable))


def guessing(chance: np.random.Generator, is_answerable: bool) -> float:
    return float(chance.normal())


def constant(chance: np.random.Generator, is_answerable: bool) -> float:
    return 1.5


def contrary(chance: np.random.Generator, is_answerable: bool) -> float:
    return -knowing(chance, is_answerable)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_model_that_knows_gets_weight_and_refuses_what_has_no_answer(seed: int) -> None:
    found = fit(judged(knowing, seed=seed))
    assert found.model_is_of_use
    assert found.model > found.words > 0
    assert found.gain.low > 0
    assert found.both_auroc.value > 0.95
    assert found.answerable_refused.share <= 0.05
    assert found.unanswerable_refused.share > 0.6


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("verdict", [guessing, constant, contrary])
def test_a_model_that_does_not_know_has_no_weight_at_all(verdict: Verdict, seed: int) -> None:
    found = fit(judged(verdict, seed=seed))
    assert (found.intercept, found.words, found.model) == (0.0, 1.0, 0.0)
    assert not found.model_is_of_use


def test_a_model_that_says_what_the_words_say_has_no_weight() -> None:
    pairs = [
        Pair((one.with_source[0],) * 2, (one.without[0],) * 2) for one in judged(guessing, seed=1)
    ]
    assert fit(pairs).model == 0.0


def test_a_fit_is_the_same_in_every_run() -> None:
    assert fit(judged(knowing)) == fit(judged(knowing))


def test_the_area_under_the_curve_has_its_known_values() -> None:
    parted = [Pair((number, 0.0), (number - 100.0, 0.0)) for number in range(40)]
    assert fit(parted).words_auroc.value == 1.0
    tied = [Pair((0.0, 0.0), (0.0, 0.0))] * 40
    assert fit(tied).words_auroc.value == 0.5
    # One of two questions with an answer scores above both without, the other between them.
    mixed = [Pair((4.0, 0.0), (1.0, 0.0)), Pair((2.0, 0.0), (3.0, 0.0))] * 20
    assert fit(mixed).words_auroc.value == 0.75


def test_a_further_question_with_an_answer_is_refused_as_seldom_as_the_target_says() -> None:
    """Over many corpora the share is at most the target, and not far below it."""
    shares = []
    for seed in range(40):
        rule = rule_of(fit(judged(half_knowing, seed=seed)))
        new = judged(half_knowing, seed=1_000 + seed, questions=400)
        shares.append(np.mean([rule.refuses(*one.with_source) for one in new]))
    assert 0.03 < np.mean(shares) < 0.06


def test_what_is_likelier_to_have_an_answer_than_not_is_never_refused() -> None:
    apart = [Pair((0.0, 5.0 + number / 9), (0.0, -5.0 - number / 9)) for number in range(40)]
    found = fit(apart)
    assert found.bound == 0.0
    assert (found.answerable_refused.share, found.unanswerable_refused.share) == (0.0, 1.0)


def test_too_few_questions_say_so() -> None:
    with pytest.raises(KnowledgeError, match="only 39 questions"):
        fit(judged(knowing, questions=39))


def rule_of(weights: Weights) -> VerdictRule:
    return VerdictCalibration("m", "p", "c", 100, 0, weights).rule()


@pytest.mark.parametrize(
    ("probability", "odds"), [(0.5, 0.0), (0.9, 2.1972), (0.0, -10.0), (1.0, 10.0), (1e-9, -10.0)]
)
def test_log_odds_are_bounded(probability: float, odds: float) -> None:
    assert log_odds(probability) == pytest.approx(odds, abs=1e-4)


SOURCE = "A prefix cache keeps key and value tensors of prompt tokens."


def hit(text: str, *, document: str = "a", page: int = 1, start: int = 0) -> Hit:
    passage = Passage(
        id=f"{document}{page}{start}",
        document=document,
        title=document,
        page=page,
        start=start,
        end=start + len(text),
        text=text,
    )
    return Hit(passage=passage, dense=0.5, lexical=1.0, fused=0.5)


@pytest.mark.parametrize(
    ("other", "stays"),
    [
        (hit(SOURCE), False),
        (hit("It is emptied at night, as others are.", start=len(SOURCE) + 1), False),
        (hit("The prefix cache keeps value tensors of tokens.", document="b"), False),
        (hit("접두사 캐시는 밤에 비운다.", start=20), False),
        (hit("It is emptied at night, as others are.", start=400), True),
        (hit("It is emptied at night, as others are.", page=2), True),
        (hit("접두사 캐시는 밤에 비운다.", document="나"), True),
    ],
)
def test_source_neighbours_and_copies_are_taken_out_and_nothing_else(
    other: Hit, stays: bool
) -> None:
    assert without_source([other], hit(SOURCE).passage) == ((other,) if stays else ())


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    calibration = VerdictCalibration("m", "p", "c", 100, 3, fit(judged(knowing)))
    path = tmp_path / "verdict.json"
    calibration.write(path)
    assert VerdictCalibration.read(path) == calibration
    replace(calibration, version=0).write(path)
    assert VerdictCalibration.read(path) is None
    path.write_text('{"model": "m"}', "utf-8")
    assert VerdictCalibration.read(path) is None


@pytest.mark.parametrize(("verdict", "is_used"), [(knowing, True), (guessing, False)])
async def test_a_retriever_that_is_open_gives_the_rule_once_it_is_found(
    verdict: Verdict, is_used: bool, folder: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        before = await retriever.search("espresso", limit=1)
        with open_generation(address) as store:
            found = VerdictCalibration("m", "h", "c", 3, 3, fit(judged(verdict)))
            found.keep(store)
        after = await retriever.search("espresso", limit=1)
    assert before.verdict is None
    assert after.verdict == (found.rule() if is_used else None)
    assert after.degraded == before.degraded
