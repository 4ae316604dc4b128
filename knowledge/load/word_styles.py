"""What the style of a Word paragraph says: title, heading of a level, item of a list, hidden."""

import re
from dataclasses import dataclass, replace

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

MAX_LEVEL = 8
"""Of headings and of lists, from 0."""


@dataclass(frozen=True, slots=True)
class Style:
    """`outline` is 0 for the title of the document, n for a heading of level n, else None."""

    outline: int | None = None
    is_hidden: bool = False
    is_contents: bool = False
    list_id: str = ""
    list_level: int = 0


PLAIN = Style()

_HEADING = re.compile(r"(?:heading|제목|개요) ?([1-9])")
_TITLES = {"title", "제목"}
_CONTENTS = re.compile(r"(?:toc|목차) ?[1-9]")


def read_styles(root: etree._Element) -> dict[str, Style]:
    """By id, with what they inherit; the one of paragraphs that name none has the id ``."""
    elements = {style.get(f"{W}styleId", ""): style for style in root.iterfind(f"{W}style")}
    styles: dict[str, Style] = {}

    def resolve(style_id: str) -> Style:
        if style_id in styles or style_id not in elements:
            return styles.get(style_id, PLAIN)
        styles[style_id] = PLAIN  # ends a circle of styles
        element = elements[style_id]
        style = resolve(value(element, "basedOn"))
        style = _by_name(value(element, "name").lower(), style)
        properties = element.find(f"{W}pPr")
        if properties is not None:
            style = read_style(properties, style)
        if is_on(element.find(f"{W}rPr/{W}vanish")):
            style = replace(style, is_hidden=True)
        styles[style_id] = style
        return style

    for style_id, element in elements.items():
        resolve(style_id)
        if element.get(f"{W}type") == "paragraph" and element.get(f"{W}default") in ("1", "true"):
            styles[""] = styles[style_id]
    return styles


def read_style(properties: etree._Element, inherited: Style) -> Style:
    """What paragraph properties (`w:pPr`) change."""
    style = inherited
    outline = value(properties, "outlineLvl")
    # A title is not in the outline of Word; its style may say so, and is a title nevertheless.
    if outline and inherited.outline != 0:
        level = number(outline, MAX_LEVEL + 1)
        style = replace(style, outline=level + 1 if level <= MAX_LEVEL else None)
    numbering = properties.find(f"{W}numPr")
    if numbering is not None:
        style = replace(
            style,
            list_id=value(numbering, "numId") or style.list_id,
            list_level=level_of(value(numbering, "ilvl")) or style.list_level,
        )
    return style


def value(element: etree._Element, name: str) -> str:
    """The value that a child states, or an empty text."""
    child = element.find(f"{W}{name}")
    return "" if child is None else child.get(f"{W}val", "")


def number(stated: str | None, default: int) -> int:
    return int(stated) if stated and re.fullmatch(r"-?\d{1,9}", stated) else default


def level_of(stated: str | None) -> int:
    return min(max(number(stated, 0), 0), MAX_LEVEL)


def is_on(switch: etree._Element | None) -> bool:
    return switch is not None and switch.get(f"{W}val", "true") not in ("0", "false", "off")


def _by_name(name: str, inherited: Style) -> Style:
    """Word keeps the English names of its styles in every language, other programs may not."""
    heading = _HEADING.fullmatch(name)
    if heading:
        return replace(inherited, outline=int(heading[1]))
    if name in _TITLES:
        return replace(inherited, outline=0)
    return replace(inherited, is_contents=True) if _CONTENTS.fullmatch(name) else inherited
