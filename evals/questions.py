"""Where a suite's questions come from, and the corpora that they are asked of: the handbook, the
owner's own, and what else a suite knows."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.corpora import HANDBOOK, OWN, Corpus
from evals.suite import Options, Sample
from graph.errors import InputError

HANDBOOK_QUESTIONS = Path(__file__).parent / "data" / "handbook.jsonl"
MAX_BYTES = 500_000_000

GOLD = ("document", "answers", "why", "must_not_match", "reviewed")
"""What a line of questions may have beside id, language, kind and question. `must_not_match` are
regular expressions that no answer may match, searched without case; `reviewed` is false for a draft
that no person has read, with which no run passes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus and the questions that are asked of it; both are read when they are called for."""

    corpus: Callable[[Options], Corpus]
    samples: Callable[[Options], Iterable[Sample]]


def sources(options: Options, public: Mapping[str, Source]) -> dict[str, Source]:
    """By the name of the corpus: the owner's own where a file of questions is given, else the
    handbook, and `public` where their folder is given; or those of them that were asked for.
    Raises `InputError` where one of these cannot be had."""
    if options.questions:
        there = {"own": OWN_SOURCE}
    else:
        there = {"handbook": HANDBOOK_SOURCE, **(public if options.data else {})}
    for name in options.corpora:
        if name not in there:
            raise InputError(
                f"the corpus {name} cannot be had: public sets need --data DIR, and own documents "
                "--questions FILE (and then there is no other corpus)"
            )
    return {name: there[name] for name in options.corpora or there}


def all_samples(options: Options, public: Mapping[str, Source]) -> list[Sample]:
    chosen = sources(options, public).values()
    return [sample for source in chosen for sample in source.samples(options)]


def all_corpora(options: Options, public: Mapping[str, Source]) -> dict[str, Corpus]:
    return {name: source.corpus(options) for name, source in sources(options, public).items()}


def read_questions(path: Path, corpus: str) -> list[Sample]:
    """Raises `InputError` that names the line at fault."""
    samples = []
    for number, row in enumerate(read_rows(path), start=1):
        try:
            samples.append(
                Sample(
                    id=str(row["id"]),
                    language=str(row["language"]),
                    kind=str(row["kind"]),
                    question=str(row["question"]),
                    corpus=corpus,
                    gold={name: row[name] for name in GOLD if name in row},
                )
            )
            if not isinstance(row.get("reviewed", True), bool):
                raise InputError(f"{path}, question {number}: reviewed is neither true nor false")
            for pattern in _patterns(row):
                re.compile(pattern)
        except KeyError as error:
            raise InputError(f"{path}, question {number}: no {error.args[0]!r}") from error
        except (re.error, TypeError) as error:
            raise InputError(f"{path}, question {number}: must_not_match: {error}") from error
    return samples


def _patterns(row: Mapping[str, Any]) -> list[str]:
    patterns = row.get("must_not_match", [])
    if isinstance(patterns, list) and all(isinstance(each, str) for each in patterns):
        return patterns
    raise TypeError("no list of regular expressions")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file. Raises `InputError` for one that is too large, or no JSONL."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} has more than {MAX_BYTES:,} bytes")
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number} is no JSON: {error}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number} is no JSON object")
        rows.append(row)
    return rows


def _own(options: Options) -> list[Sample]:
    return read_questions(options.questions, OWN.name) if options.questions else []


HANDBOOK_SOURCE = Source(
    lambda options: Corpus("handbook", HANDBOOK),
    lambda options: read_questions(HANDBOOK_QUESTIONS, "handbook"),
)
OWN_SOURCE = Source(lambda options: OWN, _own)
