"""Fit the weights of `nodes.answerability` to pairs that this project wrote, and print them.

    python -m evals.fit_answerability

A logistic model in which every part may only speak for an answer, never against. Besides the
written questions, each answerable one is asked again of its passage without the sentences that
hold the answer. No public set is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import minimize

import nodes.answerability
from evals.metrics import ranked_below
from graph.evidence import Passage
from nodes.answerability.measure import PART_NAMES, measure
from nodes.text.sentences import split_sentences
from nodes.text.terms import content_terms

DATA = Path(nodes.answerability.__file__).parent / "data"
OTHERS = 3
"""Passages beside that of the question: those that share most words with it."""

RIDGE = 1.0
FOLDS = 7

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """`kind` is 'answerable', 'removed', or what is wrong with the question."""

    language: str
    group: int
    kind: str
    question: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    parts: dict[str, float]
    intercept: float

    def score(self, values: Matrix) -> Matrix:
        """Log odds of each row."""
        found: Matrix = values @ np.array([self.parts[name] for name in PART_NAMES])
        return found + self.intercept


def read_pairs(language: str) -> list[Pair]:
    entries = yaml.safe_load((DATA / f"pairs_{language}.yaml").read_text("utf-8"))
    own = [_passage(entry["title"], " ".join(entry["text"].split())) for entry in entries]
    pairs = []
    for group, entry in enumerate(entries):
        asked = [(question, "answerable") for question in entry["answerable"]]
        for question, kind in (*asked, *entry["unanswerable"].items()):
            others = _nearest(question, own[:group] + own[group + 1 :])
            pairs.append(Pair(language, group, kind, question, (own[group], *others)))
            if kind == "answerable":
                rest = _without(own[group], entry["answerable"][question])
                pairs.append(Pair(language, group, "removed", question, (rest, *others)))
    return pairs


def _passage(title: str, text: str) -> Passage:
    return Passage(id=title, document=title, title=title, page=1, start=0, end=len(text), text=text)


def _without(passage: Passage, answer: str) -> Passage:
    kept = [sentence for sentence in split_sentences(passage.text) if answer not in sentence]
    return _passage(passage.title, " ".join(kept))


def _nearest(question: str, passages: Sequence[Passage]) -> list[Passage]:
    stems = {term.stem for term in content_terms(question)}

    def shared(passage: Passage) -> int:
        return len(stems & {term.stem for term in content_terms(passage.text)})

    return sorted(passages, key=shared, reverse=True)[:OTHERS]


def values_of(pairs: Sequence[Pair]) -> Matrix:
    """Shape (pairs, parts)."""
    rows = []
    for pair in pairs:
        found = measure(pair.question, pair.passages)
        rows.append([getattr(found.parts, name) if found else 0.0 for name in PART_NAMES])
    return np.array(rows)


def fit(values: Matrix, answerable: NDArray[np.bool_]) -> Weights:
    """Both classes count the same, whatever their numbers; parts are scaled before the penalty."""
    truth = answerable.astype(np.float64)
    share = truth.mean()
    counts = np.where(answerable, (1 - share) / share, 1.0)
    scale = values.std(axis=0) + 1e-9
    scaled = (values - values.mean(axis=0)) / scale

    def loss(beta: Matrix) -> tuple[float, Matrix]:
        chance = 1 / (1 + np.exp(-(scaled @ beta[:-1] + beta[-1])))
        missed = np.where(answerable, chance, 1 - chance)
        penalty = RIDGE / 2 * float((beta[:-1] ** 2).sum())
        residual = counts * (chance - truth)
        slope = np.append(scaled.T @ residual + RIDGE * beta[:-1], residual.sum())
        return penalty - float((counts * np.log(missed + 1e-12)).sum()), slope

    bounds = [(0.0, None)] * values.shape[1] + [(None, None)]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    parts = found[:-1] / scale
    intercept = found[-1] - float(parts @ values.mean(axis=0))
    return Weights(dict(zip(PART_NAMES, parts.tolist(), strict=True)), float(intercept))


def held_out(values: Matrix, answerable: NDArray[np.bool_], groups: Sequence[int]) -> Matrix:
    """Log odds of each pair by weights that were fitted without its passage and its neighbours."""
    fold = np.array(groups) % FOLDS
    scores = np.zeros(len(answerable))
    for number in range(FOLDS):
        out = fold == number
        scores[out] = fit(values[~out], answerable[~out]).score(values[out])
    return scores


def auroc(scores: Matrix, answerable: NDArray[np.bool_]) -> float:
    return float(ranked_below(scores[~answerable], scores[answerable]))


def _report(pairs: Sequence[Pair], scores: Matrix) -> Iterator[str]:
    kinds = np.array([pair.kind for pair in pairs])
    answerable = kinds == "answerable"
    for language in ("en", "ko"):
        there = np.array([pair.language == language for pair in pairs])
        for kind in sorted(set(kinds) - {"answerable"}):
            mask = there & np.isin(kinds, ("answerable", kind))
            n = int((mask & (kinds == kind)).sum())
            yield f"{language} {kind:10} {auroc(scores[mask], answerable[mask]):.3f} (n={n})"
        yield f"{language} all        {auroc(scores[there], answerable[there]):.3f}"


def main() -> None:
    pairs = read_pairs("en") + read_pairs("ko")
    answerable = np.array([pair.kind == "answerable" for pair in pairs])
    values = values_of(pairs)
    scores = held_out(values, answerable, [pair.group for pair in pairs])
    print(
        "AUROC of held-out passages, answerable against each kind",
        *_report(pairs, scores),
        sep="\n",
    )
    weights = fit(values, answerable)
    print(f"INTERCEPT = {weights.intercept:.2f}")
    for name, weight in weights.parts.items():
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
