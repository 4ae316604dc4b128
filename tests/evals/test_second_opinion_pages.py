"""A person gets all that was kept to read, beside its passages, and what was withheld."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.second_opinion import __main__ as command
from tests.evals.agent_outcomes import QUEUE, answered, refused, sentence

TRUE = sentence("대기열은 요청을 도착한 순서로 둡니다.", 2)
FALSE = sentence("A KV cache keeps 58 keys.", 1)
LOOP = {"flag": "repetition", "text": "a | b " * 200, "reason": "it repeats"}
ELSEWHERE = {"flag": "off_topic", "text": "대기열은 요청을 버린다.", "reason": "질문과 다름"}
FIRST, SECOND = ({"flag": "echo", "text": text, "reason": "되풀이"} for text in ("하나", "둘"))


def result(name: str, language: str, outcome: dict[str, Any]) -> dict[str, Any]:
    return {"sample": {"id": name, "language": language, "question": "Why?"}, "outcome": outcome}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows = [
        result("ko-1", "ko", answered(TRUE, removed=[FIRST, SECOND, ELSEWHERE])),
        result("en-1", "en", answered(FALSE, sentence(QUEUE, 2, quoted=True), removed=[LOOP])),
        result("en-2", "en", answered(sentence("It cites nothing.", 9))),
        result("en-3", "en", refused()),
        {"sample": {"id": "en-4", "language": "en"}, "outcome": None},
    ]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


def written(run: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[str, str]:
    monkeypatch.setattr("sys.argv", ["second_opinion", str(run), *arguments])
    command.main()
    return (run / "kept.md").read_text("utf-8"), (run / "removed.md").read_text("utf-8")


def test_all_written_sentences_are_shown_with_their_passage_the_suspicious_ones_first(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, _ = written(run, monkeypatch)
    assert kept.startswith("# Written and kept: 3, of which 2 suspicious")
    first, second, third = kept.split("\n## ")[1:]
    assert "number not in the passage: 58" in first
    assert "> A KV cache keeps 57 keys" in first
    assert "it cites no passage that the agent had" in second
    assert "nothing to remark" in third
    assert f"> {QUEUE}" in third


def test_what_was_withheld_as_off_the_question_alone_is_shown_with_the_nearest_passage(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(run, monkeypatch)
    page = (run / "off_topic.md").read_text("utf-8")
    assert page.startswith("# Borne, but off the question: 1, of which 1 suspicious")
    assert "word not in the passage: 버린다" in page
    assert f"> {QUEUE}" in page


def test_what_was_withheld_is_counted_and_drawn_from_each_flag_and_language_in_turn(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, removed = written(run, monkeypatch)
    assert removed.startswith("# Written and withheld: 4")
    assert "| echo | 0 | 2 |\n| off_topic | 0 | 1 |\n| repetition | 1 | 0 |" in removed
    assert "| en-1 | repetition | a \\| b a \\| b" in removed
    _, removed = written(run, monkeypatch, "--rows", "3")
    assert "하나" in removed
    assert "둘" not in removed
    assert "| repetition | a" in removed
    assert max(map(len, removed.splitlines())) < 600


def test_a_folder_without_a_run_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        written(tmp_path, monkeypatch)
    assert ended.value.code == 2
    assert "results.jsonl cannot be read" in capsys.readouterr().err
