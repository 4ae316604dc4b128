"""A folder of very many passages: memory and speed while it is ingested, then its queries."""

import sys
from dataclasses import dataclass
from pathlib import Path

from evals.index import corpora
from evals.index.outcome import Ingested
from evals.index.process import run
from evals.index.product import in_new_process
from evals.index.queries import Latencies
from evals.index.throughput import OnStep

DOCUMENT_PARAGRAPHS = 150
TRIAL_DOCUMENTS = 20


@dataclass(frozen=True, slots=True)
class Large:
    """`ingest_peak_rss` and `query_peak_rss` are bytes of the process and its children."""

    ingested: Ingested
    ingest_peak_rss: int
    latencies: Latencies
    query_peak_rss: int


def measure(wanted: int, queries: int, scratch: Path, on_step: OnStep) -> Large:
    """Ingest about `wanted` generated passages, then ask `queries` questions."""
    on_step(f"writing documents of {wanted:,} passages")
    documents = _documents_for(wanted, scratch)
    folder, index = scratch / "documents", scratch / "index"
    corpora.write_markdown(folder, documents, DOCUMENT_PARAGRAPHS)
    on_step(f"ingesting {documents:,} documents of about {wanted:,} passages")
    ingest = in_new_process(folder, index)
    on_step(f"{queries} queries")
    asked = run([sys.executable, "-m", "evals.index.queries", index, str(queries)])
    return Large(
        ingested=Ingested(**ingest.last_line),
        ingest_peak_rss=ingest.peak_rss,
        latencies=Latencies(**asked.last_line),
        query_peak_rss=asked.peak_rss,
    )


def _documents_for(wanted: int, scratch: Path) -> int:
    """How many documents give so many passages, by those of a few."""
    folder = scratch / "trial"
    corpora.write_markdown(folder, TRIAL_DOCUMENTS, DOCUMENT_PARAGRAPHS)
    trial = in_new_process(folder, scratch / "trial-index")
    per_document = Ingested(**trial.last_line).passages / TRIAL_DOCUMENTS
    return round(wanted / per_document)
