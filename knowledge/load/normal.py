"""Text in one form, whatever file it comes from, and the title of a document."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from knowledge.load.document import Page

# PDFium writes U+FFFE where a line ends inside a hyphenated word.
_HYPHENATION = re.compile(r"[\ufffe\x02]\n?")
_SPACES_AT_LINE_END = re.compile(r"[ \t\u00a0]+\n")
_NO_TITLE = re.compile(r"^(untitled|microsoft \w+ - .*|.*\.\w{2,4}|document\d*|[\d\W]*)$", re.I)


def normalize(text: str) -> str:
    """NFC (Korean from macOS arrives in parts), `\\n` line ends, hyphenated words mended, no
    control characters. Offsets of passages count in what this returns."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _HYPHENATION.sub("", text)
    text = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc")
    return _SPACES_AT_LINE_END.sub("\n", text)


def title_of(own_title: str, pages: Sequence[Page], path: Path) -> str:
    """The file's own title, else the first heading, else the first line of prose, else its name."""
    own_title = " ".join(normalize(own_title).split())
    if own_title and not _NO_TITLE.match(own_title):
        return own_title
    first = pages[0]
    if first.headings:
        return first.headings[0].title
    line = " ".join(first.text.strip().split("\n", 1)[0].split())
    return line if 3 < len(line) <= 100 and path.suffix.lower() == ".pdf" else path.stem
