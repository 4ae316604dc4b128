"""PPTX, opened with python-pptx: one page per slide, its shapes in the order in which a reader
meets them, then the speaker's notes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import pptx
from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.text.text import TextFrame

from knowledge.load.blocks import Blocks
from knowledge.load.document import Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import title_of
from knowledge.load.office import BROKEN, load_archive, parse_xml, properties_of

_REPEATED = {
    PP_PLACEHOLDER.DATE,
    PP_PLACEHOLDER.FOOTER,
    PP_PLACEHOLDER.HEADER,
    PP_PLACEHOLDER.SLIDE_NUMBER,
}
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPE, _SLIDE = f"{_P}cNvPr", f"{_P}sldId"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_BROKEN = (*BROKEN, PythonPptxError)


def load_slides(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    return load_archive(path, options, "PPTX", _read, PythonPptxError)


def _read(archive: IO[bytes], path: Path) -> Loaded | Unreadable:
    properties = properties_of(archive)
    pages: list[Page] = []
    textless: list[int] = []
    presentation = pptx.Presentation(archive)
    for number, listed in enumerate(presentation.element.iter(_SLIDE), 1):
        try:
            page = _page(presentation.part.related_slide(listed.rId), number)
        except _BROKEN:  # one bad slide does not lose its file
            page = None
        if page:
            pages.append(page)
        else:
            textless.append(number)
    if not pages:
        return Unreadable("no_text", "no slide holds text (pictures are not read)")
    title = title_of(properties.title, pages, path)
    return Loaded(title, tuple(pages), tuple(textless), properties.date, properties.tags)


def _page(slide: Slide, number: int) -> Page | None:
    blocks = Blocks()
    title = slide.shapes.title
    if title is not None:
        blocks.heading(0, title.text_frame.text.replace("\v", " "))
    for shape in _in_reading_order(slide.shapes):
        if title is None or shape.element is not title.element:
            _write(shape, slide, blocks)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        blocks.paragraph(_lines(slide.notes_slide.notes_text_frame))
    return blocks.page(number)


def _in_reading_order(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    """Rows from top to bottom, each from left to right. A shape whose upper edge lies above the
    middle of the first one of a row belongs to that row."""
    row: list[BaseShape] = []
    for shape in sorted((shape for shape in shapes if _is_shown(shape)), key=_top):
        if row and _top(shape) >= _top(row[0]) + (row[0].height or 0) / 2:
            yield from sorted(row, key=_left)
            row = []
        row.append(shape)
    yield from sorted(row, key=_left)


def _top(shape: BaseShape) -> int:
    return shape.top or 0


def _left(shape: BaseShape) -> int:
    return shape.left or 0


def _is_shown(shape: BaseShape) -> bool:
    """Neither hidden (it may be meant for machines alone) nor the same on every slide."""
    if shape.is_placeholder and shape.placeholder_format.type in _REPEATED:
        return False
    stated = next(shape.element.iter(_SHAPE), None)
    return stated is None or stated.get("hidden", "0") in ("0", "false")


def _write(shape: BaseShape, slide: Slide, blocks: Blocks) -> None:
    if isinstance(shape, GroupShape):
        for inner in _in_reading_order(shape.shapes):
            _write(inner, slide, blocks)
    elif isinstance(shape, GraphicFrame):
        if shape.has_table:
            blocks.table([cell.text for cell in row.cells] for row in shape.table.rows)
        elif shape.has_chart:
            blocks.table(_chart_rows(parse_xml(shape.chart_part.blob)))
        else:
            blocks.paragraph(_diagram_text(shape, slide))
    elif isinstance(shape, Shape):
        blocks.paragraph(_lines(shape.text_frame))


def _lines(frame: TextFrame) -> str:
    return "\n".join(paragraph.text.replace("\v", "\n") for paragraph in frame.paragraphs)


def _chart_rows(chart: etree._Element) -> Iterator[list[str]]:
    """The title, and a row for each series below the names of its points. (python-pptx reads only
    some kinds of charts.)"""
    yield [_joined(text for title in chart.iter(f"{_C}title") for text in title.iter(f"{_A}t"))]
    header: dict[str, str] = {}
    for series in chart.iter(f"{_C}ser"):
        names = _points(series, "cat", "xVal")
        values = _points(series, "val", "yVal")
        if names and names != header:
            header = names
            yield ["", *names.values()]
        name = _joined(text for tx in series.iterfind(f"{_C}tx") for text in tx.iter(f"{_C}v"))
        yield [name, *(values.get(point, "") for point in names or values)]


def _points(series: etree._Element, *sources: str) -> dict[str, str]:
    """By their numbers: an empty cell has none."""
    return {
        point.get("idx", ""): _joined(point.iter(f"{_C}v"))
        for source in sources
        for found in series.iterfind(f"{_C}{source}")
        for point in found.iter(f"{_C}pt")
    }


def _diagram_text(frame: GraphicFrame, slide: Slide) -> str:
    """What SmartArt says, a line for each of its points; nothing for other frames."""
    reference = next(frame.element.iter(f"{_DIAGRAM}relIds"), None)
    if reference is None:
        return ""
    root = parse_xml(slide.part.related_part(reference.get(f"{_RELATIONSHIP}dm", "")).blob)
    return "\n".join(_joined(point.iter(f"{_A}t")) for point in root.iter(f"{_DIAGRAM}pt"))


def _joined(texts: Iterable[etree._Element]) -> str:
    return "".join(text.text or "" for text in texts)
