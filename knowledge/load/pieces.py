"""What PDFium finds on a page: pieces of text, and where each stands."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, pi
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from knowledge.load.garbled import UNREADABLE

MAX_PAGE_CHARS = 1_000_000
BEYOND_EVERY_PAGE = 1e9
LONG_RUN = 20
SAME_LINE = 0.5
WIDE_GAP_EM = 1.25
"""A gap that parts two cells or columns. The words of justified lines stay closer."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in points; x to the right and y downwards, as the page is shown."""


class PageTooLong(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Piece:
    """Text on one line without a wide gap in it. Where the page's text is written downwards, boxes
    are turned, so that lines follow each other downwards in every script."""

    text: str
    box: Box

    @property
    def width(self) -> float:
        return self.box[2] - self.box[0]

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


def pieces_of(page: pdfium.PdfPage) -> tuple[list[Piece], float]:
    """In PDFium's order, which is mostly the order in which the file draws them, and the height of
    the page; both as the text runs, and from the top.

    PDFium's own lines are not used as they are: it joins what is drawn one after the other at about
    the same height, across columns too."""
    text_page = page.get_textpage()
    try:
        if text_page.count_chars() > MAX_PAGE_CHARS:
            raise PageTooLong(f"holds more than {MAX_PAGE_CHARS:,} characters")
        return _Measured(text_page).pieces(page.get_bbox())
    finally:
        text_page.close()


def on_one_line(a: Box, b: Box) -> bool:
    """Whether the lower of two boxes stands beside the other for the greater part."""
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    return overlap >= SAME_LINE * min(a[3] - a[1], b[3] - b[1])


def gap_between(a: Box, b: Box) -> float:
    """In points, whichever stands first; below 0 where they overlap."""
    return max(b[0] - a[2], a[0] - b[2])


def wide_gap(em: float, box: Box) -> float:
    """In points, beside a box on a page with that em."""
    return WIDE_GAP_EM * max(em, box[3] - box[1])


def em_of(boxes: Sequence[Box], chars: int) -> float:
    """The usual height of the boxes of so many characters. Glyphs that are not in the file have no
    height; then it is the width of a character."""
    height = median(box[3] - box[1] for box in boxes)
    width = sum(box[2] - box[0] for box in boxes) / chars
    return height if height > width / 2 else width


@dataclass(frozen=True, slots=True)
class _Run:
    """Characters `start` to `end` of a text page, drawn one after the other."""

    text: str
    start: int
    end: int
    boxes: Sequence[Box]
    """Of the objects that draw it, in their order."""


class _Measured:
    """A text page with its boxes. Calls of PDFium cost more than the work they do, so characters
    are measured one by one only where boxes of whole objects do not tell."""

    def __init__(self, text_page: pdfium.PdfTextPage) -> None:
        self._page = text_page
        self._raw = text_page.raw
        self._turns = 0
        self._sides = [ctypes.c_double() for _ in range(4)]

    def pieces(self, page: Box) -> tuple[list[Piece], float]:
        lines = list(self._lines())
        self._turns = self._turns_to_upright(lines)
        if self._turns:
            lines = list(self._lines())
        left, low, right, high = page
        _, top, _, bottom = self._turned(left, high, right, low)
        if not lines:
            return [], bottom - top
        boxes = [box for line in lines for box in line.boxes]
        em = em_of(boxes, sum(len(line.text) for line in lines))
        runs = self._at_gaps([run for line in lines for run in self._apart(line, em)], em)
        checked = any(self._has_unmapped(run) for run in runs)
        return [
            Piece(self._checked(run) if checked else run.text, _below(_around(run.boxes), top))
            for run in runs
        ], bottom - top

    def _turns_to_upright(self, lines: Sequence[_Run]) -> int:
        """Clockwise quarter turns that make most text run to the right; the page's own rotation
        does not tell, since the text of a rotated page may be drawn either way."""
        votes: Counter[int] = Counter()
        for line in lines:
            angle = raw.FPDFText_GetCharAngle(self._raw, (line.start + line.end) // 2)
            high, wide = _size(_around(line.boxes))
            turns = -round(angle / (pi / 2)) % 4 if isfinite(angle) else 0
            # Upright characters below each other: Chinese or Japanese that is written downwards.
            downwards = turns % 2 == 0 and len(line.text) >= 3 and high > 2 * wide
            votes[(turns + 3) % 4 if downwards else turns] += len(line.text)
        return max(votes, key=votes.__getitem__, default=0)

    def _has_unmapped(self, run: _Run) -> bool:
        """Judged by three characters; a font mostly maps all or none."""
        probes = (run.start, (run.start + run.end) // 2, run.end - 1)
        return any(raw.FPDFText_HasUnicodeMapError(self._raw, at) == 1 for at in probes)

    def _checked(self, run: _Run) -> str:
        """The text with `UNREADABLE` for what no font maps to Unicode. PDFium gives the number of
        the glyph there, which is another character's code."""
        units = "".join(
            UNREADABLE
            if raw.FPDFText_HasUnicodeMapError(self._raw, at) == 1
            else chr(raw.FPDFText_GetUnicode(self._raw, at) & 0xFFFF)
            for at in range(run.start, run.end)
        )
        return _well_formed(units)

    def _lines(self) -> Iterator[_Run]:
        at = 0
        # Lone halves of surrogate pairs would shift what follows, if they were left out.
        for line in self._page.get_text_range(errors="surrogatepass").split("\r\n"):
            length = len(line.encode("utf-16-le", "surrogatepass")) // 2
            text = _well_formed(line)
            if text.strip():
                start = raw.FPDFText_GetCharIndexFromTextIndex(self._raw, at)
                end = raw.FPDFText_GetCharIndexFromTextIndex(self._raw, at + length - 1) + 1
                yield _Run(text, start, end, self._boxes(start, end))
            at += length + 2

    def _boxes(self, start: int, end: int) -> list[Box]:
        left, top, right, bottom = self._sides
        boxes = []
        for at in range(raw.FPDFText_CountRects(self._raw, start, end - start)):
            raw.FPDFText_GetRect(self._raw, at, left, top, right, bottom)
            boxes.append(self._turned(left.value, top.value, right.value, bottom.value))
        return boxes or [_around([self._loose_box(start), self._loose_box(end - 1)])]

    def _loose_box(self, at: int) -> Box:
        """From the metrics of the font, for glyphs that are not in the file and have no shape."""
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._raw, at, box)
        return self._turned(box.left, box.top, box.right, box.bottom)

    def _turned(self, left: float, top: float, right: float, bottom: float) -> Box:
        """From PDFium's coordinates, whose y goes upwards, clockwise by the quarter turns."""
        if not abs(left + top + right + bottom) < BEYOND_EVERY_PAGE:  # or no number at all
            return 0.0, 0.0, 0.0, 0.0
        box = (left, -top, right, -bottom)
        for _ in range(self._turns % 4):
            box = (-box[3], box[0], -box[1], box[2])
        return box

    def _apart(self, line: _Run, em: float) -> Iterator[_Run]:
        """Cut where the next object stands on another line, or behind a wide gap."""
        first, anchor = 0, line.boxes[0]
        start = line.start
        for at in range(1, len(line.boxes)):
            box = line.boxes[at]
            is_near = gap_between(line.boxes[at - 1], box) < wide_gap(em, anchor)
            if is_near and on_one_line(anchor, box):
                if box[2] - box[0] > anchor[2] - anchor[0]:
                    anchor = box
                continue
            cut = self._start_of_box(line, at)
            yield self._run(start, cut, line.boxes[first:at])
            first, anchor, start = at, box, cut
        yield line if first == 0 else self._run(start, line.end, line.boxes[first:])

    def _start_of_box(self, line: _Run, wanted: int) -> int:
        """The first character of an object: PDFium tells only how many objects a range touches."""
        low, high = line.start + 1, line.end
        while low < high:
            middle = (low + high) // 2
            if raw.FPDFText_CountRects(self._raw, line.start, middle - line.start) > wanted:
                high = middle
            else:
                low = middle + 1
        return low - 1

    def _run(self, start: int, end: int, boxes: Sequence[Box]) -> _Run:
        text = self._page.get_text_range(start, end - start, errors="surrogatepass")
        return _Run(_well_formed(text), start, end, boxes)

    def _at_gaps(self, runs: Sequence[_Run], em: float) -> list[_Run]:
        """Cut the runs that are wider than their characters, at their wide gaps: one object may
        draw all cells of a row."""
        long = [run for run in runs if len(run.text) >= LONG_RUN]
        advance = median(_width(run) / len(run.text) for run in long) if long else em
        cut: list[_Run] = []
        for run in runs:
            is_sparse = _width(run) - advance * len(run.text) > WIDE_GAP_EM * em
            # Where the numbers differ, the text has characters that the page has not, or in halves.
            has_all = len(run.text) == run.end - run.start
            cut += self._cells(run, em) if is_sparse and has_all else [run]
        return cut

    def _cells(self, run: _Run, em: float) -> Iterator[_Run]:
        start = run.start
        for space in re.finditer(r"(?<=\S) +(?=\S)", run.text):
            before = run.start + space.start() - 1
            after = run.start + space.end()
            gap = gap_between(self._char_box(before), self._char_box(after))
            if gap >= wide_gap(em, run.boxes[0]):
                yield self._run(start, before + 1, self._boxes(start, before + 1))
                start = after
        yield run if start == run.start else self._run(start, run.end, self._boxes(start, run.end))

    def _char_box(self, at: int) -> Box:
        left, top, right, bottom = self._sides
        raw.FPDFText_GetCharBox(self._raw, at, left, right, bottom, top)
        return self._turned(left.value, top.value, right.value, bottom.value)


def _around(boxes: Sequence[Box]) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _below(box: Box, top: float) -> Box:
    return box[0], box[1] - top, box[2], box[3] - top


def _width(run: _Run) -> float:
    box = _around(run.boxes)
    return box[2] - box[0]


def _well_formed(text: str) -> str:
    """Pairs of surrogates as one character, single ones as unreadable."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _size(box: Box) -> tuple[float, float]:
    return box[3] - box[1], box[2] - box[0]
