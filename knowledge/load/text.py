"""Markdown and plain text."""

import re
from pathlib import Path

from knowledge.load.document import Heading, Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import normalize, title_of

MAX_TEXT_BYTES = 20_000_000

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)


def load_plain(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    text = _text(path)
    if isinstance(text, Unreadable):
        return text
    page = Page(1, text)
    return Loaded(title_of("", [page], path), (page,))


def load_markdown(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    text = _text(path)
    if isinstance(text, Unreadable):
        return text
    fences = [match.span() for match in _FENCE.finditer(text)]
    headings = tuple(
        Heading(len(match[1]) - 1, match.start(), match[2])
        for match in _HEADING.finditer(text)
        if not any(start <= match.start() < end for start, end in fences)
    )
    page = Page(1, text, headings)
    return Loaded(title_of("", [page], path), (page,))


def _text(path: Path) -> str | Unreadable:
    if path.stat().st_size > MAX_TEXT_BYTES:
        return Unreadable("failed", f"is larger than {MAX_TEXT_BYTES // 1_000_000} MB")
    try:
        text = normalize(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Unreadable("failed", "is not UTF-8; save it in that encoding")
    return text if text.strip() else Unreadable("no_text", "the file holds no text")
