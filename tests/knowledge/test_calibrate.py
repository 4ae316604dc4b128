from pathlib import Path

import pytest

from graph.evidence import Passage
from knowledge.calibrate import Calibration, foreign_questions
from knowledge.ingest import ingest
from knowledge.lexical import script
from knowledge.pseudo_questions import pseudo_questions
from knowledge.retriever import open_retriever
from tests.knowledge.stubs import WordsEmbedder

SUBJECTS = ("glacier", "harbour", "orchard", "violin", "lantern", "compass", "meadow", "granite")


@pytest.fixture
def corpus(folder: Path) -> Path:
    """Enough passages to calibrate on, each about a subject of its own."""
    for number in range(64):
        subject = f"{SUBJECTS[number % 8]}{number}"
        text = (
            f"The {subject} valve opens at {number} bar. A {subject} seal wears in {number} days."
        )
        (folder / f"{number}.txt").write_text(text, "utf-8")
    return folder


async def test_a_corpus_gets_a_bound_between_its_own_questions_and_foreign_ones(
    corpus: Path, index_dir: Path, embedder: WordsEmbedder
) -> None:
    calibration = ingest(corpus, index_dir, embedder).calibration
    assert calibration is not None
    assert calibration.method == "calibrated"
    with open_retriever(index_dir, embedder) as retriever:
        own = (await retriever.search("When does the harbour9 valve open?", limit=3)).domain
        foreign = (await retriever.search("Who sang at the opera last night?", limit=3)).domain
    assert own.score >= own.bound
    assert foreign.score < foreign.bound


async def test_a_small_corpus_falls_back_to_the_cautious_rule(
    folder: Path, index_dir: Path, embedder: WordsEmbedder
) -> None:
    ingest(folder, index_dir, embedder)
    with open_retriever(index_dir, embedder) as retriever:
        own = (await retriever.search("espresso", limit=1)).domain
        foreign = (await retriever.search("Quarterly dividends of railways", limit=1)).domain
        other_script = (await retriever.search("如何泡绿茶", limit=1)).domain
    assert own.method == "cautious"
    assert own.score >= own.bound
    assert foreign.score < foreign.bound
    assert other_script.score >= other_script.bound


def test_the_calibration_is_made_again_only_when_passages_change(
    corpus: Path, index_dir: Path, embedder: WordsEmbedder
) -> None:
    phases: list[str] = []
    first = ingest(corpus, index_dir, embedder).calibration
    again = ingest(corpus, index_dir, embedder, on_progress=lambda p: phases.append(p.phase))
    assert again.calibration == first
    assert "calibrate" not in phases
    (corpus / "new.txt").write_text("A pulley lifts the crate.", "utf-8")
    changed = ingest(corpus, index_dir, embedder).calibration
    assert changed is not None
    assert first is not None
    assert changed.corpus != first.corpus


def test_a_file_that_is_no_calibration_is_read_as_none(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"method": "calibrated"}', "utf-8")
    assert Calibration.read(tmp_path / "c.json") is None


def test_the_bank_is_half_korean_and_repeats_nothing() -> None:
    bank = foreign_questions()
    assert len(set(bank)) == len(bank) >= 100
    assert sum(script(text) == "hangul" for text in bank) == len(bank) // 2


def test_pseudo_questions_are_the_same_in_each_run() -> None:
    text = "접두사 캐시는 블록을 해시로 찾는다. 접두사 캐시는 오래된 블록을 버린다."
    passage = Passage(id="a", document="a", title="a", page=1, start=0, end=len(text), text=text)
    first, second = (
        [q.text for q in pseudo_questions(passage, lambda terms: dict.fromkeys(terms, 1.0))]
        for _ in range(2)
    )
    assert first == second
    assert len(first) == 5
