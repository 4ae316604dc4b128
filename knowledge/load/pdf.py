"""PDF, read with PDFium."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium

from knowledge.load.document import Heading, Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import normalize, title_of

MAX_PAGE_CHARS = 200_000
MAX_GARBLED_SHARE = 0.05
"""Share of characters that no font maps to Unicode; honest pages of the test set stay below 1%."""


def load_pdf(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    if path.stat().st_size == 0:
        return Unreadable("failed", "the file is empty")
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            return Unreadable("encrypted", "needs a password to open; save a copy without one")
        return Unreadable("failed", f"is not a readable PDF: {error}")
    with document:
        outline = _outline(document)
        pages: list[Page] = []
        textless: list[int] = []
        broken: list[str] = []
        for index in range(len(document)):
            try:
                raw = _page_text(document, index)
            except pdfium.PdfiumError as error:
                broken.append(f"page {index + 1}: {error}")
                textless.append(index + 1)
                continue
            text = _without_page_number(normalize(raw), index + 1)
            if not text.strip() or _garbled_share(raw) > MAX_GARBLED_SHARE:
                textless.append(index + 1)
                continue
            pages.append(Page(index + 1, text, tuple(_locate(outline.get(index, []), text))))
        metadata_title = document.get_metadata_value("Title")
    if not pages and broken:
        return Unreadable("failed", broken[0])
    if not pages:
        return Unreadable(
            "no_text", "no page has text that can be read (a scan, or fonts without Unicode)"
        )
    return Loaded(title_of(metadata_title, pages, path), tuple(pages), tuple(textless))


def _page_text(document: pdfium.PdfDocument, index: int) -> str:
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            return str(text_page.get_text_range())[:MAX_PAGE_CHARS]
        finally:
            text_page.close()
    finally:
        page.close()


def _outline(document: pdfium.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """Bookmarks by page index, as (level, title) in their order. A broken outline is no outline."""
    found: dict[int, list[tuple[int, str]]] = {}
    try:
        for bookmark in document.get_toc():
            target = bookmark.get_dest()
            index = target.get_index() if target else None
            title = normalize(bookmark.get_title()).strip()
            if index is not None and title:
                found.setdefault(index, []).append((bookmark.level, title))
    except pdfium.PdfiumError:
        return {}
    return found


def _locate(bookmarks: list[tuple[int, str]], text: str) -> Iterator[Heading]:
    """Bookmarks that stand on the page as lines of their own, in reading order."""
    position = 0
    for level, title in bookmarks:
        words = r"\s+".join(re.escape(word) for word in title.split())
        match = re.compile(rf"^\W*{words}\s*$", re.MULTILINE).search(text, position)
        if match:
            yield Heading(level, match.start(), title)
            position = match.end()


def _garbled_share(text: str) -> float:
    """Share of characters that are controls, private, or the replacement character."""
    seen = [char for char in text if not char.isspace() and char not in "\ufffe\x02"]
    bad = sum(char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn") for char in seen)
    return bad / len(seen) if seen else 0.0


def _without_page_number(text: str, number: int) -> str:
    return re.sub(rf"\n\W*{number}\W*$", "", text)
