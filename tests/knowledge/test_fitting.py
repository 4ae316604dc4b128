"""Bounds and the rates to expect of them, on scores with a known distribution."""

from collections.abc import Sequence

import numpy as np
import pytest

from knowledge.asking import Asked
from knowledge.domain import FALSE_REFUSAL_TARGET, GROUPS, Kind
from knowledge.fitting import expected, find_rule, without_own
from knowledge.lexical import Script
from knowledge.search import Features

NAMES = ("dense_top",)
TERMS: dict[Kind, int] = {"full": 9, "short": 2, "cross": 9}


def asked(
    value: float, kind: Kind = "full", script: Script = "latin", source: str | None = None
) -> Asked:
    features = Features(value, value, 0.0, 0.0, 0.0, 0.0, 0.0, TERMS[kind], script, kind == "cross")
    return Asked(
        features, np.zeros(2, np.float32), source=source, language=None if source else "en"
    )


def own(
    n: int, mean: float, kind: Kind = "full", script: Script = "latin", seed: int = 0
) -> list[Asked]:
    values = np.random.default_rng(seed).normal(mean, 0.1, n)
    return [asked(value, kind, script, f"{script}{at // 2}") for at, value in enumerate(values)]


def foreign(n: int = 300) -> list[Asked]:
    return [asked(value) for value in np.random.default_rng(9).normal(0.0, 0.1, n)]


def refused(
    found: Sequence[Asked], among: Sequence[Asked], target: float = FALSE_REFUSAL_TARGET
) -> float:
    rule = find_rule(among, foreign(), NAMES, target)
    return float(np.mean([rule.refuses(one.features) for one in found]))


@pytest.mark.parametrize("target", [0.01, FALSE_REFUSAL_TARGET, 0.1])
def test_a_bound_refuses_the_target_of_new_questions(target: float) -> None:
    found = own(4_000, 1.0, seed=99)
    shares = [refused(found, own(300, 1.0, seed=seed), target) for seed in range(20)]
    assert np.mean(shares) == pytest.approx(target, rel=0.25)


@pytest.mark.parametrize("script", ["latin", "hangul"])
@pytest.mark.parametrize("kind", ["full", "short", "cross"])
def test_each_group_has_the_bound_of_its_own_questions(kind: Kind, script: Script) -> None:
    means: dict[tuple[Kind, Script], float] = {
        ("full", "latin"): 1.0,
        ("full", "hangul"): 1.0,
        ("short", "latin"): 0.8,
        ("short", "hangul"): 0.6,
        ("cross", "latin"): 0.5,
        ("cross", "hangul"): 0.4,
    }
    groups = [one for of, mean in means.items() for one in own(200, mean, *of)]
    here = [one for one in groups if (one.group.kind, one.group.script) == (kind, script)]
    assert 0.0 < refused(here, groups) <= 2 * FALSE_REFUSAL_TARGET


def test_a_small_group_borrows_from_full_questions_and_keeps_its_own() -> None:
    many = own(300, 1.0)
    alone = find_rule(many, foreign(), NAMES)
    with_few = find_rule([*many, *own(6, 0.5, "short")], foreign(), NAMES)
    assert alone.bounds["short latin"] == pytest.approx(alone.bounds["full latin"], abs=0.5)
    assert with_few.bounds["short latin"] < with_few.bounds["full latin"] - 1.0
    assert with_few.bounds["full latin"] == pytest.approx(alone.bounds["full latin"])


def test_korean_questions_are_not_held_to_the_bound_of_english_ones_about_korean_passages() -> None:
    """Of Korean passages no Korean question across scripts can be made."""
    korean = own(300, 1.0, script="hangul")
    rule = find_rule([*korean, *own(80, 0.4, "cross", "latin")], foreign(), NAMES)
    across, whole = rule.bounds["cross hangul"], rule.bounds["full hangul"]
    assert across == pytest.approx(whole, abs=0.3)
    assert rule.bounds["cross latin"] < whole - 1.0


def test_no_group_is_held_to_a_higher_bound_than_full_questions() -> None:
    rule = find_rule([*own(200, 1.0), *own(200, 2.0, "short", seed=3)], foreign(), NAMES)
    assert max(rule.bounds.values()) == rule.bounds["full latin"]
    assert rule.bounds.keys() == set(map(str, GROUPS))


def test_a_passage_is_judged_by_a_bound_that_was_found_without_it() -> None:
    """30 passages of four questions that score alike. By the bound of all none is refused; found
    without the lowest passage, the bound refuses its four."""
    found = [asked(1 + at / 100, source=f"{at}") for at in range(30) for _ in range(4)]
    assert refused(found, found) == 0.0
    assert expected(found, foreign(), NAMES).own.share == 4 / 120


def test_the_rates_count_each_question_once() -> None:
    found = [*own(100, 1.0), *own(60, 0.8, "short"), *own(40, 0.9, script="hangul")]
    rates = expected(found, foreign(), NAMES)
    assert rates.own.n == 200
    assert {kind: rate.n for kind, rate in rates.own_by_kind.items()} == {"full": 140, "short": 60}
    assert {of: rate.n for of, rate in rates.own_by_script.items()} == {"latin": 160, "hangul": 40}
    assert {language: rate.n for language, rate in rates.foreign.items()} == {"en": 300}
    assert rates.foreign["en"].low > 0.95


def test_foreign_questions_that_score_as_own_ones_are_left_out() -> None:
    inside = [asked(1.2) for _ in range(5)]
    kept = without_own(own(100, 1.0), [*foreign(50), *inside], NAMES)
    assert kept == foreign(50)
