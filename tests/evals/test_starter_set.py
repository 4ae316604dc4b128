"""`knowledge-agent evals init`, on an index of two small documents."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evals.questions import read_questions
from evals.starter.fact import Fact
from evals.starter.near import changed_number, unsaid
from graph.evidence import Passage
from knowledge.asking import BANK_QUESTIONS
from knowledge.foreign import foreign_questions, sampled
from knowledge.ingest import ingest
from knowledge.store import IndexAddress
from serving.cli.app import app
from tests.evals import test_starter_wording as wording
from tests.knowledge.stubs import WordsEmbedder

ENGLISH = "\n\n".join(f"# Part {n}\n\n{row[0]}" for n, row in enumerate(wording.ENGLISH))
KOREAN = "\n\n".join(f"# {n}부\n\n{row[0]}" for n, row in enumerate(wording.KOREAN))


class Chance:
    """Draws the first."""

    def sample(self, values: Any, count: int) -> list[Any]:
        return list(values)[:count]

    def choice(self, values: Any) -> Any:
        return values[0]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "server.md").write_text(ENGLISH, "utf-8")
    (folder / "cache.md").write_text(KOREAN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KA_HOME", str(tmp_path / "home"))
    ingest(folder, IndexAddress(tmp_path / "home" / "index"), WordsEmbedder())
    return tmp_path


def init(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["evals", "init", "--size", "8", *arguments])
    return done.exit_code, done.output


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_language_gets_answerable_near_and_far_questions(home: Path) -> None:
    code, printed = init()
    assert code == 0, printed
    found = rows(home / "questions.jsonl")
    assert Counter((row["language"], row["kind"]) for row in found) == {
        (language, kind): count
        for language in ("en", "ko")
        for kind, count in (("answerable", 2), ("near", 1), ("far", 1))
    }
    assert all(row["reviewed"] is False and row["note"] for row in found)
    assert "review export" in printed


def test_an_answerable_question_has_its_source_and_its_answer(home: Path) -> None:
    init()
    for row in rows(home / "questions.jsonl"):
        if row["kind"] == "answerable":
            assert row["document"] == {"en": "server.md", "ko": "cache.md"}[row["language"]]
            assert row["page"] == 1
            assert row["answers"][0] in row["sentence"]
            assert row["question"].endswith("?")


def test_the_suites_read_the_set(home: Path) -> None:
    init()
    samples = read_questions(home / "questions.jsonl", "own")
    assert len(samples) == len({sample.id for sample in samples}) == 8
    assert {sample.gold["reviewed"] for sample in samples} == {False}


def test_far_questions_are_none_that_the_gate_was_calibrated_with(home: Path) -> None:
    init("--size", "200")
    calibrated = {one.question for one in sampled(BANK_QUESTIONS)}
    bank = {one.question for one in foreign_questions()} - calibrated
    far = [row["question"] for row in rows(home / "questions.jsonl") if row["kind"] == "far"]
    assert len(far) == 50
    assert set(far) <= bank


def test_the_same_seed_drafts_the_same_and_another_seed_does_not(home: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        init("--out", name, "--seed", seed)
    texts = [(home / name).read_text("utf-8") for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_a_file_that_is_there_stays_unless_forced(home: Path) -> None:
    (home / "questions.jsonl").write_text("reviewed work", "utf-8")
    code, printed = init()
    assert (code, "--force" in printed) == (2, True)
    assert (home / "questions.jsonl").read_text("utf-8") == "reviewed work"
    assert init("--force")[0] == 0
    assert len(rows(home / "questions.jsonl")) == 8


def test_fewer_questions_than_asked_for_are_told(home: Path) -> None:
    assert "gave no more by rule" in init("--size", "100")[1]


def test_without_an_index_the_way_to_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KA_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["evals", "init", "--out", str(tmp_path / "q.jsonl")])
    assert done.exit_code != 0
    assert "knowledge-agent ingest" in f"{done.output}{done.exception}"


def passage(text: str) -> Passage:
    return Passage(id="1", document="a", title="a", page=1, start=0, end=9, text=text)


NEAR = [
    ("en", "API key", "Who came up with API key?", "Ada Lovelace came up with the API key."),
    ("ko", "응답 캐시", "응답 캐시는 누가 처음 만들었나요?", "응답 캐시는 김철수가 처음 만들었다."),
]


@pytest.mark.parametrize(("language", "about", "question", "telling"), NEAR)
def test_what_the_documents_tell_is_not_asked_as_if_they_did_not(
    language: Any, about: str, question: str, telling: str
) -> None:
    fact = Fact(language, "", "", about, "")
    chance: Any = Chance()
    silent = unsaid(fact, lambda asked: [passage("…")], chance)
    assert silent is not None
    assert (silent.question, silent.why) == (question, "not_covered")
    told = unsaid(fact, lambda asked: [passage(telling)], chance)
    assert told is None or told.question != question


@pytest.mark.parametrize(
    ("language", "question", "changed"),
    [
        ("en", "What is the unit of layer 6?", "What is the unit of layer 26?"),
        ("ko", "6단계의 위험은 무엇인가요?", "26단계의 위험은 무엇인가요?"),
    ],
)
def test_a_changed_number_is_one_that_the_passages_lack(
    language: Any, question: str, changed: str
) -> None:
    fact = Fact(language, question, "", "", "")
    chance: Any = Chance()
    near = changed_number(fact, lambda asked: [passage("6 and 16")], chance)
    assert near is not None
    assert (near.question, near.why) == (changed, "false_premise")
    assert "a guess" in near.note
