"""What a measured process tells the one that started it: one JSON document on its last line."""

import json
import resource
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean

SIZES_SAMPLE = 2_000
"""Passages whose tokens are counted for a mean."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """One ingest. `seconds` begins with the embedder loaded and ends with everything on disk;
    `embed_seconds` are those of them in which the embedder was at work, `query_seconds` those on
    questions; `cpu_seconds` counts the children's too. A peer's `pages` are those of
    its files. `files` says of each file that gave no text why."""

    passages: int
    tokens_per_passage: float
    characters_per_passage: float
    seconds: float
    cpu_seconds: float
    embed_seconds: float
    embedded_passages: int
    embedded_queries: int = 0
    query_seconds: float = 0.0
    pages: int = 0
    phases: dict[str, float] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def rest_seconds(self) -> float:
        """All that is not embedding."""
        return self.seconds - self.embed_seconds

    @property
    def calibrating_seconds(self) -> float:
        """Of the rest, those in which the gate was calibrated; no peer has one."""
        return self.phases.get("calibrate", 0.0) - self.query_seconds


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of the passages that a system made."""

    passages: int
    tokens: float
    characters: float

    @classmethod
    def of(cls, texts: Iterable[str], count_tokens: Callable[[str], int]) -> "Sizes":
        kept = list(texts)
        if not kept:
            return cls(0, 0.0, 0.0)
        sample = kept[:: max(1, len(kept) // SIZES_SAMPLE)]
        return cls(len(kept), fmean(map(count_tokens, sample)), fmean(map(len, kept)))


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def tell(result: object) -> None:
    """Libraries may have printed before: the last line counts."""
    print("\n" + json.dumps(asdict(result), ensure_ascii=False), flush=True)  # type: ignore[call-overload]


def pdfs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pdf"))
