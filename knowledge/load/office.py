"""What DOCX and PPTX have in common: a ZIP archive, perhaps encrypted, with stated properties."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO
from xml.parsers.expat import ExpatError

from lxml import etree

from knowledge.load.document import Loaded, LoadOptions, Unreadable
from knowledge.load.properties import Properties, first_day, tags_of

MAX_UNPACKED_BYTES = 1024**3
MAX_XML_BYTES = 100 * 1024**2
"""All XML of one file; its trees take about ten times as much memory."""

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    etree.LxmlError,
    LookupError,
    ValueError,
    AttributeError,
    TypeError,
    AssertionError,
    EOFError,
    RuntimeError,
)
"""What zipfile, lxml, python-docx and python-pptx raise on files that break the rules, besides the
errors of their own that the last two have."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DEFAULT_TITLES = {
    "powerpoint presentation",
    "powerpoint 프레젠테이션",
    "프레젠테이션",
    "word document",
    "제목 없음",
}


def load_archive(
    path: Path,
    options: LoadOptions,
    kind: str,
    read: Callable[[IO[bytes], Path], Loaded | Unreadable],
    errors: type[Exception],
) -> Loaded | Unreadable:
    """What `read` makes of the archive, decrypted if need be, once it is known not to unpack to
    more than may be read. `kind` names the format, `errors` are those of the library in `read`."""
    try:
        archive = _open(path, options, kind)
        if isinstance(archive, Unreadable):
            return archive
        with archive:
            return _too_large(archive) or read(archive, path)
    except (errors, *BROKEN) as error:
        return _damaged(f"is damaged, or no {kind} file", error)


def properties_of(archive: IO[bytes]) -> Properties:
    """The core properties, without the titles that Office makes up."""
    with zipfile.ZipFile(archive) as opened:
        try:
            data = opened.read("docProps/core.xml")
        except KeyError:
            return Properties()
    root = parse_xml(data)
    title = (root.findtext(f"{_DC}title") or "").strip()
    return Properties(
        title="" if title.lower() in _DEFAULT_TITLES else title,
        date=first_day(root.findtext(f"{_TERMS}{name}") for name in ("modified", "created")),
        tags=tags_of(root.findtext(f"{_CORE}{name}") for name in ("keywords", "category")),
    )


def parse_xml(data: bytes) -> etree._Element:
    """Entities are not resolved, and nothing is fetched."""
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))


def _open(path: Path, options: LoadOptions, kind: str) -> IO[bytes] | Unreadable:
    with path.open("rb") as file:
        start = file.read(len(_OLE))
    if not start:
        return Unreadable("failed", "the file is empty")
    if start == _OLE:
        return _decrypt(path, options, kind)
    if not start.startswith(b"PK"):
        return Unreadable("failed", f"is not a {kind} file, whatever its name says")
    return path.open("rb")


def _too_large(archive: IO[bytes]) -> Unreadable | None:
    """zipfile reads no more of a part than the directory states: it can be trusted here."""
    with zipfile.ZipFile(archive) as opened:
        parts = opened.infolist()
    xml = sum(part.file_size for part in parts if part.filename.lower().endswith((".xml", ".rels")))
    for size, limit, what in (
        (xml, MAX_XML_BYTES, "text and layout"),
        (sum(part.file_size for part in parts), MAX_UNPACKED_BYTES, "data"),
    ):
        if size > limit:
            reason = (
                f"unpacks to {size / 1e6:,.0f} MB of {what}, more than the {limit / 1e6:,.0f} MB "
                "that are read; split it or leave out pictures and videos"
            )
            return Unreadable("failed", reason)
    return None


def _decrypt(path: Path, options: LoadOptions, kind: str) -> io.BytesIO | Unreadable:
    """Office wraps an encrypted file in the container of its formats from before 2007."""
    import msoffcrypto
    import olefile
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError

    with path.open("rb") as file:
        try:
            with olefile.OleFileIO(file) as container:
                encrypted = container.exists("EncryptedPackage")
            if not encrypted:
                reason = f"is in an Office format from before 2007; save it as {kind}"
                return Unreadable("unsupported", reason)
            office_file = msoffcrypto.OfficeFile(file)
            for password in options.passwords:
                decrypted = io.BytesIO()
                try:
                    office_file.load_key(password=password, verify_password=True)
                    office_file.decrypt(decrypted)
                except InvalidKeyError:
                    continue
                decrypted.seek(0)
                return decrypted
        except (DecryptionError, FileFormatError, ExpatError, OSError, *BROKEN) as error:
            return _damaged("is encrypted, and damaged", error)
    if options.passwords:
        return Unreadable("encrypted", "none of the passwords opens it; add its own")
    return Unreadable("encrypted", "needs a password; give one, or save a copy without")


def _damaged(what: str, error: Exception) -> Unreadable:
    cause = f"{type(error).__name__}: {error}"
    return Unreadable("failed", f"{what}; save it once more from its program ({cause})")
