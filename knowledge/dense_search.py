"""What the vectors of questions find, and how near they are to given passages."""

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, get_args

import numpy as np

from knowledge.embed import Vectors
from knowledge.index import VectorIndex
from knowledge.lexical import Script

SAMPLE = 2_000
"""Vectors of a script that are kept in memory. They give its mean; where they are all that it has,
they are searched as they lie there, exactly and sooner than Chroma would answer."""

SCRIPT_PRIOR = 3


class Nearness(NamedTuple):
    """`cosine` of a passage and the question, and its `lead` over the other passages of its
    script."""

    cosine: float
    lead: float


class DenseSearch:
    """Searches vectors that do not change meanwhile.

    Sentence encoders place texts of one language close together, whatever they say: a Korean
    question is nearer to any Korean passage than to the English one that answers it. So the cosine
    of a passage counts from the mean cosine of its script's passages. A script of few passages
    borrows from the whole index.
    """

    def __init__(self, vectors: VectorIndex) -> None:
        self._vectors = vectors
        self._samples: dict[Script, dict[str, Vectors]] = {}
        self._sums: dict[Script, tuple[Vectors, int]] = {}
        self._whole: dict[Script, Vectors] = {}
        for of in get_args(Script):
            if sample := vectors.sample(of, SAMPLE):
                matrix = np.stack([*sample.values()])
                self._samples[of] = dict(zip(sample, matrix, strict=True))
                self._sums[of] = (matrix.sum(axis=0), len(sample))
                if len(sample) < SAMPLE:
                    self._whole[of] = matrix

    def nearest(
        self, questions: Vectors, limit: int, within: Collection[str] | None = None
    ) -> list[dict[str, Nearness]]:
        """For each of `questions`, shape (n, dimension): about the best `limit` passages by lead,
        of the documents `within` or of all."""
        lines = [self._lines(question) for question in questions]
        scored: list[list[tuple[float, float, str]]] = [[] for _ in questions]
        for of in self._sums:
            near = self._query(questions, of, limit, within)
            for found, line, cosines in zip(scored, lines, near, strict=True):
                slope, mean = line[of]
                found += [(slope * cosine - mean, cosine, key) for key, cosine in cosines]
        for found in scored:
            found.sort(key=itemgetter(0), reverse=True)
        return [
            {key: Nearness(cosine, lead) for lead, cosine, key in found[:limit]} for found in scored
        ]

    def _query(
        self, questions: Vectors, of: Script, limit: int, within: Collection[str] | None
    ) -> list[list[tuple[str, float]]]:
        if within is not None or of not in self._whole:
            return self._vectors.query(questions, of, limit, within)
        keys = [*self._samples[of]]
        # One question at a time: many in one product differ in their last bits from one alone.
        all_cosines = [self._whole[of] @ question for question in questions]
        return [
            [(keys[at], float(cosines[at])) for at in np.argsort(-cosines, kind="stable")[:limit]]
            for cosines in all_cosines
        ]

    def score(
        self, questions: Vectors, ids: Sequence[Mapping[Script, Sequence[str]]]
    ) -> list[dict[str, Nearness]]:
        """For each of `questions`, of those `ids` beside it that have a vector."""
        lines = [self._lines(question) for question in questions]
        all_found: list[dict[str, Nearness]] = [{} for _ in questions]
        for of, sample in self._samples.items():
            wanted = {key for asked in ids for key in asked.get(of, ())}
            vectors = self._vectors.vectors(of, sorted(wanted - sample.keys()))
            vectors |= {key: sample[key] for key in wanted & sample.keys()}
            for found, question, line, asked in zip(all_found, questions, lines, ids, strict=True):
                keys = [key for key in asked.get(of, ()) if key in vectors]
                if keys:
                    slope, mean = line[of]
                    cosines = (np.stack([vectors[key] for key in keys]) @ question).tolist()
                    found |= {
                        key: Nearness(cosine, slope * cosine - mean)
                        for key, cosine in zip(keys, cosines, strict=True)
                    }
        return all_found

    def _lines(self, question: Vectors) -> dict[Script, tuple[float, float]]:
        """Slope and mean for each script: a passage's lead is slope * cosine - mean."""
        sums = {of: (float(total @ question), n) for of, (total, n) in self._sums.items()}
        everything = sum(total for total, _ in sums.values())
        others = max(1, sum(n for _, n in sums.values()) - 1)
        lines: dict[Script, tuple[float, float]] = {}
        for of, (total, n) in sums.items():
            # The mean cosine, of the script and a little of all, is that of the others: the
            # passage's own is taken out, which leaves a line.
            weight = n - 1 + SCRIPT_PRIOR
            slope = 1 + (1 + SCRIPT_PRIOR / others) / weight
            lines[of] = (slope, (total + SCRIPT_PRIOR * everything / others) / weight)
        return lines
