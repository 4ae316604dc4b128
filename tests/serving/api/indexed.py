"""The service on a real index of uploaded documents, with an embedder that takes no time."""

import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from graph.build import build_graph
from graph.ports import Deps, Limits
from graph.run import Agent
from knowledge.embed import Embedder, Vectors
from knowledge.retriever import CorpusRetriever, open_retriever
from knowledge.store import IndexAddress
from serving.store.database import Database
from tests.knowledge.stubs import WordsEmbedder
from tests.serving.api.conftest import ScriptedAgents, Served, serving
from tests.waiting import until_async

TEA = "Green tea is steeped for two minutes."
KIMCHI = "배추김치는 소금에 절인다. 김치는 사흘 동안 익힌다."


class HeldEmbedder(WordsEmbedder):
    """A file that has been read is cut into passages, or a passage embedded, once it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.cutting, self.embedding = threading.Event(), threading.Event()
        self.cutting.set()
        self.embedding.set()
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        self.asked.append(text)
        assert self.cutting.wait(60)
        return super().count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked.extend(texts)
        assert self.embedding.wait(60)
        return super().embed_passages(texts)

    def let_go(self) -> None:
        self.cutting.set()
        self.embedding.set()


class IndexAgents(ScriptedAgents):
    """Each tenant's own index, kept open once it is asked, as the service does."""

    def __init__(self, home: Path, embedder: Embedder, chroma_url: str | None = None) -> None:
        super().__init__({"answer": f"{TEA} [1]"})
        self._home = home
        self._embedder = embedder
        self._chroma_url = chroma_url
        self._retrievers: dict[str, CorpusRetriever] = {}
        self.opened = ExitStack()

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        if tenant not in self._retrievers:
            address = IndexAddress(self._home / "index", tenant, self._chroma_url)
            retriever = open_retriever(address, self._embedder)
            self._retrievers[tenant] = self.opened.enter_context(retriever)
        deps = Deps(self.model, self.ledger, self._retrievers[tenant], Limits())
        yield build_graph(deps).compile(), deps


@asynccontextmanager
async def indexed(
    database: Database, home: Path, embedder: Embedder | None = None, /, **settings: Any
) -> AsyncIterator[Served]:
    own = embedder or WordsEmbedder()
    agents = IndexAgents(home, own, settings.get("chroma_url"))
    with agents.opened:
        async with serving(database, agents, home=home, embedder=own, **settings) as served:
            try:
                yield served
            finally:  # a job that is held would never let the service close
                if isinstance(own, HeldEmbedder):
                    own.let_go()


def parts(texts: Mapping[str, str | bytes]) -> list[tuple[str, tuple[str, bytes]]]:
    """As httpx wants them, to be sent in one request."""
    return [
        ("files", (name, text.encode() if isinstance(text, str) else text))
        for name, text in texts.items()
    ]


async def upload(client: httpx.AsyncClient, texts: Mapping[str, str | bytes]) -> dict[str, Any]:
    """The job, when it has ended."""
    response = await client.post("/v1/documents", files=parts(texts))
    assert response.status_code == 202, response.text
    return await ended(client, response.headers["location"])


async def ended(client: httpx.AsyncClient, url: str, timeout_s: float = 60) -> dict[str, Any]:
    job: dict[str, Any] = {}

    async def has_ended() -> bool:
        nonlocal job
        response = await client.get(url)
        assert response.status_code == 200, response.text
        job = response.json()
        return job["status"] not in ("waiting", "running")

    await until_async(has_ended, timeout_s=timeout_s)
    return job


async def texts_found(client: httpx.AsyncClient, query: str) -> list[str]:
    response = await client.post("/v1/search", json={"query": query})
    assert response.status_code == 200, response.text
    return [hit["passage"]["text"] for hit in response.json()["hits"]]
