"""How much the serving model's own verdict counts in this corpus (docs/decisions/020)."""

from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Self

from graph.evidence import VerdictRule
from knowledge.domain import RECALIBRATED_SHARE, Rate
from knowledge.kept_json import read_json, write_json
from knowledge.store import Store

WRONG_REFUSAL_TARGET = 0.05

VERSION = 1
"""Of what is stored, and how it was found; a file of another version is as none."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What judgements of `questions`, each with an answer among its passages and without one, say.

    The areas under the ROC curve are of the score by words alone, of the score by words and model
    that was not fitted on the question, and their difference. `model` is 0 where that difference
    may be none: then the score is that by words, and nothing is refused by it. The rates are of
    held-out questions that score below the bound.
    """

    questions: int
    words_auroc: Estimate
    both_auroc: Estimate
    gain: Estimate
    intercept: float
    words: float
    model: float
    bound: float
    answerable_refused: Rate
    unanswerable_refused: Rate

    @property
    def model_is_of_use(self) -> bool:
        return self.model > 0


@dataclass(frozen=True, slots=True)
class VerdictCalibration:
    """What came of asking `model`, a name at the server, in the way that `method` is a hash of.
    `corpus`, `passages` and `changes` are as in `knowledge.domain.Calibration`."""

    model: str
    method: str
    corpus: str
    passages: int
    changes: int
    weights: Weights
    wrong_refusal_target: float = WRONG_REFUSAL_TARGET
    version: int = VERSION

    def rule(self) -> VerdictRule:
        return VerdictRule(
            model=self.model,
            method=self.method,
            intercept=self.weights.intercept,
            words_weight=self.weights.words,
            model_weight=self.weights.model,
            bound=self.weights.bound,
        )

    def is_current(self, store: Store) -> bool:
        """Whether most passages are those it was made for, as for the gate's bound."""
        changed = store.catalog.changes() - self.changes
        return changed <= RECALIBRATED_SHARE * self.passages

    def keep(self, store: Store) -> None:
        """In place of the last one; retrievers that are open use it from their next search on."""
        self.write(store.verdict_path)
        store.catalog.announce()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def write(self, path: Path) -> None:
        write_json(path, self)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` left; None where there is nothing, or what cannot be used."""
        found = read_json(path, cls)
        if found is None:
            return None
        of = found.weights
        is_finite = all(map(isfinite, (of.intercept, of.words, of.model, of.bound)))
        return found if found.version == VERSION and is_finite else None


OUTDATED = (
    "the model's verdict was calibrated for other passages and is not asked for; "
    "run: knowledge-agent calibrate --model"
)


def rule_in_use(store: Store) -> tuple[VerdictRule | None, str]:
    """The rule by which the model's verdict counts, or none and why there is one no more. Neither
    where the model was never asked, or is of no use."""
    found = VerdictCalibration.read(store.verdict_path)
    if found is None or not found.weights.model_is_of_use:
        return None, ""
    return (found.rule(), "") if found.is_current(store) else (None, OUTDATED)
