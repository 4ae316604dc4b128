"""Pages that PDFium cannot decode, read once more with pdfminer.six.

It is slow (some pages a second), but it knows the character maps of Asian fonts that are not
embedded, and text that is written downwards."""

import logging
import re
import time
from collections.abc import Sequence
from pathlib import Path

from pdfminer.high_level import extract_pages
from pdfminer.layout import LAParams, LTPage, LTTextBox, LTTextLine, LTTextLineVertical

from knowledge.load.garbled import UNREADABLE, is_garbled
from knowledge.load.layout import Line

TIME_LIMIT_S = 20.0
"""Of the time that a file may take in all; see `knowledge.reader`."""
MAX_FAILURES = 5
"""Pages in a row that are no better here: the others will not be either."""
WORD_CHARS_MAX = 30
MAX_LONG_WORDS_SHARE = 0.5

# It warns of every oddity of a file, which nobody can change here.
logging.getLogger("pdfminer").setLevel(logging.ERROR)

_UNMAPPED = re.compile(r"\(cid:\d+\)")
_LAST_OF_ALPHABETS = "\u06ff"
"""Scripts after Arabic may be written without spaces."""


def read_again(path: Path, pages: Sequence[int], password: str) -> dict[int, list[Line]]:
    """Lines by page index, of those pages that come out sane before a limit is reached."""
    ends_at = time.monotonic() + TIME_LIMIT_S
    read: dict[int, list[Line]] = {}
    failures = 0
    for index in pages:
        lines = _lines(path, index, password)
        text = "\n".join(line.text for line in lines)
        if text and not is_garbled(text) and not _runs_together(text):
            read[index] = lines
            failures = 0
        else:
            failures += 1
        if failures == MAX_FAILURES or time.monotonic() > ends_at:
            break
    return read


def _lines(path: Path, index: int, password: str) -> list[Line]:
    vertical_too = LAParams(detect_vertical=True)
    try:
        return [
            line
            for page in extract_pages(path, password, [index], laparams=vertical_too)
            for box in page
            if isinstance(box, LTTextBox)
            for found in box
            if isinstance(found, LTTextLine) and (line := _line(found, page))
        ]
    except Exception:  # noqa: BLE001  it raises all kinds on broken files, and PDFium's verdict stands
        return []


def _line(found: LTTextLine, page: LTPage) -> Line | None:
    """In the coordinates of `knowledge.load.pieces`: downwards, turned where it is vertical."""
    text = _UNMAPPED.sub(UNREADABLE, found.get_text()).strip()
    if not text:
        return None
    left, low, right, high = found.bbox
    if isinstance(found, LTTextLineVertical):
        return Line(text, page.width - right, page.width - left, (page.height - high,))
    return Line(text, page.height - high, page.height - low, (left,))


def _runs_together(text: str) -> bool:
    """Whether most text stands in words longer than any: the font's space has another code."""
    words = [word for word in text.split() if max(word) <= _LAST_OF_ALPHABETS]
    long = sum(len(word) for word in words if len(word) > WORD_CHARS_MAX)
    return long > MAX_LONG_WORDS_SHARE * sum(map(len, words))
