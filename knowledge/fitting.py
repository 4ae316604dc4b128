"""What tells a corpus's questions from foreign ones, and how well (docs/decisions/013)."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from knowledge import logistic
from knowledge.asking import Asked
from knowledge.domain import FALSE_REFUSAL_TARGET, GROUPS, Expected, Kind, Rate, Rule
from knowledge.lexical import Script

MIN_QUESTIONS = 20
"""Full ones of the corpus, and foreign ones: fewer are too few to fit on."""

Z_95 = 1.959963984540054
"""Between minus this and this lie 95% of a normal distribution."""

PARTS = 5
"""Of the questions: each is judged by a rule found with the others."""


def find_rule(
    own: Sequence[Asked],
    foreign: Sequence[Asked],
    names: tuple[str, ...],
    target: float = FALSE_REFUSAL_TARGET,
) -> Rule:
    """A logistic regression that tells the corpus's full questions from foreign ones, and the bound
    of each group of questions. `target` is the share of own questions that may be refused."""
    full = [asked for asked in own if asked.group.kind == "full"]
    labels = np.arange(len(full) + len(foreign)) < len(full)
    weights, intercept = logistic.fit(_values([*full, *foreign], names), labels)
    rule = Rule(features=names, weights=tuple(map(float, weights)), intercept=intercept, bounds={})
    return replace(rule, bounds=_bounds(rule, own, target))


def _values(asked: Sequence[Asked], names: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([[float(getattr(one.features, name)) for name in names] for one in asked])


def _bounds(rule: Rule, own: Sequence[Asked], target: float) -> dict[str, float]:
    """The score that the next question of a group falls below with the probability `target` (split
    conformal prediction), and never above that of full questions, in its script or in all: of a few
    passages in one script questions are made that are too easy.

    A group with too few scores for that borrows the others from questions like it: full ones in its
    script, else those of its kind in any script, else all full ones.
    """
    enough = round(1 / target)  # scores in which the target is one question
    scored = [(asked.group, rule.score(asked.features)) for asked in own]

    def scores(kind: Kind | None, of: Script | None) -> list[float]:
        return [
            score
            for group, score in scored
            if kind in (None, group.kind) and of in (None, group.script)
        ]

    def bound(kind: Kind, of: Script) -> float:
        found = scores(kind, of)
        alike = (scores("full", of), scores(kind, None))
        others = next((each for each in alike if len(each) >= enough), scores("full", None))
        lacking = max(0, enough - len(found))
        borrowed = np.quantile(others, (np.arange(lacking) + 0.5) / max(1, lacking))
        return float(np.quantile([*found, *borrowed], target, method="weibull"))

    full = float(np.quantile(scores("full", None), target, method="weibull"))
    return {
        str(group): min(bound(group.kind, group.script), bound("full", group.script), full)
        for group in GROUPS
    }


def without_own(
    own: Sequence[Asked], foreign: Sequence[Asked], names: tuple[str, ...]
) -> list[Asked]:
    """Foreign questions, less those that score as the corpus's own do: a bank cannot know the
    corpus."""
    rule = find_rule(own, foreign, names)
    usual = np.median([rule.score(asked.features) for asked in own if asked.group.kind == "full"])
    return [asked for asked in foreign if rule.score(asked.features) < usual]


def expected(
    own: Sequence[Asked],
    foreign: Sequence[Asked],
    names: tuple[str, ...],
    target: float = FALSE_REFUSAL_TARGET,
) -> Expected:
    """What such a rule refuses: each part of the questions is judged by a rule found with the
    others, and the questions made of one passage are in the same part."""
    judged_own: list[tuple[Asked, bool]] = []
    judged_foreign: list[tuple[Asked, bool]] = []
    own_parts = _parts(own, [asked.source for asked in own])
    foreign_parts = _parts(foreign, range(len(foreign)))
    for (own_part, other_own), (foreign_part, other_foreign) in zip(
        own_parts, foreign_parts, strict=True
    ):
        rule = find_rule(other_own, other_foreign, names, target)
        judged_own += [(asked, rule.refuses(asked.features)) for asked in own_part]
        judged_foreign += [(asked, rule.refuses(asked.features)) for asked in foreign_part]
    return Expected(
        own=rate([refused for _, refused in judged_own]),
        own_by_kind=_rates((asked.group.kind, refused) for asked, refused in judged_own),
        own_by_script=_rates((asked.group.script, refused) for asked, refused in judged_own),
        foreign=_rates((asked.language or "", refused) for asked, refused in judged_foreign),
    )


def _parts(
    asked: Sequence[Asked], groups: Iterable[Hashable]
) -> Iterator[tuple[list[Asked], list[Asked]]]:
    """`PARTS` times some questions and the others; those of one group stay together."""
    order: dict[Hashable, int] = {}
    places = [order.setdefault(group, len(order)) % PARTS for group in groups]
    for part in range(PARTS):
        yield (
            [one for one, at in zip(asked, places, strict=True) if at == part],
            [one for one, at in zip(asked, places, strict=True) if at != part],
        )


Key = TypeVar("Key", bound=Hashable)


def _rates(judged: Iterable[tuple[Key, bool]]) -> dict[Key, Rate]:
    by_key: dict[Key, list[bool]] = {}
    for key, refused in judged:
        by_key.setdefault(key, []).append(refused)
    return {key: rate(refused) for key, refused in by_key.items()}


def rate(refused: Sequence[bool]) -> Rate:
    """The share of True, with Wilson's interval. Raises `ZeroDivisionError` for nothing."""
    n, share = len(refused), sum(refused) / len(refused)
    middle = (share + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 * sqrt(share * (1 - share) / n + (Z_95 / (2 * n)) ** 2) / (1 + Z_95**2 / n)
    return Rate(share, max(0.0, middle - half), min(1.0, middle + half), n)
