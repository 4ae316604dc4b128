"""Whether a question is about the corpus: the rule that a calibration found (decision 013)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Self, get_args

from graph.evidence import DomainSignal
from knowledge.foreign_nearness import ForeignNearness
from knowledge.kept_json import read_json, write_json
from knowledge.lexical import Script
from knowledge.search import Features
from knowledge.store import Store

FALSE_REFUSAL_TARGET = 0.02

VERSION = 3
"""Of what the features mean; a file of another version is as none."""

RECALIBRATED_SHARE = 0.1
"""Of the passages: so many may be added and dropped until the bounds are found anew."""

MIN_PASSAGES = 20
"""Fewer are too few to calibrate on."""

CAUTIOUS_COVERED = 0.15
"""Without a calibration only a question is refused of whose content the best passage by words holds
less; and none whose best passage is in another script, where words say nothing. Set by hand
(docs/decisions/013)."""

SHORT_TERMS = 3

Kind = Literal["full", "short", "cross"]
"""Questions of up to `SHORT_TERMS` terms say too little to score high, and those whose best passage
is in another script share no words with it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Questions with a bound of their own. Scores of one script's questions are not those of
    another's: cosines differ from language to language, and so does what a term is."""

    kind: Kind
    script: Script

    def __str__(self) -> str:
        return f"{self.kind} {self.script}"


GROUPS = tuple(Group(kind, of) for kind in get_args(Kind) for of in get_args(Script))


def group_of(features: Features) -> Group:
    kind: Kind = "full"
    if features.crosses:
        kind = "cross"
    elif features.terms <= SHORT_TERMS:
        kind = "short"
    return Group(kind, features.script)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n`, and its 95% interval (Wilson's)."""

    share: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A linear score over features of retrieval, and the score below which a question is foreign,
    for each group by its name."""

    features: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    bounds: Mapping[str, float]

    def is_usable(self) -> bool:
        known = {field.name for field in fields(Features)} - {"script"}
        numbers = (*self.weights, self.intercept, *self.bounds.values())
        return (
            known.issuperset(self.features)
            and len(self.weights) == len(self.features)
            and self.bounds.keys() == set(map(str, GROUPS))
            and all(map(isfinite, numbers))
        )

    def score(self, features: Features) -> float:
        values = (float(getattr(features, name)) for name in self.features)
        return self.intercept + sum(w * v for w, v in zip(self.weights, values, strict=True))

    def bound(self, features: Features) -> float:
        return self.bounds[str(group_of(features))]

    def refuses(self, features: Features) -> bool:
        return self.score(features) < self.bound(features)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a rule refuses of questions that it was not found with, nor with others of their
    passage: of the corpus's own in all, by kind, and by the script that they are in; of foreign
    ones by language."""

    own: Rate
    own_by_kind: Mapping[Kind, Rate]
    own_by_script: Mapping[Script, Rate]
    foreign: Mapping[str, Rate]


@dataclass(frozen=True, slots=True)
class Calibration:
    """`corpus` and `passages` tell of which passages, `changes` how many had been added and dropped
    until then. The rules and what to expect of them are None where `method` is 'cautious'."""

    method: Literal["calibrated", "cautious"]
    corpus: str
    passages: int
    changes: int
    version: int = VERSION
    own_questions: int = 0
    foreign_questions: int = 0
    foreign_left_out: int = 0
    false_refusal_target: float = FALSE_REFUSAL_TARGET
    with_vectors: Rule | None = None
    by_words: Rule | None = None
    expected: Expected | None = None
    expected_by_words: Expected | None = None

    def signal(self, features: Features) -> DomainSignal:
        rule = self.with_vectors if features.foreign_lead is not None else self.by_words
        if rule:
            score, bound = rule.score(features), rule.bound(features)
        else:
            score, bound = 1.0 if features.crosses else features.content_covered, CAUTIOUS_COVERED
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
        write_json(path, self)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` left; None where there is nothing, or what cannot be used."""
        found = read_json(path, cls)
        return found if found and found.is_usable() else None

    def is_usable(self) -> bool:
        """Of this version; with both rules, each whole and finite, and what to expect of them where
        it is calibrated, else without."""
        found = (self.with_vectors, self.by_words, self.expected, self.expected_by_words)
        whole = all((part is not None) == (self.method == "calibrated") for part in found)
        rules = (rule for rule in (self.with_vectors, self.by_words) if rule)
        return self.version == VERSION and whole and all(rule.is_usable() for rule in rules)


def current_calibration(store: Store) -> Calibration | None:
    """The last one, unless more than `RECALIBRATED_SHARE` of the passages have changed since: a
    bound says nothing about other passages. Where there are too few to calibrate on, it costs
    nothing to make anew."""
    last = Calibration.read(store.calibration_path)
    if last is None:
        return None
    if last.with_vectors is not None and ForeignNearness.read(store.foreign_path) is None:
        return None  # the rule compares with these vectors
    if last.passages < MIN_PASSAGES:
        return last if last.corpus == store.catalog.corpus_version() else None
    borne = RECALIBRATED_SHARE * last.passages
    return last if store.catalog.changes() - last.changes <= borne else None


def cautious(store: Store) -> Calibration:
    """The rule for a corpus that is too small to calibrate, or not calibrated yet."""
    catalog = store.catalog
    return Calibration(
        "cautious", catalog.corpus_version(), catalog.passage_count(), catalog.changes()
    )
