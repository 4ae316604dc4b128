"""Calibrate the model's verdict: questions made from the index, judged by the served model."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from uuid import uuid4

from graph.answer import CallRecord
from graph.binding import RETRIED
from graph.errors import EmbedderUnavailable, KnowledgeError, ModelTimeout
from graph.evidence import EVERYTHING, Hit, Passage, Retrieval
from graph.ports import Account, Deps
from graph.state import Task
from knowledge.calibrate_verdict import MAX_QUESTIONS, Pair, fit, made_questions, without_source
from knowledge.pseudo_questions import PseudoQuestion
from knowledge.report import Progress
from knowledge.store import INGEST_COMMAND, open_generation
from knowledge.sync import in_step
from knowledge.verdict import VerdictCalibration
from nodes.retrieve import LIMIT
from nodes.select import select
from nodes.text.sentences import detect_language
from nodes.verdict import judge, method_hash
from serving.settings import Settings
from serving.wiring.agent import open_deps
from serving.wiring.documents import index_address

BORNE = (*RETRIED, ModelTimeout)
BORNE_FAILURES = 8
PAUSE_S = 2.0
"""After a call that a busy server turned away or did not get done: its question is left out, since
half an hour of calls should not be lost for it."""


@dataclass(frozen=True, slots=True)
class VerdictReport:
    calibration: VerdictCalibration
    calls: tuple[CallRecord, ...]


async def calibrate_verdict(
    settings: Settings, on_progress: Callable[[Progress], None]
) -> VerdictReport:
    """Ask the model twice about up to `MAX_QUESTIONS`, and keep beside the gate's calibration how
    much its verdict counts. Raises `KnowledgeError`, `ModelError`, `ConfigError`; then what was
    kept before stays."""
    async with open_deps(settings) as deps:
        model = await deps.model.name()
        with open_generation(index_address(settings)) as store:
            catalog = store.catalog
            if not in_step(store):
                raise KnowledgeError(f"vectors are missing; complete them first: {INGEST_COMMAND}")
            corpus, passages, changes = (
                catalog.corpus_version(),
                catalog.passage_count(),
                catalog.changes(),
            )
            account = await _account(deps)
            pairs = await _judged(
                made_questions(store),
                deps,
                account,
                lambda done: on_progress(Progress("verdict", done, min(MAX_QUESTIONS, passages))),
            )
            calibration = VerdictCalibration(
                model, method_hash(), corpus, passages, changes, fit(pairs)
            )
            calibration.keep(store)
    return VerdictReport(calibration, deps.ledger.calls(account))


async def _judged(
    made: Iterable[PseudoQuestion],
    deps: Deps,
    account: Account,
    on_progress: Callable[[int], None],
) -> list[Pair]:
    """Up to `MAX_QUESTIONS` of those made, judged with their source and without it, by what a task
    would show to the model."""
    pairs: list[Pair] = []
    failures = 0
    for question in made:
        try:
            pair = await _pair(question, deps, account)
        except BORNE:
            failures += 1
            if failures > BORNE_FAILURES:
                raise
            await asyncio.sleep(PAUSE_S)
            continue
        if pair:
            pairs.append(pair)
            on_progress(len(pairs))
        if len(pairs) == MAX_QUESTIONS:
            break
    return pairs


async def _pair(question: PseudoQuestion, deps: Deps, account: Account) -> Pair | None:
    """None where search does not lead back to the source, or to nothing else."""
    found = await deps.retriever.search(question.text, limit=2 * LIMIT, scope=EVERYTHING)
    if found.domain.dense_top is None:
        raise EmbedderUnavailable(found.degraded[0])
    with_source = await _selected(question.text, found, found.hits[:LIMIT], deps)
    without = await _selected(
        question.text, found, without_source(found.hits, question.source)[:LIMIT], deps
    )
    if not without or not any(_holds(passage, question.source) for passage in with_source):
        return None
    return Pair(
        await judge(with_source, question.text, deps, account),
        await judge(without, question.text, deps, account),
    )


async def _selected(
    query: str, found: Retrieval, hits: tuple[Hit, ...], deps: Deps
) -> tuple[Passage, ...]:
    """What a task would put into its prompts."""
    task = Task(id="calibration", language=detect_language(query))
    retrieval = found.model_copy(update={"hits": hits})
    update = await select({"task": task, "query": query, "retrieval": retrieval}, deps)
    return update["evidence"]


def _holds(passage: Passage, source: Passage) -> bool:
    """A hit may have been joined with its neighbours."""
    return (
        (passage.document, passage.page) == (source.document, source.page)
        and passage.start <= source.start
        and passage.end >= source.end
    )


async def _account(deps: Deps) -> Account:
    """One for all calls, with room for `MAX_QUESTIONS` and no more."""
    calls = 2 * (MAX_QUESTIONS + BORNE_FAILURES)
    limits = replace(
        deps.limits,
        model_calls=calls,
        tokens=calls * await deps.model.context_tokens(),
        deadline_s=calls * deps.limits.call_timeout_s,
    )
    return Account(task_id="calibration", run_id=uuid4().hex, limits=limits)
