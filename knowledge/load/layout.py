"""The order in which a page is read: column after column, and a table row by row.

The order in which the file draws its text is kept where it makes sense, since it knows of captions,
notes and boxes what geometry can only guess. It is replaced on pages whose layout is clear and that
are drawn across it: columns of text drawn row by row, tables drawn column by column, titles last.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

from knowledge.load.pieces import Piece, em_of, gap_between, on_one_line, wide_gap

MAX_DISORDER = 0.04
"""Share of pairs of pieces that the file draws in another order than they are read. Text in two
columns that is drawn row by row has about 0.25, right column first 0.5."""

WHOLE_MAX = 0.1
WOVEN_MIN = 0.6
"""Changes from one column to another while the file draws, per piece. Below the first it draws
whole columns, though perhaps not in their order; above the second, across them line by line.
Between are boxes and cells of several lines, whose order it knows better."""

COLUMN_PIECE_MAX = 0.6
"""Of the page's text width: what is wider runs across columns."""
COLUMN_LINES_MIN = 5
COLUMN_FILL_MIN = 0.7
"""Of its column's width, the middle line of running text; cells of tables are mostly shorter."""
COLUMN_EM_MIN = 16
"""Narrower columns are those of tables, whose cells run over several lines."""
GUTTER_COVER_MAX = 0.05
"""Share of narrow pieces that may reach into a gutter, such as centred headings."""
GUTTER_EM_MIN = 0.6
CELL_WIDTH_MAX = 0.35
"""Of the page's text width, the middle cell of each column of a table."""
TABLE_BESIDE_MIN = 0.8
TEXT_BESIDE_MAX = 0.2
"""Share of pieces that stand beside another one: in a table nearly all do, in text few."""
SPACE_EM_MIN = 0.15

_BINS = 400
_LETTERS = re.compile(r"[^\W\d_]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Hebrew, Arabic and the scripts between and after them."""


@dataclass(frozen=True, slots=True)
class Line:
    """Text of one line, its cells parted by tabs; `lefts` are where they begin, in points."""

    text: str
    top: float
    bottom: float
    lefts: tuple[float, ...]


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """The lines of a page in reading order."""
    if not pieces:
        return []
    em = em_of([piece.box for piece in pieces], sum(len(piece.text) for piece in pieces))
    read = _read(pieces, em)
    in_order = read if read and _disorder(pieces, read) > MAX_DISORDER else pieces
    return [_line(row, em) for row in _drawn_together(in_order, em)]


def _read(pieces: Sequence[Piece], em: float) -> list[Piece] | None:
    """The pieces as a reader takes them; None where the layout is not clear."""
    gutters = _gutters(pieces, em)
    backwards = _is_right_to_left(pieces)
    rows = _rows(pieces, backwards)
    beside = sum(len(row) for row in rows if len(row) > 1) / len(pieces)
    if gutters:
        inside = [at for piece in pieces if (at := _column_of(piece, gutters)) is not None]
        changes = sum(one != other for one, other in pairwise(inside))
        is_woven = changes >= WOVEN_MIN * len(inside)
        if not is_woven and changes > max(WHOLE_MAX * len(inside), 2 * len(gutters)):
            return None
        columns = _columns(pieces, gutters)
        if all(_is_running_text(column, em, backwards) for column in columns):
            return _column_by_column(pieces, gutters, backwards)
        left, right = _extent(pieces)
        width = right - left
        widest = max(median(piece.width for piece in column) for column in columns)
        is_clear = beside >= TABLE_BESIDE_MIN and (
            any(map(_is_numbers, columns)) or (is_woven and widest <= CELL_WIDTH_MAX * width)
        )
    else:
        is_clear = beside <= TEXT_BESIDE_MAX
    return [piece for row in rows for piece in row] if is_clear else None


def _gutters(pieces: Sequence[Piece], em: float) -> list[float]:
    """Where columns part: upright strips that hardly any narrow piece reaches into, with several
    lines on either side."""
    left, right = _extent(pieces)
    narrow = [piece for piece in pieces if piece.width < COLUMN_PIECE_MAX * (right - left)]
    if len(narrow) < 2 * COLUMN_LINES_MIN:
        return []
    bin_width = (right - left) / _BINS
    steps = [0] * (_BINS + 2)
    for piece in narrow:
        steps[int((piece.box[0] - left) / bin_width)] += 1
        steps[int((piece.box[2] - left) / bin_width) + 1] -= 1
    cover = list(accumulate(steps))[:_BINS]
    gutters = []
    start = None
    for at, count in enumerate(cover):
        if count <= GUTTER_COVER_MAX * len(narrow):
            start = at if start is None else start
            continue
        if start and (at - start) * bin_width >= GUTTER_EM_MIN * em:
            gutters.append(left + (start + at) / 2 * bin_width)
        start = None
    while gutters:
        sizes = [len(column) for column in _columns(narrow, gutters)]
        least = min(range(len(sizes)), key=sizes.__getitem__)
        if sizes[least] >= max(COLUMN_LINES_MIN, 0.1 * len(narrow)):
            break
        del gutters[max(0, least - 1)]
    return gutters


def _column_of(piece: Piece, gutters: Sequence[float]) -> int | None:
    """None for a piece that runs across a gutter."""
    left, right = (bisect_right(gutters, side) for side in (piece.box[0], piece.box[2]))
    return left if left == right else None


def _columns(pieces: Sequence[Piece], gutters: Sequence[float]) -> list[list[Piece]]:
    """The pieces between the gutters, without those that run across one."""
    columns: list[list[Piece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in pieces:
        at = _column_of(piece, gutters)
        if at is not None:
            columns[at].append(piece)
    return columns


def _is_running_text(column: Sequence[Piece], em: float, backwards: bool) -> bool:
    left, right = _extent(column)
    widths = [b - a for a, b in map(_extent, _rows(column, backwards))]
    return right - left >= COLUMN_EM_MIN * em and median(widths) >= COLUMN_FILL_MIN * (right - left)


def _is_numbers(column: Sequence[Piece]) -> bool:
    """Whole columns of short lines may be an index; with a column of numbers they are a table."""
    without = sum(not any(char.isalpha() for char in piece.text) for piece in column)
    return 2 * without > len(column)


def _column_by_column(
    pieces: Sequence[Piece], gutters: Sequence[float], backwards: bool
) -> list[Piece]:
    """Rows that run across the columns part the page into bands; in each, column after column."""
    read: list[Piece] = []
    band: list[Piece] = []

    def end_band() -> None:
        columns = _columns(band, gutters)
        for column in reversed(columns) if backwards else columns:
            read.extend(piece for row in _rows(column, backwards) for piece in row)
        band.clear()

    for row in _rows(pieces, backwards):
        if any(_column_of(piece, gutters) is None for piece in row):
            end_band()
            read += row
        else:
            band += row
    end_band()
    return read


def _rows(pieces: Sequence[Piece], backwards: bool) -> list[list[Piece]]:
    """Pieces that stand beside each other, from the top; in each row from the side where its
    script begins."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.box[1] + piece.box[3]):
        if rows and on_one_line(rows[-1][0].box, piece.box):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda piece: -piece.box[2] if backwards else piece.box[0])
    return rows


def _disorder(drawn: Sequence[Piece], read: Sequence[Piece]) -> float:
    """Kendall's distance: the share of pairs that the two sequences have in another order."""
    rank = {id(piece): at for at, piece in enumerate(read)}
    seen: list[int] = []
    inverted = 0
    for piece in drawn:
        at = rank[id(piece)]
        inverted += len(seen) - bisect_right(seen, at)
        insort(seen, at)
    return inverted / max(1, len(drawn) * (len(drawn) - 1) // 2)


def _drawn_together(pieces: Sequence[Piece], em: float) -> Iterator[list[Piece]]:
    """Rows of pieces that follow each other beside each other."""
    row: list[Piece] = []
    for piece in pieces:
        if row and not (
            on_one_line(max(row, key=lambda one: one.width).box, piece.box)
            and gap_between(row[-1].box, piece.box) > -0.3 * em
        ):
            yield row
            row = []
        row.append(piece)
    yield row


def _line(row: Sequence[Piece], em: float) -> Line:
    text = row[0].text
    lefts = [row[0].box[0]]
    for last, piece in pairwise(row):
        gap = gap_between(last.box, piece.box)
        if gap >= wide_gap(em, last.box):
            text = f"{text.rstrip()}\t{piece.text.lstrip()}"
            lefts.append(piece.box[0])
        else:
            apart = gap >= SPACE_EM_MIN * em and not text.endswith(" ")
            text += f" {piece.text}" if apart else piece.text
    tops = [piece.box[1] for piece in row]
    bottoms = [piece.box[3] for piece in row]
    return Line(text.rstrip(), min(tops), max(bottoms), tuple(lefts))


def _extent(pieces: Sequence[Piece]) -> tuple[float, float]:
    return min(piece.box[0] for piece in pieces), max(piece.box[2] for piece in pieces)


def _is_right_to_left(pieces: Sequence[Piece]) -> bool:
    text = "".join(piece.text[:20] for piece in pieces)
    return 2 * len(_RIGHT_TO_LEFT.findall(text)) > len(_LETTERS.findall(text))
