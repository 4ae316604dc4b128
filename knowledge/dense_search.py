"""What the vector of a question finds, and how near it is to given passages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from knowledge.embed import Vectors
from knowledge.index import VectorIndex
from knowledge.lexical import Script

CENTROID_SAMPLE = 2_000
SCRIPT_PRIOR = 3


@dataclass(frozen=True, slots=True)
class Nearness:
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
        self._sums: dict[Script, tuple[Vectors, int]] = {}
        for of in get_args(Script):
            sample = vectors.sample(of, CENTROID_SAMPLE)
            if len(sample):
                self._sums[of] = (sample.sum(axis=0), len(sample))

    def nearest(
        self, question: Vectors, limit: int, within: Collection[str] | None = None
    ) -> dict[str, Nearness]:
        """About the best `limit` passages by lead, of the documents `within` or of all."""
        found: dict[str, Nearness] = {}
        for of in self._sums:
            found |= self._leads(question, of, self._vectors.query(question, of, limit, within))
        best = sorted(found, key=lambda key: -found[key].lead)[:limit]
        return {key: found[key] for key in best}

    def score(self, question: Vectors, ids: Mapping[Script, Sequence[str]]) -> dict[str, Nearness]:
        """Of those given passages that have a vector."""
        found: dict[str, Nearness] = {}
        for of in self._sums.keys() & ids.keys():
            vectors = self._vectors.vectors(of, ids[of])
            cosines = [(key, float(vector @ question)) for key, vector in vectors.items()]
            found |= self._leads(question, of, cosines)
        return found

    def _leads(
        self, question: Vectors, of: Script, cosines: Sequence[tuple[str, float]]
    ) -> dict[str, Nearness]:
        sums = {each: (float(total @ question), n) for each, (total, n) in self._sums.items()}
        everything = sum(total for total, _ in sums.values())
        passages = sum(n for _, n in sums.values())
        total, n = sums[of]
        found: dict[str, Nearness] = {}
        for key, cosine in cosines:
            others = (everything - cosine) / max(1, passages - 1)
            mean = (total - cosine + SCRIPT_PRIOR * others) / (n - 1 + SCRIPT_PRIOR)
            found[key] = Nearness(cosine, cosine - mean)
        return found
