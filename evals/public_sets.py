"""Public question sets, read from the folder `--data` as they lie there: a folder for each set."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from evals.corpora import Corpus, Text
from evals.questions import Source, read_rows
from evals.suite import Options, Sample
from graph.errors import InputError
from knowledge.lexical import terms
from knowledge.search import DUPLICATE_JACCARD, jaccard

LEFT_OUT_OF = 5
"""Of the articles, by title, every fifth is left out of an index with near questions."""


def _rows(options: Options, path: str) -> list[dict[str, Any]]:
    if options.data is None:
        raise InputError(f"{path} is of a public set: name the folder that has it with --data DIR")
    return read_rows(options.data / path)


def _corpus(name: str, passages: str, titles: bool, options: Options) -> Corpus:
    return Corpus(name, _texts(_rows(options, passages)), titles)


def _texts(rows: list[dict[str, Any]]) -> dict[str, Text]:
    return {row["pid"]: Text(row["title"].replace("_", " "), row["text"]) for row in rows}


def _answerable(
    corpus: str, language: str, passages: str, questions: str, options: Options
) -> Iterator[Sample]:
    twins = _twins(_rows(options, passages))
    for row in _rows(options, questions):
        if row.get("answerable", True):
            also = twins[row["pid"]]
            yield _sample(f"{language}/{row['qid']}", language, "answerable", corpus, row, also)


def _twins(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """To each passage, those that nearly repeat it. A search shows one of them, so one is as good
    as another."""
    held = [(row["pid"], set(terms(row["text"]))) for row in rows]
    found: dict[str, list[str]] = {pid: [] for pid, _ in held}
    for (one, own), (other, others) in combinations(held, 2):
        if jaccard(own, others) >= DUPLICATE_JACCARD:
            found[one].append(other)
            found[other].append(one)
    return found


def _sample(
    sample_id: str,
    language: str,
    kind: str,
    corpus: str,
    row: Mapping[str, Any],
    twins: Sequence[str] = (),
) -> Sample:
    gold = {"document": f"{row['pid']}.html", "answers": row["answers"]}
    if twins:
        gold["twins"] = [f"{pid}.html" for pid in twins]
    return Sample(f"{corpus}/{sample_id}", language, kind, row["question"], corpus, gold)


def _part(folder: str, options: Options) -> Corpus:
    """Without the articles that near questions are about."""
    rows = _rows(options, f"{folder}/passages.jsonl")
    out = left_out(rows)
    return Corpus(f"{folder} in part", _texts([row for row in rows if row["title"] not in out]))


def _with_outside(folder: str, language: str, foreign: str, options: Options) -> Iterator[Sample]:
    """'answerable' and 'unanswerable' questions about indexed articles, 'near' ones that articles
    outside of the index answer, and 'far' ones of another set."""
    passages = _rows(options, f"{folder}/passages.jsonl")
    out, titles = left_out(passages), {row["pid"]: row["title"] for row in passages}
    for row in _rows(options, f"{folder}/questions.jsonl"):
        answerable, near = row.get("answerable", True), titles[row["pid"]] in out
        if answerable or not near:
            kind = "near" if near else "answerable" if answerable else "unanswerable"
            yield _sample(row["qid"], language, kind, folder, row)
    for number, row in enumerate(_rows(options, foreign), start=1):
        yield Sample(f"{folder}/{foreign}/{number}", language, "far", row["text"], folder)


def left_out(passages: list[dict[str, Any]]) -> frozenset[str]:
    """The titles of the articles that near questions are about."""
    return frozenset(sorted({row["title"] for row in passages})[::LEFT_OUT_OF])


def _in_part(folder: str, language: str, foreign: str) -> Source:
    return Source(partial(_part, folder), partial(_with_outside, folder, language, foreign))


def _whole(name: str, folder: str, language: str, titles: bool) -> Source:
    return Source(
        partial(_corpus, name, f"{folder}/passages.jsonl", titles),
        partial(
            _answerable, name, language, f"{folder}/passages.jsonl", f"{folder}/questions.jsonl"
        ),
    )


def _xquad(name: str, language: str) -> Source:
    """Texts of one language, and the same questions in both."""

    passages = f"xquad/{language}_passages.jsonl"

    def samples(options: Options) -> Iterator[Sample]:
        for asked in ("en", "zh"):
            questions = f"xquad/{asked}_questions.jsonl"
            yield from _answerable(name, asked, passages, questions, options)

    return Source(partial(_corpus, name, passages, False), samples)


IN_PART: Mapping[str, Source] = {
    "squad2_dev": _in_part("squad2_dev", "en", "clinc150/oos_test.jsonl"),
    "korquad1_dev": _in_part("korquad1_dev", "ko", "ko_chitchat_ood/questions.jsonl"),
}
WHOLE: Mapping[str, Source] = {
    "squad2_dev": _whole("squad2_dev", "squad2_dev", "en", False),
    "squad2_dev titled": _whole("squad2_dev titled", "squad2_dev", "en", True),
    "korquad1_dev": _whole("korquad1_dev", "korquad1_dev", "ko", False),
    "korquad1_dev titled": _whole("korquad1_dev titled", "korquad1_dev", "ko", True),
    "xquad en": _xquad("xquad en", "en"),
    "xquad zh": _xquad("xquad zh", "zh"),
}
"""Each passage is a document; 'titled' ones have their article's title above them."""
