"""`knowledge-agent calibrate`: the gate's bounds, or the weight of the model's verdict, for the
documents as they are now."""

import asyncio
import json
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape

from graph.answer import CallRecord
from knowledge.ingest import recalibrate
from serving.cli.exit_codes import EXIT_ANSWERED
from serving.cli.progress import no_progress, shown_progress
from serving.cli.status import gate_lines, verdict_lines
from serving.settings import Settings
from serving.telemetry.langsmith import tracing
from serving.wiring.documents import embedder, index_address


def calibrate(settings: Settings, as_json: bool, console: Console) -> int:
    with no_progress() if as_json else shown_progress() as on_progress:
        gate = recalibrate(
            index_address(settings), embedder(settings), settings.false_refusals, on_progress
        )
    if as_json:
        print(json.dumps(gate.as_json(), ensure_ascii=False, indent=2))
    else:
        for line in gate_lines(gate):
            console.print(line, soft_wrap=True)
    return EXIT_ANSWERED


def calibrate_model(settings: Settings, as_json: bool, console: Console) -> int:
    """Ctrl-C cancels it and its call; what was found before stays."""
    from serving.wiring.verdict import calibrate_verdict  # the graph takes seconds to load

    with no_progress() if as_json else shown_progress() as on_progress, tracing(settings):
        report = asyncio.run(calibrate_verdict(settings, on_progress))
    if as_json:
        bill = [call.model_dump(mode="json") for call in report.calls]
        told = {**report.calibration.as_json(), "calls": bill}
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        for line in (*verdict_lines(report.calibration), *_bill(report.calls)):
            console.print(escape(line), soft_wrap=True)
    return EXIT_ANSWERED


def _bill(calls: tuple[CallRecord, ...]) -> Iterator[str]:
    prompt = sum(call.prompt_tokens for call in calls)
    cached = sum(call.cached_tokens for call in calls)
    seconds = sum(call.seconds for call in calls)
    yield (
        f"{len(calls)} model calls, {prompt:,} prompt tokens ({cached:,} cached), {seconds:,.0f} s"
    )
