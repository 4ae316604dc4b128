"""Corpora for suites: folders or texts, made into indexes by the product's own ingest.

Indexes and vectors of questions stay in the cache folder. An index is brought in step whenever it
is opened, and calibrated anew when the sources of `knowledge` have changed since.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Self

from rich.console import Console

from evals.suite import Options, source_version
from graph.errors import ConfigError, IndexMismatch, IndexMissing
from graph.evidence import DomainSignal
from knowledge.domain import cautious, current_calibration
from knowledge.embed import Embedder, Vectors
from knowledge.ingest import ingest
from knowledge.report import IngestReport
from knowledge.search import Found, Searcher
from knowledge.store import IndexAddress, Store, open_generation, open_store
from knowledge.vector_cache import VectorCache, vector_key
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

    def __init__(self, store: Store, questions: "QuestionVectors") -> None:
        self._searcher = Searcher(store)
        self._questions = questions
        self._calibration = current_calibration(store) or cautious(store)
        self.version = _version(store)

    def vector(self, question: str) -> Vectors:
        return self._questions.vector(question)

    def search(self, question: str, vector: Vectors | None, limit: int) -> Found:
        return self._searcher.search(question, vector, limit=limit)

    def signal(self, question: str, found: Found) -> DomainSignal:
        return self._calibration.signal(question, found.features)


def version_of(settings: Settings) -> str:
    """All that decides what a search of this index finds."""
    with open_generation(index_address(settings)) as store:
        search = (settings.rerank_url, settings.rerank_model, settings.neighbours)
        return f"{_version(store)} {search}"


def _version(store: Store) -> str:
    """Of the passages, what made their vectors, and the bound."""
    return f"{store.catalog.corpus_version()} {store.contract} {current_calibration(store)}"


class QuestionVectors:
    """Vectors of questions, kept in a file."""

    def __init__(self, model: Embedder, path: Path) -> None:
        self._model = model
        self._kept = VectorCache(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def vector(self, question: str) -> Vectors:
        key = vector_key(f"{self._model.name}, question", question)
        known = self._kept.find([key])
        if key not in known:
            known[key] = self._model.embed_query(question)
            self._kept.keep(known, used_s=int(time.time()))
        return known[key]


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
        questions = QuestionVectors(model, options.cache / "questions.sqlite3")
        stack.enter_context(questions)
        opened = {}
        for name, corpus in corpora.items():
            address = index_address(ingested(corpus, options))
            opened[name] = OpenCorpus(stack.enter_context(open_store(address)), questions)
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
        report = _ingest(folder, address, model)
    if not report.complete:
        raise ConfigError(f"the index of {corpus.name} is not complete: {report.problem}")
    (address.home / "calibrated_by").write_text(_gate_version(), "ascii")
    return settings


def _ingest(folder: Path, address: IndexAddress, model: Embedder) -> IngestReport:
    try:
        return ingest(folder, address, model, replace_all=True)
    except IndexMismatch:  # made by an older version of the product
        return ingest(folder, address, model, replace_all=True, rebuild=True)


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
