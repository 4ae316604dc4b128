"""Build the sample handbook: Markdown in sources/ to PDF in handbook/.

Usage: python examples/build_handbook.py [NAME ...]    (NAME: 04-chunking; none: every source)

A source starts with two fixed lines, a title and its layout:

    # Chunking
    <!-- layout: columns=1 lang=en -->

The same sources, fonts and WeasyPrint give the same bytes: no date is written, and the
timestamps of the subset fonts are pinned.
"""

import html
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

INSTALL = """To build the handbook, install
  Python:  uv sync --extra handbook  (or: pip install weasyprint markdown-it-py)
  Debian:  apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \\
             fontconfig fonts-nanum fonts-dejavu-core"""

# WeasyPrint hands the subsetting of fonts to libraries that read this variable when they load.
os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
try:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from weasyprint import HTML
except (ImportError, OSError) as error:  # OSError: the pango libraries are missing
    raise SystemExit(f"{error}\n\n{INSTALL}") from error

EXAMPLES = Path(__file__).resolve().parent
SOURCES = EXAMPLES / "sources"
HANDBOOK = EXAMPLES / "handbook"
STYLE = EXAMPLES / "handbook.css"
FONT_FAMILIES = ("NanumGothic", "DejaVu Serif", "DejaVu Sans", "DejaVu Sans Mono")
PAGES_MIN, PAGES_MAX = 3, 10

HEAD = re.compile(
    r"# (?P<title>.+)\n<!-- layout: columns=(?P<columns>[12]) lang=(?P<lang>en|ko) -->\n"
)
HANGUL_WORD = re.compile(r"\S*[가-힣]\S*")
PAGE = """<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head>
<body class="columns-{columns}"><h1>{title}</h1><main>{body}</main></body></html>"""


@dataclass(frozen=True)
class Source:
    """One document before layout; `body` is Markdown without the title."""

    name: str
    title: str
    columns: int
    lang: str
    body: str

    @property
    def words(self) -> int:
        """Tokens between spaces that hold a letter or a digit (in Korean: eojeol)."""
        return sum(any(c.isalnum() for c in token) for token in self.body.split())


def read_source(path: Path) -> Source:
    """Parse one source; exits with the expected two lines where the file lacks them."""
    text = path.read_text(encoding="utf-8")
    head = HEAD.match(text)
    if head is None:
        raise SystemExit(
            f"{path}: the first two lines must be\n"
            "  # Title\n  <!-- layout: columns=1|2 lang=en|ko -->"
        )
    return Source(
        name=path.stem,
        title=head["title"].strip(),
        columns=int(head["columns"]),
        lang=head["lang"],
        body=text[head.end() :],
    )


def require_fonts() -> None:
    """Exit if a font is missing: pango would take another one and print boxes for Hangul."""
    try:
        found = subprocess.run(
            ["fc-list", ":", "family"], capture_output=True, text=True, check=True, timeout=30
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SystemExit(f"fc-list failed: {error}\n\n{INSTALL}") from error
    installed = {family for line in found.splitlines() for family in line.split(",")}
    missing = [family for family in FONT_FAMILIES if family not in installed]
    if missing:
        raise SystemExit(f"fonts are missing: {', '.join(missing)}\n\n{INSTALL}")


def render_text(_: RendererHTML, tokens: Sequence[Token], index: int, *__: object) -> str:
    """Keep Korean words whole: WeasyPrint lacks `word-break: keep-all` and breaks in them."""
    text = html.escape(tokens[index].content, quote=False)
    return HANGUL_WORD.sub(r'<span class="word">\g<0></span>', text)


def build(source: Source, target: Path) -> int:
    """Lay one document out and return its pages; a document out of bounds is not written."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("text", render_text)
    page = PAGE.format(
        lang=source.lang,
        title=html.escape(source.title),
        columns=source.columns,
        body=markdown.render(source.body),
    )
    document = HTML(string=page).render(stylesheets=[str(STYLE)])
    pages = len(document.pages)
    if PAGES_MIN <= pages <= PAGES_MAX:
        document.write_pdf(target, pdf_identifier=source.name.encode())
    return pages


def main(names: list[str]) -> None:
    require_fonts()
    paths = [SOURCES / f"{name}.md" for name in names] or sorted(SOURCES.glob("*.md"))
    absent = [path.stem for path in paths if not path.is_file()]
    if absent or not paths:
        raise SystemExit(f"no such source in {SOURCES}: {', '.join(absent) or '*.md'}")
    HANDBOOK.mkdir(exist_ok=True)
    failed = []
    print(f"{'file':<40}{'pages':>6}{'words':>8}")
    for source in map(read_source, paths):
        target = HANDBOOK / f"{source.name}.pdf"
        pages = build(source, target)
        print(f"{target.name:<40}{pages:>6}{source.words:>8}")
        if not PAGES_MIN <= pages <= PAGES_MAX:
            failed.append(target.name)
    if failed:
        raise SystemExit(
            f"not written, since a document must make {PAGES_MIN} to {PAGES_MAX} pages: "
            + ", ".join(failed)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
