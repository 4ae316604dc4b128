"""What a Korean question's nearness to foreign ones says."""

from pathlib import Path

import numpy as np
import pytest

from knowledge.embed import Vectors
from knowledge.foreign_nearness import NEAREST, ForeignNearness
from knowledge.lexical import Script


def at(*cosines: float) -> list[tuple[Vectors, Script]]:
    """Korean questions whose vectors have these cosines with (1, 0)."""
    return [(np.array([c, np.sqrt(1 - c * c)], np.float32), "hangul") for c in cosines]


QUESTION = np.array([1.0, 0.0], np.float32)
BANK = at(0.1, 0.2, 0.9, 0.8, 0.8, 0.7, 0.8)


def test_the_lead_counts_from_the_nearest_five() -> None:
    found = ForeignNearness.of(BANK).lead(QUESTION, "hangul", 0.85)
    assert found == pytest.approx(0.85 - (0.9 + 0.8 + 0.8 + 0.8 + 0.7) / 5, abs=1e-6)


def test_a_question_is_not_its_own_neighbour() -> None:
    with_itself = ForeignNearness.of([*BANK, (QUESTION, "hangul")])
    alone = ForeignNearness.of(BANK)
    assert with_itself.lead(QUESTION, "hangul", 0.85) == alone.lead(QUESTION, "hangul", 0.85)


@pytest.mark.parametrize("script", ["latin", "han", "other"])
def test_questions_in_other_scripts_have_no_lead_and_are_nobodys_neighbours(script: Script) -> None:
    bank = ForeignNearness.of([*BANK, (QUESTION * 0.99, script)])
    assert bank.lead(QUESTION, script, 0.85) == 0.0
    assert bank.lead(QUESTION, "hangul", 0.85) == ForeignNearness.of(BANK).lead(
        QUESTION, "hangul", 0.85
    )


@pytest.mark.parametrize("count", [0, NEAREST - 1])
def test_too_few_foreign_questions_say_nothing(count: int) -> None:
    assert ForeignNearness.of(BANK[:count]).lead(QUESTION, "hangul", 0.85) == 0.0


@pytest.mark.parametrize("bank", [BANK, []])
def test_they_are_read_as_they_were_written(
    bank: list[tuple[Vectors, Script]], tmp_path: Path
) -> None:
    written = ForeignNearness.of(bank)
    written.write(tmp_path / "foreign.npy")
    read = ForeignNearness.read(tmp_path / "foreign.npy")
    assert read is not None
    assert np.array_equal(read.vectors, written.vectors)


@pytest.mark.parametrize("content", [None, b"", b"\x93NUMPY\x01\x00 cut off", b"no vectors"])
def test_what_cannot_be_read_is_as_none(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "foreign.npy"
    if content is not None:
        file.write_bytes(content)
    assert ForeignNearness.read(file) is None
