"""Drafts of questions for a person to keep, mend or delete; the file of questions follows."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.questions import read_rows
from evals.review.sheet import Column, Complaints, Row, as_text, read_sheet, write_sheet
from graph.errors import InputError

KEEP, DELETE = "keep / 유지", "delete / 삭제"
KINDS = ("answerable", "near", "far")
WHY = ("not_covered", "false_premise")

COLUMNS = (
    Column("id", "id", 24),
    Column("decision", "keep it? / 유지할까?", 14, (KEEP, DELETE)),
    Column("kind", "kind / 종류", 13, KINDS),
    Column("question", "question / 질문", 50, editable=True),
    Column("answers", "answers, one a line / 정답, 한 줄에 하나", 40, editable=True),
    Column("document", "document / 문서", 26, editable=True),
    Column("why", "why near / 가까운 까닭", 16, WHY),
    Column("note", "note / 참고", 34),
    Column("passage", "passage / 문단", 80),
    Column("comment", "comment / 의견", 40, editable=True),
)
GUIDE = (
    "These are drafts by rule. Change what a person would ask otherwise, then say keep or delete.",
    "answerable: the documents hold the answer; each line of the answers is one, word for word.",
    "near: about a thing in the documents, but they do not say it (not_covered), or the question "
    "takes something for true that is not (false_premise). far: about something else.",
    "A row without a decision stays unreviewed; you can go on later. A deleted row leaves the set.",
    "규칙으로 만든 초안입니다. 사람이 다르게 물을 것은 고친 뒤, 유지할지 삭제할지 골라 주세요.",
    "answerable: 문서에 답이 있음. 정답은 문서에 있는 그대로 한 줄에 하나씩 적습니다.",
    "near: 문서에 나오는 것에 관하지만 답은 없거나(not_covered), 질문이 틀린 것을 맞다고 봄"
    "(false_premise). far: 다른 것에 관한 질문.",
    "고르지 않은 행은 검토되지 않은 채 남습니다. 나중에 이어서 하면 됩니다. 삭제한 행은 빠집니다.",
)


@dataclass(frozen=True, slots=True)
class QuestionReview:
    """`changed` questions were edited, `undecided` had no decision, `not_in_file` no row."""

    kept: int
    deleted: int
    changed: int
    undecided: int
    not_in_file: int
    unreviewed: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def export_questions(questions: Path, to: Path, *, replace: bool) -> int:
    """All rows; returns how many. Raises `InputError`."""
    rows = list(_by_id(questions).values())
    write_sheet(to, COLUMNS, [_cells(row) for row in rows], GUIDE, replace=replace)
    return len(rows)


def import_questions(file: Path, questions: Path) -> QuestionReview:
    """Change the file of questions as the person said: edits, then what is kept is `reviewed`, and
    what is deleted goes. Raises `InputError` that names each cell at fault; then nothing has
    changed."""
    known = _by_id(questions)
    rows, complaints = read_sheet(file, COLUMNS)
    filled: dict[str, Row] = {}
    for row in rows:
        _check(row, known, complaints, questions)
        filled[row["id"].text] = row
    complaints.stop()
    kept = {name: _edited(row, filled.get(name)) for name, row in known.items()}
    deleted = {name for name, row in filled.items() if row["decision"].text == DELETE}
    decided = {name for name, row in filled.items() if row["decision"].text == KEEP}
    for name in decided:
        kept[name]["reviewed"] = True
    left = [row for name, row in kept.items() if name not in deleted]
    draft = questions.with_suffix(".tmp")
    draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in left), "utf-8")
    draft.replace(questions)
    return QuestionReview(
        kept=len(decided),
        deleted=len(deleted),
        changed=sum(_content(kept[name]) != _content(known[name]) for name in known),
        undecided=len(filled) - len(decided) - len(deleted),
        not_in_file=len(known) - len(filled),
        unreviewed=sum(row.get("reviewed") is False for row in left),
    )


def _by_id(questions: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(read_rows(questions), start=1):
        if "id" not in row or "question" not in row:
            raise InputError(f"{questions}, question {number}: no id or no question")
        if row["id"] in found:
            raise InputError(f"{questions}, question {number}: the id {row['id']!r} again")
        if row.get("kind") not in KINDS:
            kinds = ", ".join(KINDS)
            raise InputError(f"{questions}, question {number}: its kind is none of {kinds}")
        found[str(row["id"])] = row
    if not found:
        raise InputError(f"{questions} holds no questions")
    return found


def _check(row: Row, known: Mapping[str, Any], complaints: Complaints, questions: Path) -> None:
    if row["id"].text not in known:
        complaints.add(row["id"].address, f"{row['id'].text[:40]!r} is no question of {questions}")
    if row["decision"].text == DELETE:
        return
    if not row["question"].text:
        complaints.add(row["question"].address, "a question is needed; else choose delete")
    if not row["kind"].text:
        complaints.add(row["kind"].address, f"one of {', '.join(KINDS)} is needed")


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    cells = {column.name: str(row.get(column.name) or "") for column in COLUMNS}
    cells["answers"] = "\n".join(row.get("answers") or ())
    cells["decision"] = KEEP if row.get("reviewed") is True else ""
    return cells


def _edited(row: Mapping[str, Any], filled: Row | None) -> dict[str, Any]:
    """With what a person changed; what a spreadsheet alone changes, such as line ends, is none."""
    edited = dict(row)
    if filled is None:
        return edited
    before = _cells(row)
    for name in ("kind", "question", "answers", "document", "why", "comment"):
        text = filled[name].text
        if text.split() == as_text(before[name]).split():
            continue
        if name == "answers":
            edited[name] = [line.strip() for line in text.splitlines() if line.strip()]
        elif text:
            edited[name] = text
        else:
            edited.pop(name, None)
    if edited["kind"] != "near":
        edited.pop("why", None)  # it would still say that the documents hold no answer
    return edited


def _content(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("reviewed", "comment")}
