"""How near a Korean question is to foreign ones, against how near it is to the corpus.

Sentence encoders place Korean texts so close together that their cosines hardly tell what they are
about; the same question's cosines with other Korean questions tell how much of that is the language
alone. For questions in other scripts this was of no use (docs/decisions/013).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from knowledge.embed import Vectors
from knowledge.lexical import Script

SCRIPT: Script = "hangul"
NEAREST = 5
SAME_COSINE = 0.9995
"""From here on two vectors are of one question: a question of the bank is not its own neighbour."""


@dataclass(frozen=True, slots=True)
class ForeignNearness:
    """`vectors`, shape (n, dimension), are of questions that are foreign to a corpus."""

    vectors: Vectors

    @classmethod
    def of(cls, asked: Iterable[tuple[Vectors, Script]]) -> Self:
        """Of foreign questions, by their vectors and scripts."""
        vectors = [vector for vector, script in asked if script == SCRIPT]
        return cls(np.stack(vectors) if vectors else np.empty((0, 0), np.float32))

    def lead(self, question: Vectors, script: Script, best: float) -> float:
        """How much nearer a question, shape (dimension,), is to its best passage, whose cosine is
        `best`, than to the nearest five foreign questions on average. 0 for one in another script,
        and where there are no such five."""
        if script != SCRIPT or len(self.vectors) <= NEAREST:
            return 0.0
        cosines = self.vectors @ question
        nearest = np.sort(cosines[cosines < SAME_COSINE])[-NEAREST:]
        return best - float(nearest.mean()) if len(nearest) == NEAREST else 0.0

    def write(self, path: Path) -> None:
        """Replaces the file at once, so that a reader never sees a half."""
        draft = path.with_suffix(".tmp")
        with draft.open("wb") as file:
            np.save(file, self.vectors)
        draft.replace(path)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` left; None where there is nothing, or what cannot be used."""
        try:
            vectors = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        return cls(vectors) if vectors.ndim == 2 else None
