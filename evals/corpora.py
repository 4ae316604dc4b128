"""Corpora for suites: folders or texts, made into indexes by the product's own ingest.

Indexes and vectors of questions stay in the cache folder. An index is brought in step whenever it
is opened, and calibrated anew when the sources of `knowledge` have changed since.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

from rich.console import Console

from evals.suite import Options, Outcome, source_version
from graph.errors import ConfigError, IndexMismatch, IndexMissing
from graph.evidence import DomainSignal
from knowledge.domain import cautious, current_calibration
from knowledge.embed import Embedder, Vectors
from knowledge.ingest import ingest
from knowledge.question_vectors import QuestionVectors
from knowledge.report import IngestReport
from knowledge.search import Found, Searcher
from knowledge.store import IndexAddress, Store, open_generation, open_store
from knowledge.vector_cache import VectorCache
from knowledge.verdict import rule_in_use
from serving.settings import Settings
from serving.wiring.documents import embedder, index_address
from serving.wiring.model_server import model_url

SHOWN, SHOWN_CHARS = 3, 400

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook"


@dataclass(frozen=True, slots=True)
class Text:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of documents, or texts by the names of their files without the ending."""

    name: str
    content: Path | Mapping[str, Text]
    titles: bool = False

    def home(self, options: Options) -> Path:
        return options.cache / "corpora" / self.name.replace("/", "-").replace(" ", "-")

    def folder(self, options: Options) -> Path:
        """Where the documents lie; texts are written there, and those that are none any more are
        removed."""
        if isinstance(self.content, Path):
            return self.content
        folder = self.home(options) / "documents"
        folder.mkdir(parents=True, exist_ok=True)
        pages = {f"{name}.html": self._page(text) for name, text in self.content.items()}
        for name, page in pages.items():
            file = folder / name
            if not file.exists() or file.read_text("utf-8") != page:
                file.write_text(page, "utf-8")
        for file in folder.iterdir():
            if file.name not in pages:
                file.unlink()
        return folder

    def _page(self, text: Text) -> str:
        title = f"<title>{escape(text.title)}</title>" if self.titles else ""
        return f"<meta charset=utf-8>{title}<p>{escape(text.text)}"


OWN = Corpus("own", Path())
"""The owner's index as it is: nothing is ingested."""


class OpenCorpus:
    """An index that is open, and its gate."""

    def __init__(self, store: Store, questions: QuestionVectors, alone: threading.Lock) -> None:
        self._alone = alone
        self._searcher = Searcher(store)
        self._questions = questions
        self._calibration = current_calibration(store) or cautious(store)
        self.version = _version(store)

    async def ask(self, work: "Callable[[OpenCorpus], Outcome]") -> Outcome:
        """Does the work in a thread, so that a time limit and Ctrl-C are heard meanwhile; one at a
        time, since SQLite's connections are shared, and times would be those of a crowd."""

        def alone() -> Outcome:
            with self._alone:
                return work(self)

        return await asyncio.to_thread(alone)

    def vector(self, question: str) -> Vectors:
        row: Vectors = self._questions.of([question])[0]
        return row

    def search(self, question: str, vector: Vectors | None, limit: int) -> Found:
        return self._searcher.search(question, vector, limit=limit)

    def signal(self, found: Found) -> DomainSignal:
        return self._calibration.signal(found.features)


def version_of(settings: Settings) -> str:
    """All that decides what a search of this index finds, and whether its answers are believed."""
    with open_generation(index_address(settings)) as store:
        search = (settings.rerank_url, settings.rerank_model, settings.neighbours)
        return f"{_version(store)} {search} {rule_in_use(store)}"


def _version(store: Store) -> str:
    """Of the passages, what made their vectors, and the bound."""
    return f"{store.catalog.corpus_version()} {store.contract} {current_calibration(store)}"


def shown_passages(found: Found) -> list[dict[str, str | int]]:
    """The first few, shortened, for the report."""
    passages = [hit.passage for hit in found.hits[:SHOWN]]
    return [
        {"document": each.document, "page": each.page, "text": each.text[:SHOWN_CHARS]}
        for each in passages
    ]


@contextmanager
def open_corpora(
    options: Options, corpora: Mapping[str, Corpus]
) -> Iterator[dict[str, OpenCorpus]]:
    """Raises what an ingest raises, and `ConfigError` where one stays incomplete."""
    options.cache.mkdir(parents=True, exist_ok=True)
    model = embedder(options.settings)
    with ExitStack() as stack:
        kept = stack.enter_context(closing(VectorCache(options.cache / "questions.sqlite3")))
        questions = QuestionVectors(model, kept)
        opened, alone = {}, threading.Lock()
        for name, corpus in corpora.items():
            address = index_address(ingested(corpus, options))
            store = stack.enter_context(open_store(address))
            opened[name] = OpenCorpus(store, questions, alone)
        yield opened


def ingested(corpus: Corpus, options: Options) -> Settings:
    """Settings with which the product works on the corpus; its index is made if it is not there."""
    settings = options.settings
    if corpus is OWN:
        return settings
    model = embedder(settings)
    home = corpus.home(options) / model.name.replace("/", "-")
    # The engine's state lies in the home of the owner, so it has to be found before.
    settings = settings.model_copy(
        update={
            "home": home,
            "tenant": "default",
            "chroma_url": None,
            "engine_url": model_url(settings),
        }
    )
    address = index_address(settings)
    folder = corpus.folder(options)
    _forget_old_bound(address)
    with Console(stderr=True).status(f"{corpus.name}: bringing the index in step"):
        report = _ingest(folder, address, model, settings.false_refusals)
    if not report.complete:
        raise ConfigError(f"the index of {corpus.name} is not complete: {report.problem}")
    (address.home / "calibrated_by").write_text(_gate_version(), "ascii")
    return settings


def _ingest(
    folder: Path, address: IndexAddress, model: Embedder, false_refusals: float
) -> IngestReport:
    bring = partial(ingest, folder, address, model, replace_all=True, false_refusals=false_refusals)
    try:
        return bring()
    except IndexMismatch:  # made by an older version of the product
        return bring(rebuild=True)


def _forget_old_bound(address: IndexAddress) -> None:
    stamp = address.home / "calibrated_by"
    if stamp.exists() and stamp.read_text("ascii") == _gate_version():
        return
    try:
        with open_generation(address) as store:
            store.calibration_path.unlink(missing_ok=True)
    except (IndexMissing, IndexMismatch):
        return


def _gate_version() -> str:
    return source_version("knowledge")
