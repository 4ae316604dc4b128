"""Bytes of a text file to text, whatever encoding they are in."""

import re
from pathlib import Path

from knowledge.load.document import Unreadable

MAX_TEXT_BYTES = 20_000_000
MAX_BROKEN_SHARE = 0.02
"""Share of characters that no honest text holds: replacements, controls, private ones."""

_BROKEN = re.compile("[\ufffd\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ue000-\uf8ff]")
_LINE_ENDS = re.compile("\r\n|[\v\f\x1c-\x1e\x85\u2028\u2029]")


def read_text(path: Path) -> str | Unreadable:
    """The text of a file; every kind of line end is `\\n`."""
    if path.stat().st_size > MAX_TEXT_BYTES:
        reason = f"is larger than {MAX_TEXT_BYTES // 1_000_000} MB; split it into smaller files"
        return Unreadable("failed", reason)
    data = path.read_bytes()
    if not data:
        return Unreadable("failed", "the file is empty")
    text = _decode(data)
    if isinstance(text, Unreadable):
        return text
    if len(_BROKEN.findall(text)) > MAX_BROKEN_SHARE * len(text):
        return Unreadable("garbled", "its text cannot be told in any encoding; save it as UTF-8")
    return _LINE_ENDS.sub("\n", text)


def _decode(data: bytes) -> str | Unreadable:
    if b"\0" not in data:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("utf-8-sig", "replace")
        # Text in another encoding has almost no sequence that is valid UTF-8 by chance.
        wide = sum(char > "\x7f" for char in text)
        if text.count("\ufffd") <= 0.1 * wide:
            return text
    from chardet import EncodingEra, detect  # takes 50 ms, and most files are UTF-8

    guess = detect(
        data, encoding_era=EncodingEra.MODERN_WEB, prefer_superset=True, compat_names=False
    )
    if guess["encoding"] is None:
        kind = guess["mime_type"] or "binary data"
        return Unreadable("failed", f"holds {kind} and not text, whatever its name says")
    return data.decode(guess["encoding"], "replace").removeprefix("\ufeff")
