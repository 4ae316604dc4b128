"""Drafts of questions are kept, changed or deleted by a person, and then measure something."""

import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from evals import command
from evals.questions import all_samples
from evals.review.of_questions import DELETE, KEEP, export_questions, import_questions
from evals.review.sheet import Column, read_sheet, write_sheet
from graph.errors import InputError
from serving.cli.app import app
from tests.evals.small_suite import Echo, suite

ROWS: list[dict[str, Any]] = [
    {
        "id": f"{language}-{kind}",
        "language": language,
        "kind": kind,
        "question": question,
        "answers": ["57"] if kind == "answerable" else [],
        "sentence": "kept as it is",
        **({"why": "not_covered"} if kind == "near" else {}),
        "reviewed": False,
    }
    for language, kind, question in (
        ("en", "answerable", "How many keys?"),
        ("en", "far", "What is for dinner?"),
        ("ko", "answerable", "키는 몇 개인가요?"),
        ("ko", "near", "키는 누가 만들었나요?"),
    )
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = (json.dumps(row, ensure_ascii=False) for row in ROWS)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def file(questions: Path, tmp_path: Path) -> Path:
    assert export_questions(questions, tmp_path / "q.xlsx", replace=False) == 4
    return tmp_path / "q.xlsx"


def change(file: Path, **cells: str | date | None) -> None:
    book = load_workbook(file)
    for cell, value in cells.items():
        book["review"][cell] = value
    book.save(file)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_file_that_nobody_filled_in_changes_nothing(file: Path, questions: Path) -> None:
    done = import_questions(file, questions)
    assert rows(questions) == ROWS
    assert (done.kept, done.changed, done.undecided, done.unreviewed) == (0, 0, 4, 4)


def test_what_is_kept_is_reviewed_and_what_is_deleted_goes(file: Path, questions: Path) -> None:
    change(file, B2=KEEP, B3=DELETE, B4=KEEP)
    done = import_questions(file, questions)
    assert rows(questions) == [
        ROWS[0] | {"reviewed": True},
        ROWS[2] | {"reviewed": True},
        ROWS[3],
    ]
    assert (done.kept, done.deleted, done.undecided, done.unreviewed) == (2, 1, 1, 1)


def test_edits_are_taken_over_in_both_languages(file: Path, questions: Path) -> None:
    change(file, B2=KEEP, D2="How many keys are kept?", E2="57\n57 keys", B4=KEEP, D4="키 몇 개?")
    change(file, C5="far", J5="잘못된 전제")
    done = import_questions(file, questions)
    found = rows(questions)
    assert found[0]["question"] == "How many keys are kept?"
    assert found[0]["answers"] == ["57", "57 keys"]
    assert found[2]["question"] == "키 몇 개?"
    assert (found[3]["kind"], found[3]["comment"]) == ("far", "잘못된 전제")
    assert "why" not in found[3]
    assert done.changed == 3


def test_a_row_that_is_not_in_the_file_stays_as_it_was(file: Path, questions: Path) -> None:
    book = load_workbook(file)
    book["review"].delete_rows(2)
    book.save(file)
    assert import_questions(file, questions).not_in_file == 1
    assert rows(questions) == ROWS


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({"E2": date(2026, 11, 30)}, "E2: a date"),
        ({"A2": "en-other"}, "A2: 'en-other' is no question of"),
        ({"A3": "en-answerable"}, "A3: the id of A2 again"),
        ({"B2": "yes"}, "B2: 'yes' is none of keep / 유지, delete / 삭제"),
        ({"D4": None}, "D4: a question is needed"),
        ({"D4": "=1+1"}, "D4: a formula"),
        ({"C4": None}, "C4: one of answerable, near, far is needed"),
    ],
)
def test_a_cell_at_fault_is_named_and_nothing_changes(
    cells: dict[str, str | date | None], complaint: str, file: Path, questions: Path
) -> None:
    change(file, B4=KEEP, **cells)
    with pytest.raises(InputError) as caught:
        import_questions(file, questions)
    assert complaint in str(caught.value)
    assert rows(questions) == ROWS


@pytest.mark.parametrize(
    "text", ["=1+1", "+82 2", "-1", "@SUM(A1)", "\t=1", "=캐시()", "bell \a", "a\nb", "x" * 40_000]
)
def test_text_of_documents_is_never_a_formula_and_always_fits(text: str, tmp_path: Path) -> None:
    columns = (Column("id", "id", 9), Column("text", "text", 9, editable=True))
    path = tmp_path / "s.xlsx"
    write_sheet(path, columns, [{"id": "1", "text": text}], (), replace=False)
    cell = load_workbook(path)["review"]["B2"]
    assert (cell.data_type, cell.quotePrefix) == ("s", True)
    read, complaints = read_sheet(path, columns)
    complaints.stop()
    assert read[0]["text"].text[:3] == text.replace("\a", "\ufffd").strip()[:3]


@pytest.mark.parametrize("content", [b"no workbook", b"PK\x03\x04 nor this"])
def test_what_is_no_spreadsheet_is_told(content: bytes, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "q.xlsx").write_bytes(content)
    with pytest.raises(InputError, match="save it as an Excel workbook"):
        import_questions(tmp_path / "q.xlsx", questions)


def test_a_workbook_with_damaged_xml_is_told(file: Path, questions: Path) -> None:
    with zipfile.ZipFile(file) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content[: len(content) // 2] if "sheet1" in name else content)
    with pytest.raises(InputError, match="save it as an Excel workbook"):
        import_questions(file, questions)


def test_a_run_on_drafts_warns_and_does_not_pass(
    questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KA_HOME", str(tmp_path / "home"))
    small = suite(Echo(), dataset=lambda given: all_samples(given, {}), corpora=("handbook", "own"))
    monkeypatch.setattr(command, "load_suite", lambda name: small)
    line = ["evals", "retrieval", "--questions", str(questions), "--out", str(tmp_path / "run")]
    drafts = CliRunner().invoke(app, line)
    assert drafts.exit_code == 1
    assert "WARNING: 4 of 4 questions are drafts" in drafts.stderr
    assert "4 of 4 questions are drafts that no person has reviewed" in drafts.stdout
    questions.write_text(questions.read_text("utf-8").replace("false", "true"), "utf-8")
    reviewed = CliRunner().invoke(app, line)
    assert (reviewed.exit_code, "are drafts" in reviewed.output) == (0, False)


def test_a_mark_that_is_neither_true_nor_false_is_told(questions: Path) -> None:
    questions.write_text(questions.read_text("utf-8").replace("false", '"no"'), "utf-8")
    done = CliRunner().invoke(app, ["evals", "retrieval", "--questions", str(questions)])
    assert done.exit_code == 2
    assert "question 1: reviewed is neither true nor false" in " ".join(done.output.split())


def test_the_command_goes_from_questions_to_sheet_and_back(questions: Path) -> None:
    exported = CliRunner().invoke(app, ["evals", "review", "export", str(questions)])
    assert exported.exit_code == 0, exported.output
    change(questions.with_suffix(".xlsx"), B2=KEEP)
    sheet = str(questions.with_suffix(".xlsx"))
    line = ["evals", "review", "import", sheet, "--questions", str(questions)]
    told = json.loads(CliRunner().invoke(app, [*line, "--json"]).output)
    assert (told["kept"], told["unreviewed"]) == (1, 3)
