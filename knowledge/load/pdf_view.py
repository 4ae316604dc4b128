"""One page of a PDF as a picture, and where on it a text stands."""

import ctypes
import io
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from knowledge.load.document import PageBox, PageRequest, PageView, Unreadable
from knowledge.load.pdf import open_pdf

WIDTH_PX = 1_200
MAX_HEIGHT_PX = 3_600
MAX_CHARS = 200_000
MAX_BOXES = 2_000
GRID = 1_000_000
"""PDFium gives places on a picture in whole pixels: it is asked for those of one so large."""

MIN_LINE_LETTERS = 3
FOUND_SHARE_MIN = 0.5
"""Of a text whose lines are looked for one by one; with less, nothing is marked."""


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters and digits of a text, in the form in which they are compared, and the character
    that each is of. Neither spaces nor hyphens count: lines are broken elsewhere."""

    text: str
    at: tuple[int, ...]


def view_page(path: Path, asked: PageRequest) -> PageView | Unreadable:
    opened = open_pdf(path, asked.passwords)
    if isinstance(opened, Unreadable):
        return opened
    document, _ = opened
    with document:
        try:
            document.init_forms()
            if not 1 <= asked.page <= len(document):
                return Unreadable("failed", f"has no page {asked.page}")
            page = document[asked.page - 1]
            width, height = page.get_size()
            if not (isfinite(width * height) and width > 0 and height > 0):
                return Unreadable("failed", f"page {asked.page} has no size")
            boxes = tuple(_boxes(page, asked)) if asked.end > asked.start else ()
            png = _drawn(page, width, height) if asked.drawn else b""
            return PageView(png, boxes)
        except pdfium.PdfiumError as error:
            return Unreadable("failed", f"page {asked.page} cannot be shown: {error}")
        except MemoryError:
            return Unreadable("failed", "needs more memory than one page may take")


def _drawn(page: pdfium.PdfPage, width: float, height: float) -> bytes:
    scale = min(WIDTH_PX / width, MAX_HEIGHT_PX / height)
    picture = io.BytesIO()
    page.render(scale=scale).to_pil().save(picture, "PNG")
    return picture.getvalue()


def _boxes(page: pdfium.PdfPage, asked: PageRequest) -> Iterator[PageBox]:
    text_page = page.get_textpage()
    count = text_page.count_chars()
    if count > MAX_CHARS:
        return
    shown = _letters(chr(raw.FPDFText_GetUnicode(text_page, at) & 0xFFFF) for at in range(count))
    left = MAX_BOXES
    for start, end in _ranges(shown, asked):
        rectangles = raw.FPDFText_CountRects(text_page, start, end - start)
        for at in range(min(rectangles, left)):
            if box := _box(page, text_page, at):
                yield box
        left -= min(rectangles, left)


def _ranges(shown: _Letters, asked: PageRequest) -> list[tuple[int, int]]:
    """Of characters of the PDF, that show what is marked: in one piece, else line by line, since
    columns and tables may have been read in another order."""
    marked = asked.text[asked.start : asked.end]
    wanted = _letters(marked).text
    if not wanted:
        return []
    before = _letters(asked.text[: asked.start]).text
    places = list(_found(shown.text, wanted))
    if places:
        # The same words may stand on the page more than once.
        nth = sum(1 for _ in _found(before + wanted, wanted)) - 1
        return [_range(shown, places[min(nth, len(places) - 1)], len(wanted))]
    ranges, position, found = [], 0, 0
    for line in marked.splitlines():
        letters = _letters(line).text
        if len(letters) < MIN_LINE_LETTERS:
            continue
        places = list(_found(shown.text, letters))
        if places:
            place = places[min(bisect_left(places, position), len(places) - 1)]
            ranges.append(_range(shown, place, len(letters)))
            position = place + len(letters)
            found += len(letters)
    return ranges if found >= FOUND_SHARE_MIN * len(wanted) else []


def _found(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted))


def _range(shown: _Letters, place: int, length: int) -> tuple[int, int]:
    return shown.at[place], shown.at[place + length - 1] + 1


def _letters(text: Iterator[str] | str) -> _Letters:
    """Taken apart (NFKD), so that ligatures, Hangul in parts and wide forms are all the same."""
    found = [
        (letter, at)
        for at, char in enumerate(text)
        for letter in unicodedata.normalize("NFKD", char.casefold())
        if unicodedata.category(letter)[0] in "LMN"
    ]
    return _Letters("".join(letter for letter, _ in found), tuple(at for _, at in found))


def _box(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, at: int) -> PageBox | None:
    """None where it lies outside of what is shown of the page."""
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetRect(text_page, at, left, top, right, bottom)
    one, other = _place(page, left, top), _place(page, right, bottom)
    x, y = (min(1.0, max(0.0, min(pair))) for pair in zip(one, other, strict=True))
    far_x, far_y = (min(1.0, max(0.0, max(pair))) for pair in zip(one, other, strict=True))
    return PageBox(x, y, far_x - x, far_y - y) if far_x > x and far_y > y else None


def _place(page: pdfium.PdfPage, x: ctypes.c_double, y: ctypes.c_double) -> tuple[float, float]:
    """As a share of the picture's width and height, from the top left, whichever way the page is
    turned or cropped."""
    right, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, GRID, GRID, 0, x.value, y.value, right, down)
    return right.value / GRID, down.value / GRID
