"""`knowledge-agent search`: what the index finds, with scores."""

import asyncio

from rich.console import Console
from rich.markup import escape

from graph.evidence import Hit, Scope
from serving.cli.exit_codes import EXIT_ANSWERED
from serving.settings import Settings
from serving.wiring.documents import open_index

SHOWN_CHARS = 240


def search(
    settings: Settings, query: str, scope: Scope, limit: int, as_json: bool, console: Console
) -> int:
    with open_index(settings) as retriever:
        found = asyncio.run(retriever.search(query, limit=limit, scope=scope))
    if as_json:
        print(found.model_dump_json(indent=2))
        return EXIT_ANSWERED
    for rank, hit in enumerate(found.hits, start=1):
        passage = hit.passage
        console.print(
            escape(f"{rank}. {passage.document}, page {passage.page}  ({_scores(hit)})"),
            style="bold",
            soft_wrap=True,
        )
        text = " ".join(passage.text.split())
        console.print(escape("   " + text[:SHOWN_CHARS]) + "…" * (len(text) > SHOWN_CHARS))
    domain = found.domain
    side = "in" if domain.score >= domain.bound else "out of"
    console.print(
        f"{side} domain: score {domain.score:.3f}, bound {domain.bound:.3f} ({domain.method})"
    )
    for degraded in found.degraded:
        console.print(escape(f"Degraded: {degraded}"), style="yellow", soft_wrap=True)
    return EXIT_ANSWERED


def _scores(hit: Hit) -> str:
    reranked = "" if hit.reranked is None else f"reranked {hit.reranked:.3f}, "
    found = f"fused {hit.fused:.3f}, dense {_score(hit.dense)}, lexical {_score(hit.lexical)}"
    return reranked + found


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.3f}"
