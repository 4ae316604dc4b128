"""What a document repeats on its pages: headers, footers, page numbers, numbers of lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from knowledge.load.layout import Line
from knowledge.load.pieces import Piece

PAGES_MIN = 3
NUMBER_PAGES_MIN = 2
"""Pages that must share a line for it to count as repeated, and where it is but a page number."""
EDGE_LINES_MAX = 5
EDGE_SHARE = 0.2
"""Of the page's height, at the top and at the bottom; page numbers may stand further inside."""
HEIGHT_TOLERANCE = 12.0
"""In points: at about the same height."""
TITLE_SIZE_MIN = 1.5
"""Times the usual height of a line. So large is a title, on however many pages it stands."""
SAME_LEFT = 3.0
NUMBERS_MAX = 6
"""Of one line; more stand in tables."""
PAGE_NUMBER_CHARS_MAX = 30
LINE_NUMBERS_MIN = 10
ACROSS_MAX = 0.1
HEADERS_MAX = 3
"""Of the other pieces, how many may not stand to one side of the line numbers: headers above."""

_NUMBER = re.compile(r"[0-9]{1,9}")
_ROMAN = re.compile(r"\W*([ivxl]+)\W*", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"\W*(page|seite|p|쪽|페이지|第)?\W*\d+(\W*(of|von|중|/)\W*\d+)?\W*(쪽|페이지|면|页|頁|ページ)?\W*",
    re.IGNORECASE,
)
_LINE_NUMBER = re.compile(r"[A-Z]?(\d{1,3})[A-Z]?")

_Edge = Sequence[tuple[Line, float]]
_Key = tuple[str, int]
"""Text with at most one number told relative to the page, and a height."""


@dataclass(frozen=True, slots=True)
class _Page:
    number: int
    height: float
    title_height: float
    """Of a line that is no title, at most."""


def without_running_heads(
    pages: Sequence[Sequence[Line]], heights: Sequence[float]
) -> list[list[Line]]:
    """Take away the outermost lines that several pages share at about the same height: in the same
    words, or with one number that grows with the page. `heights` are those of the pages.

    Kept are titles, which are larger than the other lines, and headers of tables, whose cells
    stand above those of the next row."""
    edges = [list(_edges(lines)) for lines in pages]
    seen = Counter(
        key
        for number, of_page in enumerate(edges)
        for key in {
            key
            for edge in of_page
            for line, height in edge
            for key in _keys(line.text, height, number)
        }
    )
    line_heights = [_height(line) for lines in pages for line in lines]
    title = TITLE_SIZE_MIN * median(line_heights) if line_heights else 0.0
    kept = []
    for number, lines in enumerate(pages):
        page = _Page(number, heights[number], title)
        dropped = {id(line) for edge in edges[number] for line in _running(edge, page, seen)}
        kept.append([line for line in lines if id(line) not in dropped])
    return kept


def _running(edge: _Edge, page: _Page, seen: Counter[_Key]) -> Iterator[Line]:
    """The lines of an edge, from outside, up to the first that is the page's own."""
    for at, (line, height) in enumerate(edge):
        is_number = _is_page_number(line.text)
        pages = max(seen[key] for key in _keys(line.text, height, page.number))
        if pages < (NUMBER_PAGES_MIN if is_number else PAGES_MIN):
            return
        if not is_number and EDGE_SHARE * page.height < height < (1 - EDGE_SHARE) * page.height:
            return
        is_title = _height(line) > page.title_height
        heads_a_table = any(_shared_lefts(line, below) >= 2 for below, _ in edge[at + 1 : at + 2])
        if is_title or heads_a_table:
            return
        yield line


def _height(line: Line) -> float:
    return line.bottom - line.top


def _edges(lines: Sequence[Line]) -> Iterator[_Edge]:
    """The outermost lines at the top and at the bottom, from outside, with their distance from the
    top."""
    downwards = sorted(lines, key=lambda line: line.top)
    upper = min(EDGE_LINES_MAX, (len(lines) + 1) // 2)
    lower = min(EDGE_LINES_MAX, len(lines) - upper)
    yield [(line, line.top) for line in downwards[:upper]]
    yield [(line, line.bottom) for line in reversed(downwards[len(lines) - lower :])]


def _keys(text: str, height: float, page: int) -> Iterator[_Key]:
    """Equal for two pages where their lines are: each variant of the text, at a height rounded
    down and rounded to the nearest, so that no border falls between close heights."""
    for variant in _variants(" ".join(text.split()), page):
        yield variant, 2 * int(height // HEIGHT_TOLERANCE)
        yield variant, 2 * int(height / HEIGHT_TOLERANCE + 0.5) + 1


def _variants(text: str, page: int) -> Iterator[str]:
    """The text, and with each of its numbers told relative to the page. A number that begins or
    ends the line will do alone: beside it stands the title of a section, which changes."""
    if len(text) <= PAGE_NUMBER_CHARS_MAX and (roman := _ROMAN.fullmatch(text)):
        yield f"<{_roman(roman[1].lower()) - page}>"
    if not _is_page_number(text):
        yield text
    for number in list(_NUMBER.finditer(text))[:NUMBERS_MAX]:
        relative = f"<{int(number[0]) - page}>"
        yield f"{text[: number.start()]}{relative}{text[number.end() :]}"
    first, last = text.split(" ", 1)[0], text.rsplit(" ", 1)[-1]
    if _NUMBER.fullmatch(first):
        yield f"<{int(first) - page}> ..."
    if _NUMBER.fullmatch(last):
        yield f"... <{int(last) - page}>"


def _is_page_number(text: str) -> bool:
    return len(text) <= PAGE_NUMBER_CHARS_MAX and bool(_PAGE_NUMBER.fullmatch(text))


def _roman(numeral: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50}[digit] for digit in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _shared_lefts(line: Line, other: Line) -> int:
    return sum(any(abs(left - its) <= SAME_LEFT for its in other.lefts) for left in line.lefts)


def without_line_numbers(pages: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """Take away columns of numbers 1, 2, 3, ... beside the text that stand at the same places on
    several pages, as in transcripts and proofs."""
    places = [[_place(piece) for piece in pieces] for pieces in pages]
    seen = Counter(place for on_page in places for place in set(on_page) if place)
    return [
        _without_column(
            pieces,
            [
                piece
                for piece, place in zip(pieces, on_page, strict=True)
                if place and seen[place] >= PAGES_MIN
            ],
        )
        for pieces, on_page in zip(pages, places, strict=True)
    ]


def _place(piece: Piece) -> tuple[int, int] | None:
    match = _LINE_NUMBER.fullmatch(piece.text.strip())
    return (int(match[1]), round(piece.box[1] / HEIGHT_TOLERANCE)) if match else None


def _without_column(pieces: Sequence[Piece], numbers: Sequence[Piece]) -> list[Piece]:
    """Without those numbers, where they count downwards with the rest to one side of them."""
    if not numbers:
        return list(pieces)
    middle = median(piece.box[0] + piece.box[2] for piece in numbers) / 2
    column = sorted(
        (one for one in numbers if one.box[0] - SAME_LEFT < middle < one.box[2] + SAME_LEFT),
        key=lambda one: one.box[1],
    )
    if len(column) < LINE_NUMBERS_MIN:
        return list(pieces)
    values = [int(_NUMBER.findall(one.text)[0]) for one in column]
    counts = all(one < other for one, other in pairwise(values))
    dropped = {id(one) for one in column}
    rest = [piece for piece in pieces if id(piece) not in dropped]
    beside = max(
        sum(piece.box[2] < middle for piece in rest), sum(piece.box[0] > middle for piece in rest)
    )
    is_dense = len(column) >= 0.8 * (values[-1] - values[0])
    is_outside = len(rest) - beside <= max(HEADERS_MAX, ACROSS_MAX * len(rest))
    return rest if counts and is_dense and is_outside else list(pieces)
