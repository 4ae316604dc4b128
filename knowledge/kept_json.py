"""Values that are kept as JSON beside an index."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def write_json(path: Path, value: "DataclassInstance") -> None:
    """Replace the file at once, so that a reader never sees a half."""
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(asdict(value), indent=2, ensure_ascii=False), "utf-8")
    draft.replace(path)


def read_json(path: Path, kind: type[T]) -> T | None:
    """What `write_json` left; None where there is nothing, or nothing of this kind."""
    try:
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
