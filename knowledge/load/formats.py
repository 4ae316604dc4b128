"""Which reader a file gets. Every file ends as `Loaded` or `Unreadable`, never as an exception."""

from collections.abc import Callable
from pathlib import Path

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.pdf import load_pdf
from knowledge.load.text import load_markdown, load_plain

_READERS: dict[str, Callable[[Path, LoadOptions], Loaded | Unreadable]] = {
    ".pdf": load_pdf,
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_plain,
}

SUPPORTED_SUFFIXES = frozenset(_READERS)


def is_supported(path: Path) -> bool:
    return path.suffix.lower() in SUPPORTED_SUFFIXES


def unsupported(path: Path) -> Unreadable:
    return Unreadable("unsupported", f"files of the type {path.suffix or 'none'} are not read")


def load(path: Path, options: LoadOptions) -> Loaded | Unreadable:
    """Read one file in this process. A hostile PDF can still hang or crash PDFium: call it through
    `knowledge.reader.Reader`, which bounds both."""
    try:
        read = _READERS.get(path.suffix.lower())
        return read(path, options) if read else unsupported(path)
    except OSError as error:
        return Unreadable("failed", f"cannot be read: {error.strerror or error}")
    except MemoryError:
        return Unreadable("failed", "needs more memory than one file may take")
