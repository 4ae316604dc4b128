"""Files to pages of text. Every file ends as `Loaded` or `Unreadable`, never as an exception."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pypdfium2 as pdfium

UnreadableStatus = Literal["no_text", "encrypted", "unsupported", "failed"]

PDF_SUFFIX = ".pdf"
TEXT_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
SUPPORTED_SUFFIXES = TEXT_SUFFIXES | {PDF_SUFFIX}

MAX_TEXT_BYTES = 20_000_000
MAX_PAGE_CHARS = 200_000
MAX_GARBLED_SHARE = 0.05
"""Share of characters that no font maps to Unicode; honest pages of the test set stay below 1%."""

# PDFium writes U+FFFE where a line ends inside a hyphenated word.
_HYPHENATION = re.compile(r"[\ufffe\x02]\n?")
_SPACES_AT_LINE_END = re.compile(r"[ \t\u00a0]+\n")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_NO_TITLE = re.compile(r"^(untitled|microsoft \w+ - .*|.*\.\w{2,4}|document\d*|[\d\W]*)$", re.I)


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
    in fonts without Unicode."""

    title: str
    pages: tuple[Page, ...]
    textless: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    status: UnreadableStatus
    reason: str


def is_supported(path: Path) -> bool:
    return path.suffix.lower() in SUPPORTED_SUFFIXES


def load(path: Path) -> Loaded | Unreadable:
    """Read one file in this process. A hostile PDF can still hang or crash PDFium: call it through
    `knowledge.reader.Reader`, which bounds both."""
    try:
        if path.suffix.lower() == PDF_SUFFIX:
            return _load_pdf(path)
        if path.suffix.lower() in TEXT_SUFFIXES:
            return _load_text(path)
    except OSError as error:
        return Unreadable("failed", f"cannot be read: {error.strerror or error}")
    except MemoryError:
        return Unreadable("failed", "needs more memory than one file may take")
    return Unreadable("unsupported", f"files of the type {path.suffix or 'none'} are not read")


def _load_pdf(path: Path) -> Loaded | Unreadable:
    if path.stat().st_size == 0:
        return Unreadable("failed", "the file is empty")
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            return Unreadable("encrypted", "needs a password to open; save a copy without one")
        return Unreadable("failed", f"is not a readable PDF: {error}")
    with document:
        outline = _outline(document)
        pages: list[Page] = []
        textless: list[int] = []
        broken: list[str] = []
        for index in range(len(document)):
            try:
                raw = _page_text(document, index)
            except pdfium.PdfiumError as error:
                broken.append(f"page {index + 1}: {error}")
                textless.append(index + 1)
                continue
            text = _without_page_number(normalize(raw), index + 1)
            if not text.strip() or _garbled_share(raw) > MAX_GARBLED_SHARE:
                textless.append(index + 1)
                continue
            pages.append(Page(index + 1, text, tuple(_locate(outline.get(index, []), text))))
        metadata_title = document.get_metadata_value("Title")
    if not pages and broken:
        return Unreadable("failed", broken[0])
    if not pages:
        return Unreadable(
            "no_text", "no page has text that can be read (a scan, or fonts without Unicode)"
        )
    return Loaded(_title(metadata_title, pages, path), tuple(pages), tuple(textless))


def _page_text(document: pdfium.PdfDocument, index: int) -> str:
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            return str(text_page.get_text_range())[:MAX_PAGE_CHARS]
        finally:
            text_page.close()
    finally:
        page.close()


def _outline(document: pdfium.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """Bookmarks by page index, as (level, title) in their order. A broken outline is no outline."""
    found: dict[int, list[tuple[int, str]]] = {}
    try:
        for bookmark in document.get_toc():
            target = bookmark.get_dest()
            index = target.get_index() if target else None
            title = normalize(bookmark.get_title()).strip()
            if index is not None and title:
                found.setdefault(index, []).append((bookmark.level, title))
    except pdfium.PdfiumError:
        return {}
    return found


def _locate(bookmarks: list[tuple[int, str]], text: str) -> Iterator[Heading]:
    """Bookmarks that stand on the page as lines of their own, in reading order."""
    position = 0
    for level, title in bookmarks:
        words = r"\s+".join(re.escape(word) for word in title.split())
        match = re.compile(rf"^\W*{words}\s*$", re.MULTILINE).search(text, position)
        if match:
            yield Heading(level, match.start(), title)
            position = match.end()


def _load_text(path: Path) -> Loaded | Unreadable:
    if path.stat().st_size > MAX_TEXT_BYTES:
        return Unreadable("failed", f"is larger than {MAX_TEXT_BYTES // 1_000_000} MB")
    try:
        text = normalize(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Unreadable("failed", "is not UTF-8; save it in that encoding")
    if not text.strip():
        return Unreadable("no_text", "the file holds no text")
    headings: tuple[Heading, ...] = ()
    if path.suffix.lower() != ".txt":
        fences = [match.span() for match in _FENCE.finditer(text)]
        headings = tuple(
            Heading(len(match[1]) - 1, match.start(), match[2])
            for match in _HEADING.finditer(text)
            if not any(start <= match.start() < end for start, end in fences)
        )
    page = Page(1, text, headings)
    return Loaded(_title("", [page], path), (page,))


def normalize(text: str) -> str:
    """NFC (Korean from macOS arrives in parts), `\\n` line ends, hyphenated words mended, no
    control characters. Offsets of passages count in what this returns."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _HYPHENATION.sub("", text)
    text = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc")
    return _SPACES_AT_LINE_END.sub("\n", text)


def _garbled_share(text: str) -> float:
    """Share of characters that are controls, private, or the replacement character."""
    seen = [char for char in text if not char.isspace() and char not in "\ufffe\x02"]
    bad = sum(char == "\ufffd" or unicodedata.category(char) in ("Cc", "Co", "Cn") for char in seen)
    return bad / len(seen) if seen else 0.0


def _without_page_number(text: str, number: int) -> str:
    return re.sub(rf"\n\W*{number}\W*$", "", text)


def _title(metadata_title: str, pages: list[Page], path: Path) -> str:
    """The file's own title, else the first heading, else the first line of prose, else its name."""
    metadata_title = " ".join(normalize(metadata_title).split())
    if metadata_title and not _NO_TITLE.match(metadata_title):
        return metadata_title
    first = pages[0]
    if first.headings:
        return first.headings[0].title
    line = " ".join(first.text.strip().split("\n", 1)[0].split())
    return line if 3 < len(line) <= 100 and path.suffix.lower() == PDF_SUFFIX else path.stem
