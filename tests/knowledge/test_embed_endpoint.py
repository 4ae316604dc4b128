import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from graph.errors import EmbedderUnavailable
from knowledge import embed_endpoint
from knowledge.embed import make_embedder
from knowledge.embed_endpoint import OpenAIEmbedder
from knowledge.ingest import ingest
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.knowledge.stubs import WordsEmbedder


class Endpoint(BaseHTTPRequestHandler):
    """Serves one model and answers in the wrong order, as the protocol allows; a test may make it
    fail, or hang until `released` is set."""

    inputs: ClassVar[list[str]] = []
    headers_seen: ClassVar[list[dict[str, str]]] = []
    status = 200
    released = threading.Event()

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "intfloat/e5-test", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.inputs.extend(body["input"])
        self.headers_seen.append({name.lower(): value for name, value in self.headers.items()})
        self.released.wait(30)
        rows = [
            {"object": "embedding", "index": at, "embedding": [3.0, 4.0 * at]}
            for at, _ in enumerate(body["input"])
        ]
        self._answer({"object": "list", "model": "m", "data": rows[::-1], "usage": {}})

    def _answer(self, body: dict[str, object]) -> None:
        data = json.dumps(body).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the test's output quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    Endpoint.inputs.clear()
    Endpoint.headers_seen.clear()
    Endpoint.released.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    Endpoint.released.set()
    server.shutdown()
    server.server_close()


def test_the_only_model_is_taken_and_vectors_are_put_in_order(url: str) -> None:
    embedder = OpenAIEmbedder(url, None, None)
    assert embedder.name == "intfloat/e5-test"
    assert np.allclose(embedder.embed_passages(["a", "b"]), [[1.0, 0.0], [0.6, 0.8]])
    assert embedder.dimension == 2


def test_e5_models_get_the_prefix_that_they_were_trained_with(url: str) -> None:
    embedder = OpenAIEmbedder(url, None, None)
    embedder.embed_query("질문")
    embedder.embed_passages(["text"])
    assert Endpoint.inputs == ["query: 질문", "passage: text"]


def test_a_server_that_is_not_there_makes_the_embedder_unavailable() -> None:
    with pytest.raises(EmbedderUnavailable, match="KA_EMBED_URL"):
        OpenAIEmbedder("http://127.0.0.1:9/v1", "m", None).embed_query("a")


def test_a_query_is_sent_once_and_a_batch_of_passages_again(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Endpoint, "status", 503)
    embedder = OpenAIEmbedder(url, "m", None)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("한 번")
    assert Endpoint.inputs == ["한 번"]
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_passages(["often"])
    assert Endpoint.inputs[1:] == ["often"] * (1 + embed_endpoint.BATCH_RETRIES)


@pytest.mark.parametrize(
    ("question", "document"),
    [("How long is green tea steeped?", "tea.md"), ("김치는 어떻게 절이나요?", "김치.md")],
)
async def test_an_endpoint_that_hangs_leads_to_words_alone(
    url: str,
    folder: Path,
    address: IndexAddress,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    document: str,
) -> None:
    ingest(folder, address, WordsEmbedder("served"))
    monkeypatch.setattr(embed_endpoint, "QUERY_TIMEOUT_S", 0.3)
    Endpoint.released.clear()
    with open_retriever(address, make_embedder(url, "served")) as retriever:
        found = await retriever.search(question, limit=1)
    assert found.hits[0].passage.document == document
    assert found.degraded[0].startswith("searched by words alone")
    assert Endpoint.inputs == [question]


@pytest.mark.parametrize(("api_key", "sent"), [("own", "Bearer own"), (None, "Bearer none")])
def test_nothing_of_another_service_is_sent_to_the_endpoint(
    url: str, monkeypatch: pytest.MonkeyPatch, api_key: str | None, sent: str
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "foreign")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: foreign\nAuthorization: Bearer foreign")
    embedder = make_embedder(url, "m", api_key)
    embedder.embed_query("질문")
    embedder.embed_passages(["text"])
    assert [seen["authorization"] for seen in Endpoint.headers_seen] == [sent, sent]
    assert "foreign" not in str(Endpoint.headers_seen)
