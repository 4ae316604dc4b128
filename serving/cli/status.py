"""`knowledge-agent status`: is there an index, and does the model server answer?"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graph.errors import AgentError
from knowledge.domain import MIN_PASSAGES, Calibration, Rate
from knowledge.status import IndexStatus, index_status
from knowledge.verdict import Estimate, VerdictCalibration
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_ERROR
from serving.gateway.server import ModelServer, ServedModel
from serving.settings import Settings
from serving.wiring.documents import index_address
from serving.wiring.model_server import api_key, model_url

T = TypeVar("T")

CALIBRATE = "knowledge-agent calibrate --model"
TOO_FEW_QUESTIONS = "too few questions can be made of these passages"


def status(settings: Settings, as_json: bool, console: Console) -> int:
    """Both parts are always shown: what is wrong with one says nothing about the other."""
    index, index_error = _try(lambda: index_status(index_address(settings)))
    server, server_error = _try(lambda: asyncio.run(_served(settings)))
    if as_json:
        report = {
            "index": asdict(index) if index else {"error": index_error},
            "engine": {"url": model_url(settings)}
            | (asdict(server) if server else {"error": server_error}),
        }
        print(json.dumps(report, ensure_ascii=False, indent=2, default=str))
    else:
        table = Table(box=None, show_header=False)
        for line in _index_lines(index) if index else [index_error]:
            table.add_row("index", escape(line))
        for line in _verdict_lines(index, server) if index else ():
            table.add_row("verdict", escape(line))
        table.add_row("engine", model_url(settings))
        known = f"{server.name}, window of {server.context_tokens:,} tokens" if server else ""
        table.add_row("engine", escape(known or server_error))
        console.print(table)
    return EXIT_ANSWERED if index and server else EXIT_ERROR


def _index_lines(index: IndexStatus) -> Iterator[str]:
    yield f"{index.documents} documents, {index.passages} passages"
    if index.unreadable:
        yield f"{index.unreadable} files gave no text (knowledge-agent documents lists them)"
    if index.vectors_missing:
        yield f"{index.vectors_missing} passages without a vector: ingest again"
    made = index.contract
    yield f"embedder {made.embedder} ({made.dimension} dimensions), chunker {made.chunker}"
    gate = index.calibration
    if gate is None or not index.calibration_current:
        yield "the gate is not calibrated for these passages: ingest again"
    else:
        yield from gate_lines(gate)


def gate_lines(gate: Calibration) -> Iterator[str]:
    expected = gate.expected
    if expected is None:
        few = gate.passages < MIN_PASSAGES
        yield (
            "gate: the cautious rule, which lets more foreign questions through, since "
            f"{f'there are fewer than {MIN_PASSAGES} passages' if few else TOO_FEW_QUESTIONS}"
        )
        return
    yield (
        f"gate: calibrated on {gate.own_questions} questions made from the documents and "
        f"{gate.foreign_questions} foreign ones, to refuse {100 * gate.false_refusal_target:g}% of "
        "the former"
    )
    yield (
        f"gate, expected to refuse of questions made from the documents: {_shown(expected.own)}; "
        f"{_shown_each(expected.own_by_kind)}; {_shown_each(expected.own_by_script)}"
    )
    yield f"gate, expected to refuse of foreign questions: {_shown_each(expected.foreign)}"


def _shown_each(rates: Mapping[Any, Rate]) -> str:
    return ", ".join(f"{name} {_shown(rate)}" for name, rate in rates.items())


def _verdict_lines(index: IndexStatus, server: ServedModel | None) -> Iterator[str]:
    found = index.verdict
    if found is None:
        yield f"the model is not asked whether passages hold the answer; to find out: {CALIBRATE}"
        return
    yield from verdict_lines(found)
    if not index.verdict_current:
        yield f"not used: it was calibrated for other passages; run: {CALIBRATE}"
    elif server and server.name != found.model:
        yield f"not used: {server.name} is served now; run: {CALIBRATE}"


def verdict_lines(found: VerdictCalibration) -> Iterator[str]:
    weights = found.weights
    yield (
        f"{found.model}, asked about {weights.questions} questions with their answer and without: "
        f"AUROC {_estimated(weights.words_auroc)} by words, {_estimated(weights.both_auroc)} with "
        f"the model's verdict, a gain of {_estimated(weights.gain)}"
    )
    if not weights.model_is_of_use:
        yield "weight 0, since that may be no gain: the model is not asked"
        return
    yield (
        f"expected: refuses {_shown(weights.answerable_refused)} of questions with an "
        f"answer, {_shown(weights.unanswerable_refused)} of those without"
    )


def _estimated(of: Estimate) -> str:
    return f"{of.value:.2f} ({of.low:.2f} to {of.high:.2f})"


def _shown(rate: Rate) -> str:
    return f"{rate.share:.1%} ({rate.low:.1%} to {rate.high:.1%})"


async def _served(settings: Settings) -> ServedModel:
    server = ModelServer(model_url(settings), settings.engine_model, api_key(settings))
    try:
        return await server.model()
    finally:
        await server.aclose()


def _try(call: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return call(), ""
    except AgentError as error:
        return None, f"{type(error).__name__}: {error}"
