"""Questions with the document that answers each: public sets, and the handbook's own."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

HANDBOOK = Path("examples/handbook")
HANDBOOK_QUESTIONS = Path("examples/handbook_questions.jsonl")


@dataclass(frozen=True, slots=True)
class Question:
    """`document` is the path of the one that answers."""

    text: str
    document: str


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions about the folder `corpus`, or about `documents`, by their keys, that are to be
    written to a folder of that name."""

    corpus: str
    questions: tuple[Question, ...]
    documents: Mapping[str, Document] | None = None

    def folder(self, place: Path, *, titles: bool) -> Path:
        """The folder of documents: each text in a file, which has its title where `titles` is
        set."""
        if self.documents is None:
            return Path(self.corpus)
        folder = place / self.corpus
        folder.mkdir(parents=True, exist_ok=True)
        for key, document in self.documents.items():
            file = folder / f"{key}.html"
            title = f"<title>{escape(document.title)}</title>" if titles else ""
            text = f"<meta charset=utf-8>{title}<p>{escape(document.text)}"
            if not file.exists() or file.read_text("utf-8") != text:
                file.write_text(text, "utf-8")
        return folder

    def first(self, limit: int | None) -> "QuestionSet":
        return replace(self, questions=self.questions[:limit])


def read_set(name: str, data: Path) -> QuestionSet:
    """One of `SETS`, from its folder below `data`."""
    return SETS[name](data)


def _squad(folder: str, data: Path) -> QuestionSet:
    asked = [row for row in _rows(data / folder / "questions.jsonl") if row.get("answerable", True)]
    return QuestionSet(folder, _questions(asked), _documents(data / folder / "passages.jsonl"))


def _xquad(language: str, of_documents: str, data: Path) -> QuestionSet:
    folder = data / "xquad"
    return QuestionSet(
        f"xquad-{of_documents}",
        _questions(_rows(folder / f"{language}_questions.jsonl")),
        _documents(folder / f"{of_documents}_passages.jsonl"),
    )


def _handbook(part: str, data: Path) -> QuestionSet:
    asked = (row for row in _rows(HANDBOOK_QUESTIONS) if row["set"] == part)
    questions = tuple(Question(row["question"], row["document"]) for row in asked)
    return QuestionSet(str(HANDBOOK), questions)


SETS: Mapping[str, Callable[[Path], QuestionSet]] = {
    "squad2_dev": partial(_squad, "squad2_dev"),
    "korquad1_dev": partial(_squad, "korquad1_dev"),
    "xquad zh-en": partial(_xquad, "zh", "en"),
    "xquad en-zh": partial(_xquad, "en", "zh"),
    "xquad en": partial(_xquad, "en", "en"),
    "xquad zh": partial(_xquad, "zh", "zh"),
    "handbook en": partial(_handbook, "en"),
    "handbook ko": partial(_handbook, "ko"),
    "handbook ko-en": partial(_handbook, "ko-en"),
}
"""By language of the questions and, where it is another, of the documents."""


def _questions(rows: list[dict[str, Any]]) -> tuple[Question, ...]:
    return tuple(Question(row["question"], f"{row['pid']}.html") for row in rows)


def _documents(path: Path) -> dict[str, Document]:
    return {
        row["pid"]: Document(row["title"].replace("_", " "), row["text"]) for row in _rows(path)
    }


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
