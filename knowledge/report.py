"""What an ingest did, as it goes on and at its end."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from knowledge.domain import Calibration
from knowledge.load.document import UnreadableStatus
from knowledge.load.formats import SUPPORTED_SUFFIXES

FileStatus = Literal["indexed", "unchanged", "updated", "renamed", "removed"] | UnreadableStatus
Phase = Literal["read", "embed", "calibrate", "verdict"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files (read), passages (embed) or questions (calibrate, verdict)."""

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileReport:
    path: str
    status: FileStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """`vectors_missing` passages are found by words alone until an ingest completes them;
    `embedder_error` says why, or why there is no new calibration. `embedded` counts texts that the
    embedder was called for. `in_use` is False for a rebuild that is not complete: then the index
    as it was before is still in use."""

    files: tuple[FileReport, ...]
    documents: int
    passages: int
    embedded: int
    vectors_missing: int
    seconds: float
    calibration: Calibration | None
    embedder_error: str | None = None
    in_use: bool = True

    @property
    def counts(self) -> dict[FileStatus, int]:
        return dict(Counter(file.status for file in self.files))

    @property
    def complete(self) -> bool:
        """There is something to search, every file of a known type is in it with its vectors, and
        the gate is calibrated for it."""
        bad = {"no_text", "encrypted", "garbled", "failed"}
        return self.problem is None and not any(file.status in bad for file in self.files)

    @property
    def problem(self) -> str | None:
        """What is wrong with the index as a whole, and what to do next; None where it serves. What
        is wrong with a file stands in `files`."""
        if not self.passages:
            return (
                "nothing to index: no file in the folder gave any text; put files of the types "
                f"{', '.join(sorted(SUPPORTED_SUFFIXES))} with text there and run the same command "
                "again"
            )
        if not self.in_use:
            return (
                "the rebuild is not complete, and the index as it was before is still in use; "
                f"run the same command again. Cause: {self.embedder_error}"
            )
        if self.vectors_missing:
            return (
                f"{self.vectors_missing} passages have no vector yet and are found by words alone; "
                f"run the same command again. Cause: {self.embedder_error}"
            )
        if self.embedder_error:
            return (
                "the gate is not calibrated for these passages and uses its cautious rule; "
                f"run the same command again. Cause: {self.embedder_error}"
            )
        return None
