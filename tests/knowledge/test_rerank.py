"""The reranker: its protocol, its faults, and what a search makes of both."""

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from graph.errors import ConfigError, RerankerUnavailable
from graph.evidence import Hit
from knowledge import rerank_endpoint
from knowledge.ingest import ingest
from knowledge.rerank import RERANKED, make_reranker, rerank
from knowledge.rerank_endpoint import EndpointReranker
from knowledge.retriever import open_retriever
from knowledge.store import IndexAddress
from tests.fakes import passage
from tests.knowledge.stubs import WordsEmbedder


class Endpoint(BaseHTTPRequestHandler):
    """Likes the texts that hold the word `liked`, and tells the scores as vLLM does: best first,
    each with the text's index. `reply` is said in place of that; `released` holds it back."""

    liked: ClassVar[str] = "Espresso"
    reply: ClassVar[tuple[int, str] | None] = None
    released = threading.Event()
    requests: ClassVar[list[tuple[str, dict[str, str], dict[str, object]]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.requests.append((self.path, headers, body))
        self.released.wait(30)
        texts: list[str] = body["documents"]
        results = [
            {"index": at, "document": {"text": text}, "relevance_score": float(self.liked in text)}
            for at, text in sorted(enumerate(texts), key=lambda pair: self.liked not in pair[1])
        ]
        usage = {"prompt_tokens": 9, "total_tokens": 9}
        said = {"id": "score-1", "model": "tiny", "usage": usage, "results": results}
        status, text = self.reply or (200, json.dumps(said))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the test's output quiet."""


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Endpoint, "requests", [])
    Endpoint.released.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    Endpoint.released.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("What is brewed?", ["Green tea is steeped.", "Espresso is brewed.", "배추김치"]),
        ("무엇을 내리나?", ["녹차를 우린다.", "Espresso를 내린다.", "김치"]),
    ],
)
def test_each_text_gets_the_score_that_bears_its_index(
    url: str, query: str, texts: list[str]
) -> None:
    assert EndpointReranker(url, "tiny", None).rerank(query, texts) == [0.0, 1.0, 0.0]
    (path, _, body) = Endpoint.requests[0]
    assert path == "/v1/rerank"
    assert body == {"model": "tiny", "query": query, "documents": texts}


@pytest.mark.parametrize(
    ("model", "api_key"), [("tiny", "secret"), ("tiny", None), (None, "secret"), (None, None)]
)
def test_key_and_model_are_sent_where_they_are_set(
    url: str, model: str | None, api_key: str | None
) -> None:
    EndpointReranker(url, model, api_key).rerank("a", ["b"])
    (_, headers, body) = Endpoint.requests[0]
    assert headers.get("authorization") == (f"Bearer {api_key}" if api_key else None)
    assert body.get("model") == model
    assert ("model" in body) == (model is not None)


def scores(*pairs: tuple[int, object]) -> str:
    return json.dumps({"results": [{"index": at, "relevance_score": of} for at, of in pairs]})


@pytest.mark.parametrize(
    ("status", "reply", "said"),
    [
        (503, "busy", "HTTP 503 busy"),
        (400, '{"error": "질문이 너무 깁니다"}', "질문이 너무 깁니다"),
        (302, "", "HTTP 302"),
        (200, "<html>", "faults in its answer"),
        (200, "[]", "faults in its answer"),
        (200, scores((0, 1.0)), "1 scores for 2 texts"),
        (200, scores((0, 1.0), (1, 0.5), (2, 0.1)), "3 scores for 2 texts"),
        (200, scores((0, 1.0), (0, 0.5)), "2 scores for 2 texts"),
        (200, scores((0, 1.0), (-1, 0.5)), "2 scores for 2 texts"),
        (200, scores((0, 1.0), (1, float("nan"))), "faults in its answer"),
        (200, scores((0, 1.0), (1, float("inf"))), "faults in its answer"),
        (200, scores((0, 1.0), (1, None)), "faults in its answer"),
    ],
)
def test_an_answer_that_is_none_is_said_and_not_asked_for_again(
    url: str, monkeypatch: pytest.MonkeyPatch, status: int, reply: str, said: str
) -> None:
    monkeypatch.setattr(Endpoint, "reply", (status, reply))
    with pytest.raises(RerankerUnavailable, match=said) as raised:
        EndpointReranker(url, "tiny", None).rerank("a", ["b", "나"])
    assert "KA_RERANK_URL" in str(raised.value)
    assert len(Endpoint.requests) == 1


def test_a_server_that_hangs_or_is_gone_makes_the_reranker_unavailable(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rerank_endpoint, "TIMEOUT_S", 0.3)
    Endpoint.released.clear()
    with pytest.raises(RerankerUnavailable, match="ReadTimeout"):
        EndpointReranker(url, "tiny", None).rerank("a", ["b"])
    with pytest.raises(RerankerUnavailable, match="ConnectError"):
        EndpointReranker("http://127.0.0.1:9/v1", "tiny", None).rerank("가", ["나"])


def test_a_proxy_of_the_environment_is_left_out_where_it_must_be(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    direct = make_reranker(url, "tiny", None, use_proxies=False)
    assert direct is not None
    assert direct.rerank("a", ["Espresso"]) == [1.0]
    with pytest.raises(RerankerUnavailable):
        EndpointReranker(url, "tiny", None).rerank("a", ["Espresso"])


def test_without_an_endpoint_there_is_no_reranker() -> None:
    assert make_reranker(None, None, None) is None
    with pytest.raises(ConfigError, match="set KA_RERANK_URL"):
        make_reranker(None, "tiny", None)


class Backwards:
    """Likes what comes last."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(at) for at, _ in enumerate(texts)]


def test_only_the_best_hits_are_looked_at_again_and_the_others_follow() -> None:
    hits = [
        Hit(passage=passage("text", number=at), dense=None, lexical=1.0, fused=-float(at))
        for at in range(RERANKED + 2)
    ]
    found = rerank(Backwards(), "a", hits)
    places = [hit.passage.start for hit in found]
    assert places == [*reversed(range(RERANKED)), RERANKED, RERANKED + 1]
    assert [hit.reranked for hit in found[-3:]] == [0.0, None, None]
    assert rerank(Backwards(), "가", []) == []


@pytest.mark.parametrize(
    ("question", "before", "liked", "after"),
    [
        ("How long is green tea steeped?", "tea.md", "Espresso", "coffee.md"),
        ("김치는 어떻게 절이나요?", "김치.md", "Green", "tea.md"),
        ("What is brewed in thirty seconds?", "coffee.md", "배추", "김치.md"),
    ],
)
async def test_a_reranker_changes_the_order_and_not_the_gate(
    url: str,
    folder: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    before: str,
    liked: str,
    after: str,
) -> None:
    monkeypatch.setattr(Endpoint, "liked", liked)
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        plain = await retriever.search(question, limit=1)
    with open_retriever(address, embedder, reranker=make_reranker(url, "m", None)) as retriever:
        found = await retriever.search(question, limit=1)
    assert [hit.passage.document for hit in plain.hits] == [before]
    assert [(hit.passage.document, hit.reranked) for hit in found.hits] == [(after, 1.0)]
    assert found.domain == plain.domain
    assert found.degraded == plain.degraded


@pytest.mark.parametrize("question", ["How long is green tea steeped?", "김치는 어떻게 절이나요?"])
async def test_without_its_reranker_a_search_keeps_its_order_and_says_so(
    url: str,
    folder: Path,
    address: IndexAddress,
    embedder: WordsEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
) -> None:
    monkeypatch.setattr(Endpoint, "reply", (500, "broken"))
    ingest(folder, address, embedder)
    with open_retriever(address, embedder) as retriever:
        plain = await retriever.search(question, limit=2)
    with open_retriever(address, embedder, reranker=make_reranker(url, "m", None)) as retriever:
        found = await retriever.search(question, limit=2)
    assert found.hits == plain.hits
    assert [why for why in found.degraded if why not in plain.degraded] == [
        f"not reranked: no scores from {url}/rerank: HTTP 500 broken; "
        "check KA_RERANK_URL and that server"
    ]
