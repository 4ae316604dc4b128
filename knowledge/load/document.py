"""What loading gives: pages of text, or why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

UnreadableStatus = Literal["no_text", "encrypted", "garbled", "unsupported", "failed"]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` counts from 0, the outermost; `start` is a character of its page."""

    level: int
    start: int
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """`number` counts from 1, as a reader does."""

    number: int
    text: str
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """`pages` are those with text; `textless` are the numbers of the others: scanned, broken, or
    in fonts without Unicode. `date` (ISO 8601, a day) and `tags` are the document's own, where it
    states any."""

    title: str
    pages: tuple[Page, ...]
    textless: tuple[int, ...] = ()
    date: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    status: UnreadableStatus
    reason: str


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """`passwords` are tried in their order on an encrypted file; `ocr` reads pages without text
    with Tesseract."""

    passwords: Sequence[str] = field(default=(), repr=False)
    ocr: bool = False


PLAIN = LoadOptions()


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`text` is what was read of the page; what stands from `start` to `end` in it is to be found
    on the page; nothing where `end` is 0. `drawn`: a picture is wanted."""

    page: int
    text: str = ""
    start: int = 0
    end: int = 0
    drawn: bool = False
    passwords: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PageBox:
    """From 0 to 1: shares of the page's width and height, from its top left."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PageView:
    png: bytes
    boxes: tuple[PageBox, ...]
