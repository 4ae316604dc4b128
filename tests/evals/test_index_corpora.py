"""Generated folders are equal in every run, and as they are said to be."""

from collections import Counter
from pathlib import Path

import pytest

from evals.index.corpora import (
    HANDBOOK,
    LANGUAGES,
    Language,
    Writer,
    copy_pdfs,
    questions,
    write_markdown,
)
from knowledge.lexical import script

SMALL = 5_000
SCRIPT = {"en": "latin", "ko": "hangul"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_equal_seeds_write_equal_documents(language: Language) -> None:
    first, second = (Writer(language, seed=7, vocabulary=SMALL).document(3) for _ in range(2))
    other = Writer(language, seed=8, vocabulary=SMALL).document(3)
    assert first == second
    assert first != other


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_document_is_markdown_in_its_language(language: Language) -> None:
    lines = Writer(language, seed=1, vocabulary=SMALL).document(paragraphs=9).splitlines()
    assert lines[0].startswith("# ")
    assert sum(line.startswith("## ") for line in lines) == 3
    assert script("\n".join(lines)) == SCRIPT[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_words_are_frequent_and_most_are_rare(language: Language) -> None:
    counts = Counter(Writer(language, seed=1, vocabulary=SMALL).words(50_000))
    by_rank = [count for _, count in counts.most_common()]
    assert by_rank[0] > 10 * by_rank[99]
    assert len(counts) > SMALL / 2


def test_markdown_alternates_between_the_languages(tmp_path: Path) -> None:
    write_markdown(tmp_path, documents=4, paragraphs=2)
    files = sorted(tmp_path.rglob("*.md"))
    scripts = [script(file.read_text("utf-8")) for file in files]
    assert scripts == ["latin", "hangul", "latin", "hangul"]


def test_copies_of_a_pdf_differ_in_their_bytes_alone(tmp_path: Path) -> None:
    copy_pdfs(tmp_path, count=20)
    copies = [path.read_bytes() for path in sorted(tmp_path.glob("*.pdf"))]
    originals = [path.read_bytes() for path in sorted(HANDBOOK.glob("*.pdf"))]
    assert len(set(copies)) == 20
    assert all(copy.startswith(originals[at % len(originals)]) for at, copy in enumerate(copies))


def test_questions_alternate_between_the_languages() -> None:
    assert [script(question) for question in questions(4)] == ["latin", "hangul"] * 2
