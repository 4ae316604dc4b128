"""A spreadsheet for a person: what may be filled in is open, all else is protected.

Text of documents and models is untrusted: no cell is ever a formula, in the file or when it is
edited. Whatever is read back is checked, and a complaint names its cell.
"""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from graph.errors import InputError

SHEET, GUIDE = "review", "how to"
NOT_ASKED = "–"
"""Stands in a cell with choices where its question does not arise."""

MAX_CHARS = 32_000
"""A cell of Excel holds 32,767."""

MAX_BYTES, MAX_UNPACKED_BYTES = 50_000_000, 500_000_000
MAX_COMPLAINTS = 20

# A parser's complaint about XML is a SyntaxError.
_UNREADABLE = (
    OSError, zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, TypeError, SyntaxError
)  # fmt: skip
_OPEN = PatternFill("solid", fgColor="FFF9E5")
_HEAD = PatternFill("solid", fgColor="E6E6E6")


@dataclass(frozen=True, slots=True)
class Column:
    """`choices` are all that its cells may hold. `width` is in characters."""

    name: str
    title: str
    width: int
    choices: tuple[str, ...] = ()
    editable: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell that was read: its text without space around, and its address such as 'C5'."""

    text: str
    address: str


Row = Mapping[str, Filled]


class Complaints:
    """What is wrong with a file, cell by cell; `stop` raises once all of it was read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: list[str] = []

    def add(self, address: str, what: str) -> None:
        self._found.append(f"{address}: {what}")

    def stop(self) -> None:
        """Raises `InputError` where anything was added."""
        if self._found:
            more = len(self._found) - MAX_COMPLAINTS
            shown = [*self._found[:MAX_COMPLAINTS], *([f"and {more} more"] if more > 0 else [])]
            raise InputError(
                f"{self._path} was not taken, nothing has changed:\n" + "\n".join(shown)
            )


def write_sheet(
    path: Path,
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, str]],
    guide: Sequence[str],
    *,
    replace: bool,
) -> None:
    """Raises `InputError` where the file is there, unless it may be replaced, or cannot be
    written."""
    if path.exists() and not replace:
        raise InputError(f"{path} is there, and may hold a person's work; --force replaces it")
    book = Workbook()
    sheet = book.active
    sheet.title = SHEET
    _head(sheet, columns)
    for at, row in enumerate(rows, start=2):
        for number, column in enumerate(columns, start=1):
            _fill(sheet.cell(at, number), row.get(column.name, ""), column)
    for number, column in enumerate(columns, start=1):
        if column.choices and rows:
            _offer(sheet, number, column.choices, last=len(rows) + 1)
    sheet.protection.sheet = True
    for freedom in ("formatColumns", "formatRows", "autoFilter", "sort"):
        setattr(sheet.protection, freedom, False)  # False: not forbidden
    lines = book.create_sheet(GUIDE)
    lines.column_dimensions["A"].width = 110
    for at, line in enumerate(guide, start=1):
        _text(lines.cell(at, 1), line)
    try:
        book.save(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def read_sheet(path: Path, columns: Sequence[Column]) -> tuple[list[Row], Complaints]:
    """The rows as they stand, ids checked: each there, and none twice. Raises `InputError` for what
    is no such spreadsheet."""
    sheet = _opened(path)
    places = _places(path, sheet, columns)
    complaints = Complaints(path)
    rows: list[Row] = []
    seen: dict[str, str] = {}
    for cells in sheet.iter_rows(min_row=2):
        row = dict(_read(cells, places, columns, complaints))
        if not any(cell.text for cell in row.values()):
            continue
        identity = row["id"]
        if not identity.text:
            complaints.add(identity.address, "the id is gone; copy it from the exported file")
        elif first := seen.get(identity.text):
            complaints.add(identity.address, f"the id of {first} again")
        seen.setdefault(identity.text, identity.address)
        rows.append(row)
    return rows, complaints


def as_text(value: str) -> str:
    """What a cell can hold of a text."""
    text = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]} […]"


def _head(sheet: Worksheet, columns: Sequence[Column]) -> None:
    for number, column in enumerate(columns, start=1):
        cell = sheet.cell(1, number)
        _text(cell, column.title)
        cell.font, cell.fill = Font(bold=True), _HEAD
        sheet.column_dimensions[cell.column_letter].width = column.width
    sheet.freeze_panes = "A2"


def _fill(cell: Cell, value: str, column: Column) -> None:
    _text(cell, value)
    if (column.editable or column.choices) and value != NOT_ASKED:
        cell.protection = Protection(locked=False)
        cell.number_format = "@"  # what is typed stays as it is: no dates, no rounded numbers
        cell.fill = _OPEN


def _text(cell: Cell, value: str) -> None:
    """Text, whatever it begins with: also when a person goes into the cell and out again."""
    cell.value = as_text(value) or None
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    if cell.value is not None:
        cell.data_type = "s"
        cell.quotePrefix = True


def _offer(sheet: Worksheet, number: int, choices: Sequence[str], *, last: int) -> None:
    offered = DataValidation(
        type="list", formula1=f'"{",".join(choices)}"', allow_blank=True, showErrorMessage=True
    )
    offered.error = f"One of: {', '.join(choices)}"
    letter = sheet.cell(1, number).column_letter
    offered.add(f"{letter}2:{letter}{last}")
    sheet.add_data_validation(offered)


def _opened(path: Path) -> Worksheet:
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if path.stat().st_size > MAX_BYTES or unpacked > MAX_UNPACKED_BYTES:
            raise InputError(f"{path} is larger than any review")
        book = load_workbook(path)
    except _UNREADABLE as error:
        raise InputError(f"{path} cannot be read; save it as an Excel workbook, .xlsx") from error
    if SHEET not in book.sheetnames:
        raise InputError(f"{path} has no sheet {SHEET!r}: is it a file that review export made?")
    return book[SHEET]


def _places(path: Path, sheet: Worksheet, columns: Sequence[Column]) -> dict[str, int]:
    """Where each column stands, by its title."""
    titles = {str(cell.value).strip(): at for at, cell in enumerate(sheet[1])}
    missing = [column.title for column in columns if column.title not in titles]
    if missing:
        raise InputError(f"{path}: row 1 lacks the column {missing[0]!r}; is it of another export?")
    return {column.name: titles[column.title] for column in columns}


def _read(
    cells: Sequence[Cell],
    places: Mapping[str, int],
    columns: Sequence[Column],
    complaints: Complaints,
) -> Iterator[tuple[str, Filled]]:
    for column in columns:
        cell = cells[places[column.name]]
        text = "" if cell.value is None else str(cell.value).strip()
        if cell.data_type == "f" and (column.editable or column.choices):
            complaints.add(cell.coordinate, "a formula; begin the cell with an apostrophe (')")
        elif cell.is_date and column.editable:
            complaints.add(cell.coordinate, "a date; begin the cell with an apostrophe (')")
        elif column.choices and text not in ("", NOT_ASKED) and text not in column.choices:
            complaints.add(cell.coordinate, f"{text[:40]!r} is none of {', '.join(column.choices)}")
        yield column.name, Filled(text, cell.coordinate)
