"""A sample of a run goes to a person and comes back, without losing or telling anything."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from typer.testing import CliRunner

from evals.report import RESULTS, RUN
from evals.review.of_run import NO, UNCLEAR, YES, export_run, import_run
from evals.suite import Outcome, Result, Sample
from graph.errors import InputError
from serving.cli.app import app
from tests.evals.agent_outcomes import answered, refused, sentence

QUESTIONS = {"en": "What does a KV cache keep?", "ko": "대기열은 요청을 어떻게 두나?"}
RIGHT = {
    "en": answered(sentence("A KV cache keeps 57 keys and values.", 1)),
    "ko": answered(sentence("대기열은 요청을 도착한 순서로 둔다.", 2, quoted=True)),
}
WRONG = {
    "en": answered(sentence("A KV cache keeps 58 keys and values.", 1)),
    "ko": answered(sentence("대기열은 요청을 도착한 순간에 버린다.", 2)),
}
GOLD = {"en": "57 keys", "ko": "도착한 순서"}


def results(language: str) -> list[Result]:
    """Of each kind a right and a wrong one: answerable and answered, answerable and refused, far
    and refused, near and answered."""

    def one(name: str, kind: str, outcome: Outcome, **gold: Any) -> Result:
        sample = Sample(f"{language}-{name}", language, kind, QUESTIONS[language], gold=gold)
        return Result(sample, outcome, {}, None, 0.0)

    answers = {"answers": [GOLD[language]], "document": "cache.md"}
    return [
        one("right", "answerable", RIGHT[language], **answers),
        one("wrong", "answerable", WRONG[language], **answers),
        one("lost", "answerable", refused(), **answers),
        one("far", "far", refused()),
        one("near", "near", RIGHT[language]),
    ]


def write_run(folder: Path, found: Sequence[Result]) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps(asdict(result), ensure_ascii=False) + "\n" for result in found]
    (folder / RESULTS).write_text("".join(lines), "utf-8")
    (folder / RUN).write_text('{"suite": "grounding"}', "utf-8")
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", [*results("en"), *results("ko")])


@pytest.fixture
def file(run: Path, tmp_path: Path) -> Path:
    export_run(run, tmp_path / "kim.xlsx", 50, 0, replace=False)
    return tmp_path / "kim.xlsx"


def fill(file: Path, **answers: str) -> Workbook:
    """Every cell that is asked gets the answer of its column, letters F to I."""
    book = load_workbook(file)
    for row in book["review"].iter_rows(min_row=2):
        for cell in row:
            if cell.column_letter in answers and cell.value != "–":
                cell.value = answers[cell.column_letter]
    book.save(file)
    return book


def test_the_person_sees_question_answer_and_passages_and_no_verdict(file: Path) -> None:
    sheet = load_workbook(file)["review"]
    rows = {str(row[1]) + str(row[2]): row for row in sheet.iter_rows(min_row=2, values_only=True)}
    right = rows["What does a KV cache keep?A KV cache keeps 57 keys and values. [1]"]
    assert str(right[3]).startswith("[1] cache.md, 1\nA KV cache keeps 57")
    everything = " ".join(str(cell) for row in rows.values() for cell in row)
    told = [word for word in ("far", "near", "answerable", "en-right") if word in everything]
    assert told == []


def test_only_what_arises_is_asked_and_only_that_is_open(file: Path) -> None:
    sheet = load_workbook(file)["review"]
    assert sheet.protection.sheet
    assert len(sheet.data_validations.dataValidation) == 3
    for row in sheet.iter_rows(min_row=2):
        refusal = "something else" in str(row[2].value)
        asked = [cell.value != "–" for cell in row[4:7]]
        assert asked == ([False, False, True] if refusal else [True, True, False])
        assert [cell.protection.locked for cell in row] == [True] * 4 + [not a for a in asked] + [
            False
        ]


def test_the_sample_spreads_over_languages_kinds_and_verdicts(tmp_path: Path) -> None:
    many = [
        Result(
            Sample(f"{n}", "en", "answerable", "?", gold={"answers": ["57"]}), outcome, {}, None, 0
        )
        for n in range(100)
        for outcome in [WRONG["en"] if n < 10 else RIGHT["en"]]
    ]
    run = write_run(tmp_path / "many", [*many, *results("ko")])
    done = export_run(run, tmp_path / "s.xlsx", 15, 0, replace=False)
    assert (done.rows, done.of) == (15, 105)
    sheet = load_workbook(tmp_path / "s.xlsx")["review"]
    shown = Counter(str(row[2])[:15] for row in sheet.iter_rows(min_row=2, values_only=True))
    assert shown["A KV cache keep"] == 10
    review = import_run(tmp_path / "s.xlsx", run, replace=False)
    lines = (run / "reviews" / "s.jsonl").read_text("utf-8").splitlines()
    verdicts = Counter(json.loads(line)["automatic"].get("answers") for line in lines)
    assert review.rows == 15
    assert verdicts[False] >= 5


def test_agreement_is_counted_and_disagreements_are_listed(file: Path, run: Path) -> None:
    fill(file, E=YES, F=YES, G=NO, H="왜?")
    review = import_run(file, run, replace=False)
    supported, answers, refusing = review.questions
    assert supported.agreement is not None
    assert supported.agreement.confusion == ((4, 0), (2, 0))
    assert {each.id for each in supported.disagreements} == {"en-wrong", "ko-wrong"}
    assert answers.agreement is not None
    assert answers.agreement.confusion == ((2, 0), (4, 0))
    told = [f"{language}-{name}" for language in ("en", "ko") for name in ("wrong", "near")]
    assert sorted(each.id for each in answers.disagreements) == sorted(told)
    assert refusing.agreement is not None
    assert refusing.agreement.confusion == ((0, 2), (0, 2))
    assert [each.comment for each in refusing.disagreements] == ["왜?", "왜?"]


def test_a_half_filled_file_is_taken_and_counted(file: Path, run: Path) -> None:
    fill(file, E=UNCLEAR)
    supported, answers, _ = import_run(file, run, replace=False).questions
    assert (supported.judged, supported.unclear, supported.not_judged) == (0, 6, 0)
    assert (answers.judged, answers.not_judged, answers.agreement) == (0, 6, None)


def test_what_a_person_said_stays_with_the_run_until_it_is_replaced(file: Path, run: Path) -> None:
    fill(file, E=YES)
    import_run(file, run, replace=False)
    stored = (run / "reviews" / "kim.jsonl").read_text("utf-8")
    assert stored.count(YES) == 6
    fill(file, E="")
    with pytest.raises(InputError, match="6 judgements that this file lacks"):
        import_run(file, run, replace=False)
    assert (run / "reviews" / "kim.jsonl").read_text("utf-8") == stored
    import_run(file, run, replace=True)
    assert YES not in (run / "reviews" / "kim.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("cell", "value", "complaint"),
    [
        ("A2", "0123456789ab", "A2: '0123456789ab' is no task"),
        ("A2", None, "A2: the id is gone"),
        ("A3", "=A2", "A3: '=A2' is no task"),
        ("E2", "maybe", "E2: 'maybe' is none of yes / 예"),
        ("F3", "=1+1", "F3: a formula"),
        ("H3", "=HYPERLINK(1)", "H3: a formula"),
    ],
)
def test_a_cell_at_fault_is_named_and_nothing_is_taken(
    cell: str, value: str | None, complaint: str, file: Path, run: Path
) -> None:
    book = load_workbook(file)
    book["review"][cell] = value
    book.save(file)
    with pytest.raises(InputError) as caught:
        import_run(file, run, replace=False)
    assert complaint in str(caught.value)
    assert not (run / "reviews").exists()


def test_a_doubled_row_and_one_that_was_not_asked_are_named(file: Path, run: Path) -> None:
    book = load_workbook(file)
    sheet = book["review"]
    sheet["A3"] = sheet["A2"].value
    at = next(row[6] for row in sheet.iter_rows(min_row=4) if row[6].value == "–")
    at.value = YES
    book.save(file)
    with pytest.raises(InputError) as caught:
        import_run(file, run, replace=False)
    assert "A3: the id of A2 again" in str(caught.value)
    assert f"{at.coordinate}: was not asked here" in str(caught.value)


def test_tasks_that_were_asked_anew_since_are_not_judged_by_old_answers(
    file: Path, run: Path
) -> None:
    write_run(run, [*results("en"), *(r for r in results("ko") if r.sample.id != "ko-right")])
    with pytest.raises(InputError, match="asked anew since"):
        import_run(file, run, replace=False)


def test_the_command_exports_and_imports(run: Path, tmp_path: Path) -> None:
    to = str(tmp_path / "lee.xlsx")
    exported = CliRunner().invoke(app, ["evals", "review", "export", str(run), "--out", to])
    assert exported.exit_code == 0, exported.output
    again = CliRunner().invoke(app, ["evals", "review", "export", str(run), "--out", to])
    assert again.exit_code == 2
    fill(Path(to), E=YES, F=NO, G=YES)
    line = ["evals", "review", "import", to, "--run", str(run)]
    shown = CliRunner().invoke(app, line)
    assert "kappa" in shown.output
    told = json.loads(CliRunner().invoke(app, [*line, "--json"]).output)
    assert [each["asked"] for each in told["questions"]] == [
        "supported",
        "answers",
        "right_to_refuse",
    ]


def test_a_run_that_asked_only_the_gate_cannot_be_judged(tmp_path: Path) -> None:
    outcome = {"kind": "refused", "reason": "out_of_domain", "passages": []}
    gate = Result(Sample("1", "en", "far", "?"), outcome, {}, None, 0.0)
    run = write_run(tmp_path / "gate", [gate])
    (run / RUN).write_text('{"suite": "ood_refusal"}', "utf-8")
    with pytest.raises(InputError, match="--engine"):
        export_run(run, tmp_path / "s.xlsx", 10, 0, replace=False)
