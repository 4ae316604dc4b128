"""HTML, parsed with Lexbor as browsers do. (libxml2 loses what lies below 256 unclosed tags.)"""

import re
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knowledge.load.blocks import Blocks
from knowledge.load.decoding import read_text
from knowledge.load.document import Loaded, LoadOptions, Page, Unreadable
from knowledge.load.normal import title_of
from knowledge.load.properties import Properties, first_day, tags_of


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_NO_CONTENT = _tags(
    "annotation audio button canvas datalist dialog embed head iframe noscript object rp rt script "
    "select style svg template textarea video -comment -doctype"
)
_BLOCKS = _tags(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr legend li main menu nav ol p pre search "
    "section summary table tbody td tfoot th thead tr ul"
)
_LISTS = _tags("dir menu ol ul")
_HEADINGS = {f"h{level}": level - 1 for level in range(1, 7)}

# What leads through a site rather than being its text. A header that holds the heading of the
# page is a part of the page.
_NAVIGATION = "nav, [role=navigation], [role=search], [role=menu], [role=menubar]"
_MAIN = "main, article, [role=main]"
_AROUND_MAIN = (
    ":is(header, footer, aside, [role=banner], [role=contentinfo], [role=complementary])"
    f":not(:has({_MAIN}, h1)):not(:is({_MAIN}) *)"
)

_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|(?:font-size|opacity)\s*:\s*0(?:\.0*)?(?:px|pt|r?em|%)?\s*(?:[;!]|$)",
    re.IGNORECASE,
)

# As Dublin Core, Open Graph and old pages name them; when a page changed goes before its start.
_DATES = (
    *("article:modified_time", "dcterms.modified", "last-modified", "date"),
    *("article:published_time", "dcterms.date", "dc.date", "dcterms.created"),
)
_TAGS = ("keywords", "article:tag")


def load_web(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    source = read_text(path)
    if isinstance(source, Unreadable):
        return source
    tree = LexborHTMLParser(source)
    properties = _properties(tree)
    page = _page(tree, _around_the_text(tree)) or _page(tree, set())
    if page is None:
        reason = "the page holds no text; if a script shows some, save it from a browser as PDF"
        return Unreadable("no_text", reason)
    title = title_of(properties.title, [page], path)
    return Loaded(title, (page,), date=properties.date, tags=properties.tags)


def _properties(tree: LexborHTMLParser) -> Properties:
    title = tree.css_first("head > title")
    stated: dict[str, list[str]] = {}
    for meta in tree.css("meta"):
        name = meta.attributes.get("name") or meta.attributes.get("property") or ""
        stated.setdefault(name.lower(), []).append(meta.attributes.get("content") or "")
    return Properties(
        title=title.text() if title else "",
        date=first_day(value for name in _DATES for value in stated.get(name, [])),
        tags=tags_of(value for name in _TAGS for value in stated.get(name, [])),
    )


def _around_the_text(tree: LexborHTMLParser) -> set[int]:
    around = tree.css(_NAVIGATION)
    if tree.css_first(_MAIN):
        around += tree.css(_AROUND_MAIN)
    return {node.mem_id for node in around}


def _page(tree: LexborHTMLParser, left_out: set[int]) -> Page | None:
    if tree.body is None:
        return None
    walk = _Walk(left_out)
    walk.write(tree.body)
    return walk.blocks.page(1)


class _Walk:
    """Writes what a browser shows of an element, without recursion: pages nest without a bound."""

    def __init__(self, left_out: set[int]) -> None:
        self.blocks = Blocks()
        self._left_out = left_out
        self._text: list[str] = []
        self._preformatted = 0
        # The next number of each open list (None: bullets), and the mark of each open item; empty
        # once it is written.
        self._lists: list[int | None] = []
        self._marks: list[str] = []

    def write(self, root: LexborNode) -> None:
        inside: int | None = None  # an element that is written as a whole
        for node, entering in self._shown(root):
            if inside is not None:
                inside = None if node.mem_id == inside and not entering else inside
            elif entering and self._whole(node):
                inside = node.mem_id
            elif entering:
                self._enter(node)
            else:
                self._leave(node)
        self._flush()

    def _shown(self, root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
        """Each node when it is entered, and each element when it is left."""
        stack = [(root, True)]
        while stack:
            node, entering = stack.pop()
            if entering and not self._is_shown(node):
                continue
            yield node, entering
            if entering and node.tag != "-text":
                stack.append((node, False))
                child = node.last_child
                while child is not None:
                    stack.append((child, True))
                    child = child.prev

    def _is_shown(self, node: LexborNode) -> bool:
        if node.tag == "-text":
            return True
        if node.tag in _NO_CONTENT or node.mem_id in self._left_out:
            return False
        attributes = node.attributes
        hidden = "hidden" in attributes or _HIDING_STYLE.search(attributes.get("style") or "")
        return not hidden

    def _whole(self, node: LexborNode) -> bool:
        """Write a heading or a table of data, and tell whether it was one."""
        if node.tag in _HEADINGS:
            self._flush()
            self.blocks.heading(_HEADINGS[node.tag], "".join(self._words(node)))
        elif node.tag == "table" and _holds_data(node):
            self._flush()
            self.blocks.table(self._rows(node))
        else:
            return False
        return True

    def _words(self, node: LexborNode) -> Iterator[str]:
        """The text inside, with a space where a block or a line ends."""
        for inner, _ in self._shown(node):
            if inner.tag == "-text":
                yield inner.text()
            elif inner.tag in _BLOCKS or inner.tag == "br":
                yield " "

    def _rows(self, table: LexborNode) -> list[list[str]]:
        rows: list[list[str]] = []
        for node, entering in self._shown(table):
            if not entering:
                continue
            if node.tag in ("tr", "caption"):
                rows.append([])
            if node.tag in ("td", "th", "caption") and rows:
                rows[-1].append("".join(self._words(node)))
        return rows

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            text = node.text()
            self._text.append(text if self._preformatted else re.sub(r"\s+", " ", text))
        elif tag == "br":
            self._text.append("\n")
        elif tag in _BLOCKS:
            self._flush()
            if tag == "pre":
                self._preformatted += 1
            elif tag == "ol":
                start = node.attributes.get("start") or ""
                self._lists.append(int(start) if re.fullmatch(r"\d{1,9}", start) else 1)
            elif tag in _LISTS:
                self._lists.append(None)
            elif tag == "li":
                self._marks.append(self._next_mark())

    def _leave(self, node: LexborNode) -> None:
        if node.tag not in _BLOCKS:
            return
        self._flush()
        if node.tag == "pre":
            self._preformatted -= 1
        elif node.tag in _LISTS:
            self._lists.pop()
        elif node.tag == "li":
            self._marks.pop()

    def _next_mark(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "-"
        self._lists[-1] = number + 1
        return f"{number}."

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        if not text.strip():
            return
        if self._preformatted:
            self.blocks.preformatted(text)
        elif self._marks:
            self.blocks.item(text, len(self._marks) - 1, self._marks[-1])
            self._marks[-1] = ""
        else:
            self.blocks.paragraph(text)


def _holds_data(table: LexborNode) -> bool:
    """Rather than laying out a page: no tables or headings inside, and rows of several cells."""
    if any(inner.mem_id != table.mem_id for inner in table.css("table, h1, h2, h3, h4, h5, h6")):
        return False
    return table.css_first(":is(td, th) + :is(td, th)") is not None
