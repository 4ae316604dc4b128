"""The text of each page of a PDF: in reading order, without what repeats, only what is readable."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from knowledge.load.form_fields import filled_fields
from knowledge.load.garbled import UNREADABLE, is_garbled, unreadable_share
from knowledge.load.layout import Line, lines_of
from knowledge.load.normal import mend_hyphens, normalize
from knowledge.load.pieces import PageTooLong, Piece, pieces_of
from knowledge.load.running_heads import without_line_numbers, without_running_heads

LINE_UNREADABLE_MAX = 0.5
READABLE_CHARS_MIN = 100
"""What a page must have beside the lines that cannot be read, to be kept without them."""

LOST_OBJECTS_MIN = 20

_PRESENTATION_FORMS = re.compile("[\u2e80-\u2fd5\ufb00-\ufdff\ufe70-\ufefc]")
"""Ligatures, Arabic letter forms and radicals: they look like the letters, which people type."""


@dataclass(slots=True)
class PageText:
    """`broken` says why a page could not be read; `is_garbled` that its text is nonsense."""

    text: str = ""
    broken: str = ""
    is_garbled: bool = False


@dataclass(slots=True)
class _Draft:
    pieces: list[Piece] = field(default_factory=list)
    height: float = 0.0
    fields: list[str] = field(default_factory=list)
    loses_text: bool = False
    broken: str = ""
    is_garbled: bool = False


def read_pages(document: pdfium.PdfDocument, path: Path, password: str) -> list[PageText]:
    """Normal text per page. Garbled pages are read again with a second parser."""
    drafts = [_draft(document, index) for index in range(len(document))]
    pieces = without_line_numbers([draft.pieces for draft in drafts])
    lines = [lines_of(on_page) for on_page in pieces]
    suspects = [
        index
        for index, draft in enumerate(drafts)
        if draft.loses_text or is_garbled(_joined(lines[index]))
    ]
    rescued = _read_again(path, suspects, password) if suspects else {}
    lines = [list(filter(_is_readable, on_page)) for on_page in lines]
    for index in suspects:
        again = list(filter(_is_readable, rescued.get(index, ())))
        best = max(lines[index], again, key=_chars)
        drafts[index].is_garbled = _chars(best) < READABLE_CHARS_MIN or is_garbled(_joined(best))
        lines[index] = [] if drafts[index].is_garbled else best
    lines = without_running_heads(lines, [draft.height for draft in drafts])
    texts = mend_hyphens([_joined(on_page) for on_page in lines])
    return [_finished(draft, text) for draft, text in zip(drafts, texts, strict=True)]


def _finished(draft: _Draft, text: str) -> PageText:
    parts = [normalize(_in_letters(text)).rstrip(), *draft.fields]
    return PageText("\n".join(filter(None, parts)), draft.broken, draft.is_garbled)


def _read_again(path: Path, pages: Sequence[int], password: str) -> dict[int, list[Line]]:
    from knowledge.load.second_parser import read_again  # slow to import, and rarely needed

    return read_again(path, pages, password)


def _draft(document: pdfium.PdfDocument, index: int) -> _Draft:
    try:
        page = document[index]
    except pdfium.PdfiumError as error:
        return _Draft(broken=str(error))
    try:
        pieces, height = pieces_of(page)
        fields = [normalize(text) for text in filled_fields(page)]
        return _Draft(pieces, height, fields, _draws_more_than(page, pieces))
    except (pdfium.PdfiumError, PageTooLong) as error:
        return _Draft(broken=str(error))
    finally:
        page.close()


def _draws_more_than(page: pdfium.PdfPage, pieces: Sequence[Piece]) -> bool:
    """Whether the page draws far more text than PDFium gives: each object has a character at
    least, but PDFium leaves out those in fonts whose character maps it does not know."""
    enough = LOST_OBJECTS_MIN + 2 * sum(len(piece.text) for piece in pieces)
    count = raw.FPDFPage_CountObjects(page)
    if count < enough:
        return False
    kinds = [raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page, at)) for at in range(count)]
    return kinds.count(raw.FPDF_PAGEOBJ_TEXT) >= enough


def _is_readable(line: Line) -> bool:
    is_plain = line.text.isprintable() and UNREADABLE not in line.text
    return is_plain or unreadable_share(line.text) <= LINE_UNREADABLE_MAX


def _chars(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


def _in_letters(text: str) -> str:
    return _PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)
