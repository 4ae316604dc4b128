"""PDFs that are hard to read, made by hand, in any script, without a font or a library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

SHIFT = 29
"""Of glyph numbers against codes in many fonts: `T` is glyph 55."""


@dataclass(frozen=True)
class Show:
    """A text at a place, in points from the lower left corner; a tab is drawn as a gap. One that is
    not `mapped` is drawn by glyph numbers in a font that does not say which characters they are."""

    x: float
    y: float
    text: str
    size: float = 10
    mapped: bool = True


@dataclass(frozen=True)
class Sheet:
    """A page. `fields` are labels and values of a form; `turned` are clockwise quarter turns that
    bring the text upright; `kind` is text, scan (an image), broken (none) or cycle (all pages)."""

    shows: Sequence[Show] = ()
    width: float = 595
    height: float = 842
    rotate: int = 0
    turned: int = 0
    fields: Sequence[tuple[str, str]] = ()
    kind: str = "text"


def lines(*texts: str, x: float = 60, top: float = 780, pitch: float = 14) -> list[Show]:
    return [Show(x, top - at * pitch, text) for at, text in enumerate(texts)]


def write(path: Path, sheets: Sequence[Sheet], info: Mapping[str, str] | None = None) -> Path:
    """`info` has the keys of the document information dictionary, such as Title and ModDate."""
    path.write_bytes(_Objects().document(sheets, info or {}))
    return path


_TURNS = ["1 0 0 1 0 0", "0 1 -1 0 842 0", "-1 0 0 -1 595 842", "0 -1 1 0 0 595"]
"""Matrices: counterclockwise about the page, so that a turned page shows the text upright."""


class _Objects:
    def __init__(self) -> None:
        self._contents: list[bytes] = []
        self._chars: dict[str, int] = {}

    def add(self, content: str | bytes) -> str:
        self._contents.append(content if isinstance(content, bytes) else content.encode("ascii"))
        return f"{len(self._contents)} 0 R"

    def stream(self, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode("ascii")
        return self.add(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(data), data))

    def document(self, sheets: Sequence[Sheet], info: Mapping[str, str]) -> bytes:
        catalog, tree = "1 0 R", "2 0 R"
        self._contents = [b"", b""]
        fonts = self._fonts("".join(show.text for sheet in sheets for show in sheet.shows))
        pages, fields = [], []
        for sheet in sheets:
            own = [self._field(label, value) for label, value in sheet.fields]
            fields += own
            pages.append(tree if sheet.kind == "cycle" else self._page(sheet, fonts, own))
        form = f"/AcroForm << /Fields [{' '.join(fields)}] >>"
        kids = f"/Kids [{' '.join(pages)}] /Count {len(pages)}"
        self._contents[0] = f"<< /Type /Catalog /Pages {tree} {form} >>".encode("ascii")
        self._contents[1] = f"<< /Type /Pages {kids} >>".encode("ascii")
        entries = " ".join(f"/{key} {_string(value)}" for key, value in info.items())
        return self._file(catalog, self.add(f"<< {entries} >>"))

    def _fonts(self, text: str) -> str:
        """Fonts of 256 characters each, whose glyphs are boxes, and one that maps no character."""
        self._chars = {char: at for at, char in enumerate(sorted(set(text)))}
        chars = list(self._chars)
        drawn = [chars[at : at + 256] for at in range(0, len(chars), 256)]
        names = [f"/F{at} {self._box_font(block)}" for at, block in enumerate(drawn)]
        return f"<< {' '.join(names)} /Unmapped {self._unmapped_font()} >>"

    def _box_font(self, chars: Sequence[str]) -> str:
        """Latin letters are half as wide as the others."""
        widths = [500 if ord(char) < 0x300 else 1000 for char in chars]
        glyphs = {
            width: self.stream(f"{width} 0 0 0 {width - 50} 700 d1 0 0 {width - 50} 700 re f")
            for width in set(widths)
        }
        names = [f"/g{at}" for at in range(len(chars))]
        procs = " ".join(
            f"{name} {glyphs[width]}" for name, width in zip(names, widths, strict=True)
        )
        return self.add(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 700] "
            "/FontMatrix [.001 0 0 .001 0 0] "
            f"/CharProcs << {procs} >> /Encoding << /Differences [0 {' '.join(names)}] >> "
            f"/FirstChar 0 /LastChar {len(chars) - 1} /Widths {widths} "
            f"/ToUnicode {self.stream(_character_map(chars))} >>"
        )

    def _unmapped_font(self) -> str:
        below = self.add(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 500 "
            "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
        )
        return self.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H "
            f"/DescendantFonts [{below}] >>"
        )

    def _page(self, sheet: Sheet, fonts: str, fields: Sequence[str]) -> str:
        if sheet.kind == "broken":
            return self.add("(this is no page)")
        drawn = f"{_TURNS[sheet.turned]} cm\n" + "".join(map(self._drawn, sheet.shows))
        if sheet.kind == "scan":
            drawn = "q 500 0 0 700 40 70 cm BI /W 1 /H 1 /CS /G /BPC 8 ID ~ EI Q"
        return self.add(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {sheet.width} {sheet.height}] "
            f"/Rotate {sheet.rotate} /Resources << /Font {fonts} >> /Annots [{' '.join(fields)}] "
            f"/Contents {self.stream(drawn)} >>"
        )

    def _drawn(self, show: Show) -> str:
        at = f"BT 1 0 0 1 {show.x} {show.y} Tm"
        if not show.mapped:
            codes = "".join(f"{ord(char) - SHIFT:04x}" for char in show.text)
            return f"{at} /Unmapped {show.size} Tf <{codes}> Tj ET\n"
        numbers = [self._chars[char] for char in show.text]
        parts = [
            f"/F{font} {show.size} Tf [<{''.join(map(self._code, block))}>] TJ"
            for font, block in groupby(numbers, lambda number: number // 256)
        ]
        return f"{at} {' '.join(parts)} ET\n"

    def _code(self, number: int) -> str:
        return "> -4000 <" if number == self._chars.get("\t") else f"{number % 256:02x}"

    def _field(self, label: str, value: str) -> str:
        return self.add(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /Rect [60 100 300 120] "
            f"/T (field{len(self._contents)}) /TU {_string(label)} /V {_string(value)} >>"
        )

    def _file(self, root: str, info: str) -> bytes:
        body = b"%PDF-1.7\n"
        offsets = []
        for number, content in enumerate(self._contents, start=1):
            offsets.append(len(body))
            body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
        size = len(offsets) + 1
        entries = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
        table = (
            f"xref\n0 {size}\n0000000000 65535 f \n{entries}"
            f"trailer\n<< /Size {size} /Root {root} /Info {info} >>\n"
            f"startxref\n{len(body)}\n%%EOF\n"
        )
        return body + table.encode("ascii")


def _string(text: str) -> str:
    return f"<feff{text.encode('utf-16-be').hex()}>"


def _character_map(chars: Sequence[str]) -> str:
    maps = [f"<{at:02x}> <{char.encode('utf-16-be').hex()}>" for at, char in enumerate(chars)]
    blocks = [maps[at : at + 100] for at in range(0, len(maps), 100)]
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        + "".join(f"{len(block)} beginbfchar {' '.join(block)} endbfchar\n" for block in blocks)
        + "endcmap end end"
    )
