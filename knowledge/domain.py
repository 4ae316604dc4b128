"""Whether a question is about the corpus: the rule that a calibration found (decision 013)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import TypeAdapter, ValidationError

from graph.evidence import DomainSignal
from knowledge.lexical import script
from knowledge.search import Features
from knowledge.store import Store

FALSE_REFUSAL_TARGET = 0.02

VERSION = 1
"""Of what the features mean; a file of another version is as none."""

RECALIBRATED_SHARE = 0.1
"""Of the passages: so many may be added and dropped until the bounds are found anew."""

CAUTIOUS_COVERAGE = 0.15
"""Without a calibration only a question is refused whose words, weighted by rarity, the passages
lack to more than 85%; and none in a script that the corpus does not have. Set by hand."""

SHORT_TERMS = 3

Group = Literal["full", "short", "cross"]
"""Kinds of questions with a bound of their own: those of up to `SHORT_TERMS` terms say too little
to score high, and those whose best passage is in another script share no words with it."""


def group_of(features: Features) -> Group:
    if features.crosses:
        return "cross"
    return "short" if features.terms <= SHORT_TERMS else "full"


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n`, and its 95% interval (Wilson's)."""

    share: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A linear score over features of retrieval, and for each group of questions the score below
    which one is foreign. The rates are of questions that the rule was not fitted on: of the
    corpus's own that are refused, and of foreign ones by language."""

    features: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    bounds: Mapping[Group, float]
    own_refused: Rate
    foreign_refused: Mapping[str, Rate]

    def is_usable(self) -> bool:
        known = {field.name for field in fields(Features)}
        numbers = (*self.weights, self.intercept, *self.bounds.values())
        return (
            known.issuperset(self.features)
            and len(self.weights) == len(self.features)
            and self.bounds.keys() == set(get_args(Group))
            and all(map(isfinite, numbers))
        )

    def score(self, features: Features) -> float:
        values = (float(getattr(features, name)) for name in self.features)
        return self.intercept + sum(w * v for w, v in zip(self.weights, values, strict=True))


@dataclass(frozen=True, slots=True)
class Calibration:
    """`corpus` and `passages` tell of which passages, `changes` how many had been added and dropped
    until then. The rules are None where `method` is 'cautious'."""

    method: Literal["calibrated", "cautious"]
    corpus: str
    passages: int
    changes: int
    scripts: tuple[str, ...]
    version: int = VERSION
    own_questions: int = 0
    foreign_questions: int = 0
    foreign_left_out: int = 0
    false_refusal_target: float = FALSE_REFUSAL_TARGET
    with_vectors: Rule | None = None
    by_words: Rule | None = None

    def signal(self, question: str, features: Features) -> DomainSignal:
        rule = self.with_vectors if features.dense_top is not None else self.by_words
        if rule:
            score, bound = rule.score(features), rule.bounds[group_of(features)]
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

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def write(self, path: Path) -> None:
        """Replace the file at once, so that a reader never sees a half."""
        draft = path.with_suffix(".tmp")
        draft.write_text(json.dumps(self.as_json(), indent=2, ensure_ascii=False), "utf-8")
        draft.replace(path)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` left; None where there is nothing, or what cannot be used."""
        try:
            found = TypeAdapter(cls).validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        return found if found.is_usable() else None

    def is_usable(self) -> bool:
        """Of this version, and with both rules where it is calibrated, each whole and finite."""
        rules = [rule for rule in (self.with_vectors, self.by_words) if rule]
        whole = len(rules) == (2 if self.method == "calibrated" else 0)
        return self.version == VERSION and whole and all(rule.is_usable() for rule in rules)


def current_calibration(store: Store) -> Calibration | None:
    """The last one, unless more than `RECALIBRATED_SHARE` of the passages have changed since: a
    bound says nothing about other passages. The cautious rule costs nothing to renew."""
    last = Calibration.read(store.calibration_path)
    if last is None:
        return None
    borne = RECALIBRATED_SHARE * last.passages if last.method == "calibrated" else 0
    return last if store.catalog.changes() - last.changes <= borne else None


def cautious(store: Store) -> Calibration:
    """The rule for a corpus that is too small to calibrate, or not calibrated yet."""
    catalog = store.catalog
    return Calibration(
        "cautious",
        catalog.corpus_version(),
        catalog.passage_count(),
        catalog.changes(),
        catalog.scripts(),
    )
