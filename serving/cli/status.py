"""`knowledge-agent status`: is there an index, and does the model server answer?"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graph.errors import AgentError
from knowledge.domain import Calibration, Rate
from knowledge.status import IndexStatus, index_status
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_ERROR
from serving.gateway.server import ModelServer, ServedModel
from serving.settings import Settings
from serving.wiring.documents import index_address
from serving.wiring.model_server import api_key, model_url

T = TypeVar("T")


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
    rule = gate.with_vectors
    if rule is None:
        yield "gate: the cautious rule, since too few questions can be made of these passages"
        return
    yield (
        f"gate: calibrated on {gate.own_questions} questions made from the documents and "
        f"{gate.foreign_questions} foreign ones, to refuse {gate.false_refusal_target:.0%} of the "
        "former"
    )
    foreign = ", ".join(
        f"{_shown(rate)} of foreign questions in {language}"
        for language, rate in rule.foreign_refused.items()
    )
    yield f"gate, expected: refuses {_shown(rule.own_refused)} of its own questions, {foreign}"


def _shown(rate: Rate) -> str:
    return f"{rate.share:.0%} ({rate.low:.0%} to {rate.high:.0%})"


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
