"""The text of a page under construction."""

from collections.abc import Iterable, Sequence
from typing import Literal

from knowledge.load.document import Heading, Page
from knowledge.load.normal import normalize

MAX_HEADING_CHARS = 300
"""A longer one is a paragraph that somebody gave the looks of a heading."""

_Kind = Literal["paragraph", "item", "row"]


class Blocks:
    """Paragraphs and headings with an empty line between them; items of a list and rows of a table
    each on the line below the one before."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._last: _Kind = "paragraph"

    def paragraph(self, text: str) -> None:
        """White space is collapsed; line ends stay."""
        self._add(_tidy(text), "paragraph")

    def preformatted(self, text: str) -> None:
        self._add(normalize(text).strip("\n").rstrip(), "paragraph")

    def heading(self, level: int, text: str) -> None:
        title = " ".join(normalize(text).split())
        start = self._add(title, "paragraph")
        if title and len(title) <= MAX_HEADING_CHARS:
            self._headings.append(Heading(level, start, title))

    def item(self, text: str, level: int = 0, mark: str = "-") -> None:
        """`level` counts from 0; an empty `mark` continues the item before."""
        text = _tidy(text)
        if text:
            self._add("  " * level + f"{mark} {text}".lstrip(), "item")

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        for row in rows:
            cells = [" ".join(normalize(cell).split()) for cell in row]
            if any(cells):
                self._add(" | ".join(cells).strip(), "row")
        self._last = "paragraph"

    def text(self) -> str:
        return "".join(self._parts)

    def page(self, number: int) -> Page | None:
        """None without any text."""
        text = self.text()
        return Page(number, text, tuple(self._headings)) if text.strip() else None

    def _add(self, text: str, kind: _Kind) -> int:
        """Where the text starts."""
        if not text:
            return self._length
        if self._parts:
            follows = kind != "paragraph" and kind == self._last
            self._parts.append("\n" if follows else "\n\n")
            self._length += len(self._parts[-1])
        self._last = kind
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in normalize(text).split("\n"))
    return "\n".join(line for line in lines if line)
