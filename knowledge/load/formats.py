"""Which reader a file gets. Every file ends as `Loaded` or `Unreadable`, never as an exception."""

from importlib import import_module
from pathlib import Path

from knowledge.load.document import Loaded, LoadOptions, PageRequest, PageView, Unreadable

# Module of this package and its function, imported when the first such file is read: together
# their parsers take a second.
_READERS = {
    ".docx": ("word", "load_word"),
    ".htm": ("web", "load_web"),
    ".html": ("web", "load_web"),
    ".markdown": ("text", "load_markdown"),
    ".md": ("text", "load_markdown"),
    ".pdf": ("pdf", "load_pdf"),
    ".pptx": ("slides", "load_slides"),
    ".txt": ("text", "load_plain"),
}
_SAVE_AS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".hwp", ".hwpx", ".odt", ".pages", ".rtf"), "DOCX"),
    **dict.fromkeys((".odp", ".key", ".pps", ".ppsx", ".ppt", ".pptm"), "PPTX"),
    **dict.fromkeys((".csv", ".ods", ".xls", ".xlsx"), "PDF"),
    **dict.fromkeys((".mht", ".mhtml", ".xhtml", ".xml"), "HTML"),
}

SUPPORTED_SUFFIXES = frozenset(_READERS)


def is_supported(path: Path) -> bool:
    return path.suffix.lower() in SUPPORTED_SUFFIXES


def unsupported(path: Path) -> Unreadable:
    suffix = path.suffix.lower()
    reason = f"files of the type {suffix or 'none'} are not read"
    if suffix in _SAVE_AS:
        reason += f"; save it as {' or '.join(dict.fromkeys((_SAVE_AS[suffix], 'PDF')))}"
    return Unreadable("unsupported", reason)


def load(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    """Read one file in this process. A hostile file can still hang or crash a parser: call it
    through `knowledge.reader.read_all`, which bounds both."""
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        return unsupported(path)
    module, function = _READERS[suffix]
    try:
        read = getattr(import_module(f"knowledge.load.{module}"), function)
        result: Loaded | Unreadable = read(path, options)
    except OSError as error:
        return Unreadable("failed", f"cannot be read: {error.strerror or error}")
    except MemoryError:
        return Unreadable("failed", "needs more memory than one file may take")
    return result


def has_pictures(path: Path) -> bool:
    """Whether its pages can be shown as they look."""
    return path.suffix.lower() == ".pdf"


def view(path: Path, asked: PageRequest) -> PageView | Unreadable:
    """One page of a PDF; through `knowledge.reader`, as `load`."""
    from knowledge.load.pdf_view import view_page

    try:
        return view_page(path, asked)
    except OSError as error:
        return Unreadable("failed", f"cannot be read: {error.strerror or error}")
