"""PDF, read with PDFium."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from knowledge.load.document import Heading, Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import normalize, title_of
from knowledge.load.pdf_text import PageText, read_pages
from knowledge.load.properties import first_day, tags_of

MAX_PAGES = 20_000

_DAY = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)")


def load_pdf(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    if path.stat().st_size == 0:
        return Unreadable("failed", "the file is empty")
    opened = open_pdf(path, options.passwords)
    if isinstance(opened, Unreadable):
        return opened
    document, password = opened
    with document:
        try:
            return _load(document, path, password, options)
        except pdfium.PdfiumError as error:
            return Unreadable("failed", f"cannot be read: {error}")


def _load(
    document: pdfium.PdfDocument, path: Path, password: str, options: LoadOptions
) -> Loaded | Unreadable:
    document.init_forms()
    if len(document) == 0:
        return Unreadable("failed", "has no pages")
    if len(document) > MAX_PAGES:
        return Unreadable("failed", f"has more than {MAX_PAGES:,} pages; split it")
    found = read_pages(document, path, password)
    if options.ocr:
        _recognize(document, found)
    outline = _outline(document)
    pages = tuple(
        Page(number, page.text, tuple(_locate(outline.get(number - 1, []), page.text)))
        for number, page in enumerate(found, start=1)
        if page.text.strip()
    )
    if not pages:
        return _why_none(found, options)
    return Loaded(
        title_of(_stated(document, "Title"), pages, path),
        pages,
        tuple(number for number, page in enumerate(found, start=1) if not page.text.strip()),
        first_day(_iso(_stated(document, key)) for key in ("ModDate", "CreationDate")),
        tags_of([_stated(document, "Keywords")]),
    )


def open_pdf(path: Path, passwords: Sequence[str]) -> tuple[pdfium.PdfDocument, str] | Unreadable:
    """With the password that opens it."""
    for password in ("", *passwords):
        # Not by PdfDocument(path): for a file without pages that tells the last file's error.
        handle = raw.FPDF_LoadDocument(os.fsencode(path), password.encode() or None)
        if handle:
            return pdfium.PdfDocument(handle), password
        error = raw.FPDF_GetLastError()
        if error == raw.FPDF_ERR_SECURITY:
            return Unreadable("encrypted", "is protected by other means than a password")
        if error != raw.FPDF_ERR_PASSWORD:
            return Unreadable("failed", "is no PDF, or one that is damaged beyond repair")
    tried = f"none of the {len(passwords)} passwords opens it" if passwords else "needs a password"
    return Unreadable(
        "encrypted",
        f"{tried}; write it on a line of a file: knowledge-agent ingest DIR --passwords FILE",
    )


def _recognize(document: pdfium.PdfDocument, found: Sequence[PageText]) -> None:
    from knowledge.load.ocr import read_page

    for index, page in enumerate(found):
        if not page.text.strip() and not page.broken:
            try:
                page.text = normalize(read_page(document[index]))
            except pdfium.PdfiumError as error:
                page.broken = str(error)


def _why_none(found: Sequence[PageText], options: LoadOptions) -> Unreadable:
    broken = [f"page {at}: {page.broken}" for at, page in enumerate(found, 1) if page.broken]
    if len(broken) == len(found):
        return Unreadable("failed", broken[0])
    if options.ocr:
        return Unreadable("no_text", "no page has text, and OCR finds none either")
    turn_on = "read it with OCR (needs the extra ocr): knowledge-agent ingest DIR --ocr"
    if any(page.is_garbled for page in found):
        return Unreadable("garbled", f"its fonts do not say which characters they show; {turn_on}")
    return Unreadable("no_text", f"no page has text, as in a scan; {turn_on}")


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
    except (pdfium.PdfiumError, UnicodeDecodeError):
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


def _stated(document: pdfium.PdfDocument, key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except UnicodeDecodeError:
        return ""


def _iso(stated: str) -> str:
    """The day of a PDF date such as `D:20240501093000+09'00'`; other forms as they are."""
    return _DAY.sub(r"\1-\2-\3 ", stated, count=1)
