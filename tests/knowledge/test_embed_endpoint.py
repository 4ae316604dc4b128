import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from graph.errors import EmbedderUnavailable
from knowledge.embed import OpenAIEmbedder


class Endpoint(BaseHTTPRequestHandler):
    """Serves one model and answers in the wrong order, as the protocol allows."""

    inputs: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "intfloat/e5-test", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.inputs.extend(body["input"])
        rows = [
            {"object": "embedding", "index": at, "embedding": [3.0, 4.0 * at]}
            for at, _ in enumerate(body["input"])
        ]
        self._answer({"object": "list", "model": "m", "data": rows[::-1], "usage": {}})

    def _answer(self, body: dict[str, object]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the test's output quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    Endpoint.inputs.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
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
