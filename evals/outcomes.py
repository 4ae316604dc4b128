"""The file that a run writes outcomes to as they come, and that the next one goes on from."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one sample: an outcome, or an error in words. `key` is the sample's for this
    target, see `evals.suite.Sample.key`."""

    key: str
    sample_id: str
    outcome: Mapping[str, Any] | None
    error: str | None
    seconds: float


def read_outcomes(path: Path) -> dict[str, Record]:
    """By key, the last of each; an error is none, so that its sample is asked again. A line that a
    kill cut off is left out."""
    found = {}
    for line in _lines(path):
        try:
            record = Record(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if record.error is None:
            found[record.key] = record
    return found


class OutcomeLog:
    def __init__(self, file: TextIO) -> None:
        self._file = file

    def append(self, record: Record) -> None:
        """On the disk when it returns, as far as the process goes: a kill loses nothing."""
        self._file.write(json.dumps(asdict(record), ensure_ascii=False, allow_nan=False) + "\n")
        self._file.flush()


@contextmanager
def outcome_log(path: Path) -> Iterator[OutcomeLog]:
    with path.open("a", encoding="utf-8") as file:
        if file.tell():
            file.write("\n")  # ends a line that a kill cut off
        yield OutcomeLog(file)


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            yield from file
    except FileNotFoundError:
        return
