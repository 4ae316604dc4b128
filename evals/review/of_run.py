"""A sample of a run for a person to judge, blind: neither the automatic verdict nor what kind of
question it was is shown, and ids tell nothing."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.compare import stored_results, suite_of
from evals.questions import read_rows
from evals.registry import load_suite
from evals.review.agreement import Agreement, agreement
from evals.review.sheet import NOT_ASKED, Column, Row, read_sheet, write_sheet
from evals.review.verdicts import ASKED, Asked, automatic, is_of_the_agent
from evals.sampling import stratified
from evals.shown import cited_passages, passages_by_id
from evals.suite import Outcome, Result
from graph.errors import InputError
from graph.evidence import Passage

YES, NO, UNCLEAR = "yes / 예", "no / 아니요", "unclear / 모르겠음"
CHOICES = (YES, NO, UNCLEAR)
FOLDER = "reviews"
PASSAGES_OF_REFUSAL = 5

COLUMNS = (
    Column("id", "id", 15),
    Column("question", "question / 질문", 40),
    Column("shown", "what the user read / 사용자가 본 것", 60),
    Column("passages", "passages / 근거 문단", 80),
    Column("supported", "do the passages bear all of it? / 모두 근거가 있나?", 18, CHOICES),
    Column("answers", "does it answer? / 질문에 답하나?", 18, CHOICES),
    Column("right_to_refuse", "right to refuse? / 거절이 옳은가?", 18, CHOICES),
    Column("comment", "comment / 의견", 40, editable=True),
)
GUIDE = (
    "Judge each row by what stands in it, and by the documents where you know them.",
    "Passages bear an answer where each of its statements stands there. An answer that is borne "
    "need not answer the question. It was right to refuse where the documents hold no answer.",
    "– stands where a question does not arise. Empty cells are not judged; you can go on later.",
    "각 행은 그 행에 적힌 내용과, 알고 있다면 문서에 비추어 판단해 주세요.",
    "답의 모든 진술이 문단에 있으면 근거가 있는 것입니다. 근거가 있어도 답은 아닐 수 있습니다.",
    "문서에 답이 없으면 거절이 옳습니다.",
    "– 표시는 해당 없음입니다. 빈칸은 아직 판단하지 않은 것으로 셉니다. 나중에 이어서 하면 됩니다.",
)


@dataclass(frozen=True, slots=True)
class Exported:
    rows: int
    of: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    id: str
    question: str
    automatic: bool
    person: bool
    comment: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a person said to one of the questions, beside the automatic verdict. Without one of the
    two, and for unclear ones, a row is no pair to compare."""

    asked: Asked
    judged: int
    unclear: int
    not_judged: int
    without_automatic: int
    agreement: Agreement | None
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class RunReview:
    stored: str
    rows: int
    questions: tuple[Judged, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def export_run(run: Path, to: Path, n: int, seed: int, *, replace: bool) -> Exported:
    """`n` tasks of a finished run, as many of each kind, language and automatic verdict. Raises
    `InputError`."""
    results = _reviewable(run)
    verdicts = {one.sample.id: json.dumps(automatic(one)) for one in results}
    samples = stratified([one.sample for one in results], n, seed, further=verdicts)
    drawn = {sample.id for sample in samples}
    chosen = sorted((one for one in results if one.sample.id in drawn), key=opaque_id)
    write_sheet(to, COLUMNS, [_row(one) for one in chosen], GUIDE, replace=replace)
    return Exported(len(chosen), len(results))


def import_run(file: Path, run: Path, *, replace: bool) -> RunReview:
    """Check the file, keep it in the run's folder, and compare. Raises `InputError` that names each
    cell at fault; then nothing has changed. A review of this name that has judgements which the
    file lacks stays, unless it may be replaced."""
    known = {opaque_id(one): one for one in _reviewable(run)}
    rows, complaints = read_sheet(file, COLUMNS)
    for row in rows:
        result = known.get(row["id"].text)
        if result is None:
            what = f"{row['id'].text[:40]!r} is no task of {run}, or it was asked anew since"
            complaints.add(row["id"].address, what)
            continue
        for asked in ASKED:
            if row[asked].text in CHOICES and asked not in automatic(result):
                complaints.add(row[asked].address, "was not asked here: leave it as it was, –")
    complaints.stop()
    if not rows:
        raise InputError(f"{file} holds no rows")
    name = re.sub(r"[^\w-]+", "-", file.stem)
    stored = run / FOLDER / f"{name}.jsonl"
    pairs = [(known[row["id"].text], row) for row in rows]
    _store(stored, pairs, replace=replace)
    return RunReview(str(stored), len(rows), tuple(_judged(asked, pairs) for asked in ASKED))


def opaque_id(result: Result) -> str:
    """Tells neither kind nor language, and changes with the outcome."""
    content = json.dumps([result.sample.id, result.outcome], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def _reviewable(run: Path) -> list[Result]:
    results = stored_results(load_suite(suite_of(run)), run)
    found = [one for one in results if is_of_the_agent(one.outcome)]
    if not found:
        raise InputError(
            f"{run} holds no answers or refusals as a user reads them; ask the agent: --engine"
        )
    return found


def _row(result: Result) -> dict[str, str]:
    outcome: Outcome = result.outcome or {}
    asked = automatic(result)
    return {
        "id": opaque_id(result),
        "question": result.sample.question,
        "shown": _shown(outcome),
        "passages": "\n\n".join(_passages(outcome)),
        **{name: "" if name in asked else NOT_ASKED for name in ASKED},
    }


def _shown(outcome: Outcome) -> str:
    """With the marks of its citations."""
    sentences = [
        each["text"] + "".join(f" [{number}]" for number in each["citations"])
        for each in outcome.get("sentences", ())
    ]
    return "\n".join(sentences) or str(outcome["text"])


def _passages(outcome: Outcome) -> list[str]:
    """Those that an answer cites; of a refusal the first that the agent had, else the documents
    that it names as nearest."""
    numbers = {each["passage_id"]: each["number"] for each in outcome.get("citations", ())}
    if numbers:
        cited = {one.id: one for _, found in cited_passages(outcome) for one in found}
        return [_passage(one, f"[{numbers[one.id]}] ") for one in cited.values()]
    found = list(passages_by_id(outcome).values())[:PASSAGES_OF_REFUSAL]
    nearest = [f"≈ {each['document']}" for each in outcome.get("nearest", ())]
    return [_passage(one) for one in found] or nearest


def _passage(passage: Passage, mark: str = "") -> str:
    return f"{mark}{passage.document}, {passage.page}\n{passage.text}"


def _store(stored: Path, pairs: Sequence[tuple[Result, Row]], *, replace: bool) -> None:
    lines = [_line(result, row) for result, row in pairs]
    if stored.exists() and not replace:
        kept = {(line["id"], asked) for line in lines for asked in line["person"]}
        before = {(line["id"], asked) for line in read_rows(stored) for asked in line["person"]}
        if lost := len(before - kept):
            raise InputError(
                f"{stored} has {lost} judgements that this file lacks; give the file another name, "
                "or --force replaces them"
            )
    stored.parent.mkdir(exist_ok=True)
    draft = stored.with_suffix(".tmp")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    draft.write_text(text, "utf-8")
    draft.replace(stored)


def _line(result: Result, row: Row) -> dict[str, Any]:
    return {
        "id": result.sample.id,
        "person": {asked: row[asked].text for asked in ASKED if row[asked].text in CHOICES},
        "automatic": dict(automatic(result)),
        "comment": row["comment"].text,
    }


def _judged(asked: Asked, pairs: Sequence[tuple[Result, Row]]) -> Judged:
    where = [(result, row) for result, row in pairs if asked in automatic(result)]
    told = [(result, row) for result, row in where if row[asked].text in (YES, NO)]
    compared = [
        (verdict, row[asked].text == YES, result, row)
        for result, row in told
        if (verdict := automatic(result)[asked]) is not None
    ]
    return Judged(
        asked,
        judged=len(told),
        unclear=sum(row[asked].text == UNCLEAR for _, row in where),
        not_judged=sum(row[asked].text not in CHOICES for _, row in where),
        without_automatic=len(told) - len(compared),
        agreement=agreement([(verdict, person) for verdict, person, *_ in compared]),
        disagreements=tuple(
            Disagreement(
                result.sample.id, result.sample.question, verdict, person, row["comment"].text
            )
            for verdict, person, result, row in compared
            if verdict != person
        ),
    )
