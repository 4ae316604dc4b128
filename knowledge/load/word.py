"""DOCX. python-docx opens the package; its XML is walked here, since `Paragraph.text` leaves out
tracked insertions, content controls, text boxes, footnotes and the numbers of lists.

A DOCX has no pages before something lays it out, and not the same ones in every program: the whole
document is page 1.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import docx
from docx.document import Document
from docx.exceptions import PythonDocxError
from docx.opc.constants import RELATIONSHIP_TYPE
from lxml import etree

from knowledge.load.blocks import Blocks
from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.normal import title_of
from knowledge.load.office import load_archive, parse_xml, properties_of
from knowledge.load.word_lists import Numbering
from knowledge.load.word_styles import PLAIN, Style, W, is_on, read_style, read_styles, value

_PARAGRAPH, _TABLE, _ROW, _CELL = f"{W}p", f"{W}tbl", f"{W}tr", f"{W}tc"
_RUN, _TEXT_BOX = f"{W}r", f"{W}txbxContent"
_TEXTS = {f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}

_LEFT_OUT = {
    f"{W}del",
    f"{W}moveFrom",
    f"{W}rt",  # how the Chinese or Japanese word below it is read
    # What stands in `Choice`, once more.
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    *(f"{W}{name}" for name in ("sdtPr", "pPr", "rPr", "tblPr", "trPr", "tcPr")),
}
_SIGNS = {
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}tab": " ",
    f"{W}ptab": " ",
    f"{W}noBreakHyphen": "-",
}
_NOTES = {
    f"{W}footnoteReference": RELATIONSHIP_TYPE.FOOTNOTES,
    f"{W}endnoteReference": RELATIONSHIP_TYPE.ENDNOTES,
}


def load_word(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    return load_archive(path, options, "DOCX", _read, PythonDocxError)


def _read(archive: IO[bytes], path: Path) -> Loaded | Unreadable:
    properties = properties_of(archive)
    document = docx.Document(archive)
    blocks = Blocks()
    _Walk(document).blocks(document.element.body, blocks)
    page = blocks.page(1)
    if page is None:
        return Unreadable("no_text", "the document holds no text (its pictures are not read)")
    title = title_of(properties.title, [page], path)
    return Loaded(title, (page,), date=properties.date, tags=properties.tags)


class _Walk:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._styles = read_styles(self._part(RELATIONSHIP_TYPE.STYLES))
        self._numbering = Numbering(self._part(RELATIONSHIP_TYPE.NUMBERING))
        self._notes = {
            (tag, note.get(f"{W}id")): note
            for tag, relationship in _NOTES.items()
            for note in self._part(relationship)
        }
        # What hangs on the paragraph that is being read, and follows it.
        self._attached: list[etree._Element] = []

    def blocks(self, container: etree._Element, out: Blocks) -> None:
        for element in container:
            if element.tag == _PARAGRAPH:
                self._paragraph(element, out)
            elif element.tag == _TABLE:
                self._table(element, out)
            elif element.tag not in _LEFT_OUT:
                self.blocks(element, out)

    def _paragraph(self, paragraph: etree._Element, out: Blocks) -> None:
        style = self._style(paragraph)
        text = "".join(self._inline(paragraph)).strip()
        if text or paragraph.find(f"{W}pPr/{W}rPr/{W}del") is None:
            label = self._numbering.label(style.list_id, style.list_level)
            if text and not style.is_hidden and not style.is_contents:
                _write(style, label, text, out)
        attached, self._attached = self._attached, []
        for element in attached:
            self.blocks(element, out)

    def _style(self, paragraph: etree._Element) -> Style:
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return self._styles.get("", PLAIN)
        style_id = value(properties, "pStyle")
        return read_style(properties, self._styles.get(style_id, PLAIN))

    def _inline(self, container: etree._Element) -> Iterator[str]:
        for element in container:
            tag = element.tag
            if tag in _TEXTS:
                yield element.text or ""
            elif tag in _SIGNS:
                yield _SIGNS[tag]
            elif tag in _NOTES:
                note = self._notes.pop((tag, element.get(f"{W}id")), None)
                if note is not None:
                    self._attached.append(note)
            elif tag == _TEXT_BOX:
                self._attached.append(element)
            elif tag not in _LEFT_OUT and not self._is_hidden(element):
                yield from self._inline(element)

    def _is_hidden(self, element: etree._Element) -> bool:
        """Nobody sees such text in print: it may be meant for machines alone."""
        properties = element.find(f"{W}rPr") if element.tag == _RUN else None
        if properties is None:
            return False
        style = self._styles.get(value(properties, "rStyle"), PLAIN)
        return style.is_hidden or is_on(properties.find(f"{W}vanish"))

    def _table(self, table: etree._Element, out: Blocks) -> None:
        rows = [list(_below(row, _CELL)) for row in _below(table, _ROW)]
        # A frame around text rather than a table: its content has its own structure.
        if max(map(len, rows), default=0) < 2 or table.find(f".//{_TABLE}") is not None:
            for row in rows:
                for cell in row:
                    self.blocks(cell, out)
        else:
            out.table([self._cell(cell) for cell in row] for row in rows)

    def _cell(self, cell: etree._Element) -> str:
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        if merge is not None and merge.get(f"{W}val") != "restart":
            return ""
        text = Blocks()
        self.blocks(cell, text)
        return text.text()

    def _part(self, relationship: str) -> etree._Element:
        try:
            part = self._document.part.part_related_by(relationship)
        except KeyError:
            return etree.Element("none")
        return parse_xml(part.blob)


def _below(container: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows or cells, also those in content controls and tracked insertions."""
    for element in container:
        if element.tag == tag:
            yield element
        elif element.tag not in _LEFT_OUT:
            yield from _below(element, tag)


def _write(style: Style, label: str, text: str, out: Blocks) -> None:
    if style.outline is not None:
        out.heading(style.outline, f"{label} {text}" if label != "-" else text)
    elif label:
        out.item(text, style.list_level, label)
    else:
        out.paragraph(text)
