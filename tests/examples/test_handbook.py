"""The sample documents: what the demo, the gate and the evals stand on."""

import re
import unicodedata
from pathlib import Path

import pytest

from knowledge.load.document import Loaded, LoadOptions
from knowledge.load.formats import load
from nodes.text.sentences import detect_language

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCES = sorted((EXAMPLES / "sources").glob("*.md"))
KOREAN = {"10-managed-to-own", "13-load-tests-and-tails", "15-two-caches-and-ttl"} | {
    "16-lora-adapters"
}


def letters(text: str) -> str:
    """Text without spaces, marks and signs: how a PDF breaks lines does not matter."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text))


def test_there_are_sixteen_documents_and_four_of_them_are_korean() -> None:
    assert len(SOURCES) == 16
    korean = {path.stem for path in SOURCES if detect_language(path.read_text("utf-8")) == "ko"}
    assert korean == KOREAN


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.stem))
def test_each_pdf_holds_the_paragraphs_of_its_source_on_3_to_10_pages(source: Path) -> None:
    loaded = load(EXAMPLES / "handbook" / f"{source.stem}.pdf", LoadOptions())
    assert isinstance(loaded, Loaded)
    assert 3 <= len(loaded.pages) <= 10
    printed = letters("".join(page.text for page in loaded.pages))
    text = source.read_text("utf-8")
    assert letters(loaded.title) == letters(text.splitlines()[0])
    paragraphs = [
        part
        for part in re.split(r"\n\s*\n", text)
        if len(part) > 80 and not part.lstrip().startswith(("#", "|", "<!--", "```", "-", "1."))
    ]
    assert len(paragraphs) > 10
    missing = [part for part in paragraphs if letters(part.split(". ")[0]) not in printed]
    # A paragraph that goes on overleaf, or in the next column, is interrupted by the page number.
    assert len(missing) <= len(loaded.pages)


def test_one_document_has_two_columns_and_several_have_tables() -> None:
    texts = [path.read_text("utf-8") for path in SOURCES]
    assert sum("columns=2" in text for text in texts) == 1
    assert sum("\n|" in text for text in texts) >= 2
