from pathlib import Path

import pytest

from graph.errors import EmbedderUnavailable, KnowledgeError
from graph.evidence import Passage
from knowledge import question_vectors
from knowledge.domain import Calibration
from knowledge.embed import Vectors
from knowledge.foreign import foreign_words
from knowledge.ingest import ingest, recalibrate
from knowledge.lexical import script
from knowledge.pseudo_questions import PseudoQuestion, pseudo_questions
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
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
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    calibration = ingest(corpus, address, embedder).calibration
    assert calibration is not None
    assert calibration.method == "calibrated"
    with open_retriever(address, embedder) as retriever:
        own = (await retriever.search("When does the harbour9 valve open?", limit=3)).domain
        foreign = (await retriever.search("Who sang at the opera last night?", limit=3)).domain
    assert own.score >= own.bound
    assert foreign.score < foreign.bound


def test_the_calibration_is_made_again_when_a_tenth_of_the_passages_has_changed(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    phases: list[str] = []

    def calibrated() -> Calibration:
        found = ingest(corpus, address, embedder, on_progress=lambda p: phases.append(p.phase))
        assert found.calibration is not None
        return found.calibration

    first = calibrated()
    phases.clear()
    add_documents(corpus, "A pulley lifts the crate.", 4)
    assert calibrated() == first
    assert "calibrate" not in phases
    add_documents(corpus, "A pulley lifts the crate.", 8)
    assert calibrated().passages == first.passages + 8


def add_documents(folder: Path, text: str, count: int) -> None:
    for number in range(count):
        (folder / f"new{number}.txt").write_text(f"{text} {number}", "utf-8")


class RefusingEmbedder(WordsEmbedder):
    """Makes vectors of passages, and refuses the first `refusals` questions."""

    def __init__(self, refusals: int) -> None:
        super().__init__()
        self.refusals = refusals

    def embed_query(self, text: str) -> Vectors:
        if self.refusals:
            self.refusals -= 1
            raise EmbedderUnavailable("busy")
        return super().embed_query(text)


@pytest.mark.parametrize(
    ("added", "question"),
    [
        ("A pulley lifts the crate. The pulley turns on an axle.", "What lifts the crate?"),
        ("도르래 바퀴는 상자를 든다. 도르래 바퀴는 축에서 돈다.", "상자는 무엇이 드나요?"),
    ],
)
async def test_the_bound_of_another_corpus_is_not_used_when_its_calibration_fails(
    corpus: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    added: str,
    question: str,
) -> None:
    monkeypatch.setattr(question_vectors, "RETRY_PAUSE_S", 0.0)
    assert ingest(corpus, address, embedder).complete
    add_documents(corpus, added, 8)
    report = ingest(corpus, address, RefusingEmbedder(refusals=1_000))
    assert (report.vectors_missing, report.complete) == (0, False)
    assert report.problem is not None
    assert "cautious rule" in report.problem
    assert "busy" in report.problem
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search(question, limit=1)
    assert found.domain.method == "cautious"
    assert "knowledge-agent ingest" in found.degraded[0]
    assert ingest(corpus, address, embedder).complete
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search(question, limit=1)
    assert (found.domain.method, found.degraded) == ("calibrated", ())


def test_a_calibration_bears_a_few_refusals(
    corpus: Path, address: IndexAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_vectors, "RETRY_PAUSE_S", 0.0)
    report = ingest(corpus, address, RefusingEmbedder(refusals=question_vectors.RETRIES))
    assert report.complete
    assert report.calibration is not None
    assert report.calibration.method == "calibrated"


def test_a_file_that_is_no_calibration_is_read_as_none(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"method": "calibrated"}', "utf-8")
    assert Calibration.read(tmp_path / "c.json") is None


def test_a_calibration_is_read_as_it_was_written(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder, tmp_path: Path
) -> None:
    calibration = ingest(corpus, address, embedder).calibration
    assert calibration is not None
    calibration.write(tmp_path / "c.json")
    assert Calibration.read(tmp_path / "c.json") == calibration


def test_a_calibration_tells_the_error_rates_to_expect(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    calibration = ingest(corpus, address, embedder).calibration
    assert calibration is not None
    expected = calibration.expected
    assert expected is not None
    assert expected.own.low <= expected.own.share <= expected.own.high < 0.15
    for rates in (expected.own_by_kind, expected.own_by_script):
        assert sum(rate.n for rate in rates.values()) == expected.own.n
    assert expected.own.n == calibration.own_questions
    assert sum(rate.n for rate in expected.foreign.values()) == calibration.foreign_questions
    assert all(0.7 < rate.low <= rate.share <= rate.high for rate in expected.foreign.values())


TEXTS = {
    "latin": "A prefix cache finds blocks by their hash. A prefix cache drops old blocks first.",
    "hangul": "접두사 캐시는 블록을 해시로 찾아 쓴다. 접두사 캐시는 오래된 블록을 먼저 버린다.",
    "han": "前缀缓存通过哈希查找块并重复使用它们。前缀缓存首先丢弃最旧的块。",
}


def made_of(text: str) -> list[PseudoQuestion]:
    passage = Passage(id="a", document="a", title="a", page=1, start=0, end=len(text), text=text)
    found = pseudo_questions(passage, lambda terms: dict.fromkeys(terms, 1.0), foreign_words())
    return list(found)


@pytest.mark.parametrize("of", TEXTS)
def test_pseudo_questions_are_the_same_in_each_run(of: str) -> None:
    assert made_of(TEXTS[of]) == made_of(TEXTS[of])


@pytest.mark.parametrize(
    ("of", "scripts"),
    [
        ("latin", ["latin", "latin", "latin", "hangul"]),
        ("hangul", ["hangul", "hangul", "hangul", "latin"]),
        ("han", ["han", "han", "han", "latin"]),
    ],
)
def test_questions_are_in_the_script_of_their_passage_and_the_last_in_another(
    of: str, scripts: list[str]
) -> None:
    assert [script(question.text) for question in made_of(TEXTS[of])] == scripts


def test_a_calibration_asks_only_for_the_vectors_of_new_questions(
    corpus: Path, address: IndexAddress
) -> None:
    embedder = RefusingEmbedder(refusals=0)
    ingest(corpus, address, embedder)
    (address.home / str(address.current()) / "calibration.json").unlink()
    embedder.refusals = 1_000
    again = ingest(corpus, address, embedder).calibration
    assert again is not None
    assert again.method == "calibrated"


def test_the_gate_is_calibrated_anew_on_demand(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    first = ingest(corpus, address, embedder).calibration
    add_documents(corpus, "A pulley lifts the crate.", 4)
    assert ingest(corpus, address, embedder).calibration == first
    again = recalibrate(address, embedder)
    assert first is not None
    assert again.passages == first.passages + 4
    assert Calibration.read(address.home / str(address.current()) / "calibration.json") == again


def test_another_share_of_refusals_calibrates_anew_at_the_next_ingest(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    first = ingest(corpus, address, embedder).calibration
    second = ingest(corpus, address, embedder, false_refusals=0.1).calibration
    assert first is not None
    assert second is not None
    assert second.false_refusal_target == 0.1
    assert first.with_vectors is not None
    assert second.with_vectors is not None
    assert second.with_vectors.bounds["full latin"] > first.with_vectors.bounds["full latin"]
    assert ingest(corpus, address, embedder, false_refusals=0.1).calibration == second


async def test_a_calibration_without_its_vectors_of_foreign_questions_is_as_none(
    corpus: Path, address: IndexAddress, embedder: WordsEmbedder
) -> None:
    first = ingest(corpus, address, embedder).calibration
    (address.home / str(address.current()) / "foreign.npy").write_bytes(b"cut off")
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search("When does the harbour9 valve open?", limit=3)
    assert found.domain.method == "cautious"
    assert "knowledge-agent ingest" in found.degraded[0]
    assert ingest(corpus, address, embedder).calibration == first
    with open_retriever(address, embedder) as retriever:
        found = await retriever.search("When does the harbour9 valve open?", limit=3)
    assert (found.domain.method, found.degraded) == ("calibrated", ())


def test_a_gate_is_not_calibrated_while_vectors_are_missing(
    corpus: Path, address: IndexAddress
) -> None:
    ingest(corpus, address, WordsEmbedder(fail_after=0))
    with pytest.raises(KnowledgeError, match="complete them first"):
        recalibrate(address, WordsEmbedder())
