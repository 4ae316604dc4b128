"""Markdown and plain text: the text as it stands, without what Markdown does not show."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from knowledge.load.decoding import read_text
from knowledge.load.document import Heading, Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import normalize, title_of
from knowledge.load.properties import Properties, first_day, tags_of

MAX_FRONT_MATTER_CHARS = 50_000

_FRONT_MATTER = re.compile(r"---\n(.*?\n)(?:---|\.\.\.)(?:\n+|\Z)", re.DOTALL)
_FENCE = r"^ {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n.*?(?:^ {0,3}(?:\1`*|\2~*)$|\Z)"
_FENCES = re.compile(_FENCE, re.MULTILINE | re.DOTALL)
_CODE_OR_COMMENT = re.compile(
    rf"{_FENCE}|`[^`\n]+`|(?P<comment><!--(?:(?!<!--).)*?-->)", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(
    r"^ {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>\S[^\n]*)$"
    # Underlined: a paragraph of one line that is no list, quote, table, or code.
    r"|(?:\A|(?<=\n\n))(?! {0,3}(?:[-+*>#|]|\d+[.)])) {0,3}(?P<line>\S[^\n]*)\n"
    r" {0,3}(?P<rule>=+|-+)$",
    re.MULTILINE,
)
_CLOSING_MARKS = re.compile(r"[ \t]#+$")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")


def load_plain(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    text = read_text(path)
    return text if isinstance(text, Unreadable) else _document(path, normalize(text), Properties())


def load_markdown(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    """The marks stay in the text; headings are found, and front matter and comments left out."""
    text = read_text(path)
    if isinstance(text, Unreadable):
        return text
    properties, text = _front_matter(normalize(text))
    text = _CODE_OR_COMMENT.sub(lambda match: "" if match["comment"] else match[0], text)
    return _document(path, text, properties, tuple(_headings(text)))


def _document(
    path: Path, text: str, properties: Properties, headings: tuple[Heading, ...] = ()
) -> Loaded | Unreadable:
    if not text.strip():
        return Unreadable("no_text", "the file holds no text")
    page = Page(1, text, headings)
    title = title_of(properties.title, [page], path)
    return Loaded(title, (page,), date=properties.date, tags=properties.tags)


def _front_matter(text: str) -> tuple[Properties, str]:
    """What the YAML between the first two lines of dashes states, and the text below it. Anything
    else between two such lines is text."""
    match = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER_CHARS)
    if not match:
        return Properties(), text
    try:
        # Every value stays a text: a date that is none is no error then.
        stated = yaml.load(match[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return Properties(), text
    if not isinstance(stated, dict):
        return Properties(), text
    tags = stated.get("tags")
    properties = Properties(
        title=_text(stated.get("title")),
        date=first_day([_text(stated.get("date"))]),
        tags=tags_of(map(_text, tags if isinstance(tags, list) else [tags])),
    )
    return properties, text[match.end() :]


def _text(value: object) -> str:
    """Nothing for a list or a mapping: a small one may repeat itself to any size."""
    return value if isinstance(value, str) else ""


def _headings(text: str) -> Iterator[Heading]:
    without_code = _FENCES.sub(lambda match: "." * len(match[0]), text)
    for match in _HEADING.finditer(without_code):
        level = len(match["marks"]) - 1 if match["marks"] else "=-".index(match["rule"][0])
        title = _CLOSING_MARKS.sub("", match["title"] or match["line"])
        title = re.sub("[*`]+", "", _LINK.sub(r"\1", title)).strip()
        if title:
            yield Heading(level, match.start(), title)
