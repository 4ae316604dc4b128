"""The public PDFs that are hard to read; their manifest says what each must give."""

import csv
import re
import unicodedata
from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.reader import read_all

READ_OTHERWISE = {
    # The manifest has what pdftotext read across the columns of a page that is written downwards.
    "ja-kampo.pdf": "道路交通法施行令の一部を改正する政令",
}
TEXTLESS = {
    "bad-pages-cycle.pdf": (2,),  # the second page is the page tree
    "en-freeculture-352p.pdf": (1, 255),  # a picture, and nothing but a running head
    "ja-vertical-pdfjs.pdf": (2, 3),  # empty
    "ko-derived-mixed.pdf": (2,),  # a scan
}
"""Of every other file, each page must be read."""

Rows = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def rows(hard_pdfs: Path) -> Rows:
    with (hard_pdfs / "manifest.tsv").open(encoding="utf-8") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}


@pytest.fixture(scope="module")
def results(hard_pdfs: Path, rows: Rows) -> dict[str, Loaded | Unreadable]:
    paths = [hard_pdfs / name for name in rows]
    return {path.name: result for path, result in read_all(paths, LoadOptions())}


def folded(text: str) -> str:
    text = re.sub("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def is_as_expected(row: dict[str, str], result: Loaded | Unreadable) -> bool:
    expected = row["must_contain_or_expected_outcome"]
    statuses = {
        "PASSWORD": ["encrypted"],
        "NO TEXT LAYER": ["no_text"],
        "NO RELIABLE TEXT": ["garbled"],
        "ERROR: not a PDF": ["failed"],
        "ERROR OR": ["failed", "no_text", "garbled", "loaded"],
    }
    status = result.status if isinstance(result, Unreadable) else "loaded"
    for outcome, allowed in statuses.items():
        if expected.startswith(outcome):
            return status in allowed
    line = READ_OTHERWISE.get(row["file"], expected)
    line = re.sub("page 1 text only: (.*); page 2 must be .*", r"\1", line)
    text = "".join(page.text for page in result.pages) if isinstance(result, Loaded) else ""
    return folded(line) in folded(text)


def test_every_hard_pdf_ends_as_it_must(
    rows: Rows, results: dict[str, Loaded | Unreadable]
) -> None:
    assert [name for name, row in rows.items() if not is_as_expected(row, results[name])] == []


def test_no_page_with_text_is_lost(results: dict[str, Loaded | Unreadable]) -> None:
    textless = {
        name: result.textless
        for name, result in results.items()
        if isinstance(result, Loaded) and result.textless
    }
    assert textless == TEXTLESS


def test_the_encrypted_ones_open_with_their_passwords(hard_pdfs: Path, rows: Rows) -> None:
    named = {
        name: password[1]
        for name, row in rows.items()
        if (password := re.search('user password "(.+?)"', row["what_makes_it_hard"]))
    }
    assert len(named) == 3
    options = LoadOptions(passwords=["wrong", *named.values()])
    for _, result in read_all([hard_pdfs / name for name in named], options):
        assert isinstance(result, Loaded)
        assert result.pages


def test_what_is_drawn_row_by_row_across_three_columns_is_read_column_by_column(
    results: dict[str, Loaded | Unreadable],
) -> None:
    instructions = results["en-irs-i1040nr.pdf"]
    assert isinstance(instructions, Loaded)
    assert (
        "a bank record (such as a cancelled\ncheck) or a written record from the\n"
        "charity. The written record must include\nthe name of the charity, date, and\n"
    ) in instructions.pages[0].text


def test_running_heads_and_line_numbers_of_a_book_are_gone(
    results: dict[str, Loaded | Unreadable],
) -> None:
    book = results["en-freeculture-352p.pdf"]
    assert isinstance(book, Loaded)
    body = [page.text for page in book.pages if 17 <= page.number <= 320]
    # Two pages have a number out of turn in the printer's line at the edge.
    assert sum("14773_01" in text for text in body) == 2
    assert not any("4TH PASS PAGES" in text for text in body)
    assert not any(re.search(r"^1\n2\n3$", text, re.MULTILINE) for text in body)
