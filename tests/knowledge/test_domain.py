"""Which bound a question is held to, and what a short question is worth."""

from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.domain import (
    CAUTIOUS_COVERED,
    GROUPS,
    Calibration,
    Expected,
    Group,
    Kind,
    Rate,
    Rule,
    group_of,
)
from knowledge.lexical import PassageWords, Script, terms
from knowledge.search import Features, coverage

FEATURES = Features(
    dense_top=0.8,
    foreign_lead=0.1,
    coverage=0.6,
    best_covered=0.5,
    near_covered=0.4,
    content_covered=0.45,
    lexical_top=2.0,
    terms=6,
    script="latin",
    crosses=False,
)
RATE = Rate(0.02, 0.01, 0.04, 300)
RULE = Rule(
    features=("dense_top", "best_covered"),
    weights=(10.0, 2.0),
    intercept=-8.0,
    bounds={str(group): float(number) for number, group in enumerate(GROUPS)},
)
EXPECTED = Expected(RATE, {"full": RATE, "short": RATE}, {"latin": RATE}, {"en": RATE, "ko": RATE})
CALIBRATION = Calibration(
    method="calibrated",
    corpus="abc",
    passages=100,
    changes=100,
    with_vectors=RULE,
    by_words=replace(RULE, features=("best_covered",), weights=(2.0,), intercept=0.0),
    expected=EXPECTED,
    expected_by_words=EXPECTED,
)
CAUTIOUS = Calibration(method="cautious", corpus="abc", passages=3, changes=3)


@pytest.mark.parametrize(
    ("count", "crosses", "kind"),
    [(4, False, "full"), (3, False, "short"), (4, True, "cross"), (2, True, "cross")],
)
@pytest.mark.parametrize("script", ["latin", "hangul", "han", "other"])
def test_each_kind_of_question_has_a_bound_in_each_script(
    count: int, crosses: bool, kind: Kind, script: Script
) -> None:
    features = replace(FEATURES, terms=count, crosses=crosses, script=script)
    assert group_of(features) == Group(kind, script)
    assert CALIBRATION.signal(features).bound == GROUPS.index(Group(kind, script))


@pytest.mark.parametrize(
    ("covered", "crosses", "passes"),
    [
        (CAUTIOUS_COVERED, False, True),
        (CAUTIOUS_COVERED - 0.01, False, False),
        (0.0, True, True),
    ],
)
def test_the_cautious_rule_goes_by_words_and_never_across_scripts(
    covered: float, crosses: bool, passes: bool
) -> None:
    signal = CAUTIOUS.signal(replace(FEATURES, content_covered=covered, crosses=crosses))
    assert (signal.score >= signal.bound, signal.method) == (passes, "cautious")


def test_the_score_is_the_weighted_sum_of_the_features() -> None:
    signal = CALIBRATION.signal(FEATURES)
    assert signal.score == pytest.approx(-8.0 + 10.0 * 0.8 + 2.0 * 0.5)
    assert signal.method == "calibrated"


def test_without_a_vector_the_rule_of_words_decides() -> None:
    signal = CALIBRATION.signal(replace(FEATURES, dense_top=None, foreign_lead=None))
    assert signal.score == pytest.approx(2.0 * 0.5)


@pytest.mark.parametrize(
    "unusable",
    [
        replace(CALIBRATION, version=0),
        replace(CALIBRATION, by_words=None),
        replace(CALIBRATION, expected=None),
        replace(CALIBRATION, method="cautious"),
        replace(CALIBRATION, with_vectors=replace(RULE, features=("dense_top", "script"))),
        replace(CALIBRATION, with_vectors=replace(RULE, weights=(1.0,))),
        replace(CALIBRATION, with_vectors=replace(RULE, features=("dense_top", "luck"))),
        replace(CALIBRATION, with_vectors=replace(RULE, bounds={"full latin": 1.0})),
        replace(CALIBRATION, with_vectors=replace(RULE, intercept=float("inf"))),
    ],
)
def test_a_file_that_cannot_be_used_is_as_none(unusable: Calibration, tmp_path: Path) -> None:
    CALIBRATION.write(tmp_path / "whole.json")
    assert Calibration.read(tmp_path / "whole.json") == CALIBRATION
    unusable.write(tmp_path / "unusable.json")
    assert Calibration.read(tmp_path / "unusable.json") is None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"\0" * 100])
def test_a_damaged_file_is_as_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_bytes(content)
    assert Calibration.read(tmp_path / "damaged.json") is None


def passage(text: str, script: Script) -> PassageWords:
    words = f" {' '.join(terms(text))} "
    return PassageWords(script, words, " ", words)


@pytest.mark.parametrize(
    ("short", "long", "text", "script"),
    [
        ("green", "green tea steeps minutes", "Green tea steeps for two minutes.", "latin"),
        ("녹차", "녹차 우리는 시간 이분", "녹차를 우리는 시간은 이분이다.", "hangul"),
    ],
)
def test_one_common_word_is_covered_less_than_a_whole_question(
    short: str, long: str, text: str, script: Script
) -> None:
    held = [passage(text, script)]

    def covered(question: str, unknown: float) -> float:
        return coverage(dict.fromkeys(terms(question), 1.0), held, unknown)

    assert covered(short, 0.0) == 1.0
    assert covered(short, 4.0) == pytest.approx(1 / 5)
    assert covered(short, 4.0) < covered(long, 4.0) < covered(long, 0.0)
