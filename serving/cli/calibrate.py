"""`knowledge-agent calibrate`: find the gate's bounds for the documents as they are now."""

import json

from rich.console import Console

from knowledge.ingest import recalibrate
from serving.cli.exit_codes import EXIT_ANSWERED
from serving.cli.progress import no_progress, shown_progress
from serving.cli.status import gate_lines
from serving.settings import Settings
from serving.wiring.documents import embedder, index_address


def calibrate(settings: Settings, as_json: bool, console: Console) -> int:
    with no_progress() if as_json else shown_progress() as on_progress:
        gate = recalibrate(index_address(settings), embedder(settings), on_progress)
    if as_json:
        print(json.dumps(gate.as_json(), ensure_ascii=False, indent=2))
    else:
        for line in gate_lines(gate):
            console.print(line, soft_wrap=True)
    return EXIT_ANSWERED
