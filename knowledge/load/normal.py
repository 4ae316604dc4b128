"""Text in one form, whatever file it comes from, and the title of a document."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from knowledge.load.document import Page

# PDFium writes U+FFFE, or U+0002, for a hyphen at the end of a line.
_LINE_END_HYPHEN = re.compile("[\ufffe\x02]")
_BROKEN_WORD = re.compile(
    r"(?<![\w-])(?P<head>(?:\w+-)*)(?P<left>\w+)(?P<hyphen>[\ufffe\x02\u00ad\u2010-])\n"
    r"(?P<right>[^\W_]+)(?P<rest>\S*)(?P<space> ?)"
)
_SUSPENDED = frozenset(["and", "or", "to", "und", "oder", "bis", "et", "ou"])
"""After these a hyphen stands for the word to come: two- and threefold, Vor- und Nachteile."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPACES_AT_LINE_END = re.compile(r"(?<![ \t\u00a0])[ \t\u00a0]+\n")
_NO_TITLE = re.compile(r"^(untitled|microsoft \w+ - .*|.*\.\w{2,4}|document\d*|[\d\W]*)$", re.I)


def normalize(text: str) -> str:
    """NFC (Korean from macOS arrives in parts), `\\n` line ends, no control characters. Offsets
    of passages count in what this returns."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _CONTROLS.sub("", text)
    return _SPACES_AT_LINE_END.sub("\n", text)


def mend_hyphens(pages: Sequence[str]) -> list[str]:
    """Join words that a line end parts. The hyphen stays where the document has the word with it
    elsewhere, in compounds of several, and between other than small letters (`COVID-19`)."""
    words: set[str] = set()
    for page in pages:
        words.update(re.findall(r"\w+(?:-\w+)?", page.casefold()))

    def mended(broken: re.Match[str]) -> str:
        head, left, right, rest = broken["head"], broken["left"], broken["right"], broken["rest"]
        if right in _SUSPENDED:
            return f"{head}{left}-\n{right}{rest}{broken['space']}"
        is_word = f"{left}{right}".casefold() in words or broken["hyphen"] == "\u00ad"
        is_compound = head or f"{left}-{right}".casefold() in words
        is_small = left[-1].islower() and right[0].islower()
        hyphen = "" if is_word or (is_small and not is_compound) else "-"
        return f"{head}{left}{hyphen}{right}{rest}" + ("\n" if broken["space"] else "")

    return [_LINE_END_HYPHEN.sub("-", _BROKEN_WORD.sub(mended, page)) for page in pages]


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
