"""Plays LangSmith as far as an upload of an experiment needs it, and keeps what it was sent."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

NOW = "2026-11-30T12:00:00+00:00"
TENANT = "00000000-0000-4000-8000-000000000001"
INFO = {
    "version": "0.12.0",
    "instance_flags": {"dataset_examples_multipart_enabled": True},
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "scale_up_qsize_trigger": 1_000,
        "scale_up_nthreads_limit": 1,
        "scale_down_nempty_trigger": 1,
        "size_limit": 100,
        "size_limit_bytes": 1_000_000,
    },
}
RUN_FIELDS = ("inputs", "outputs", "error", "extra", "events")


@dataclass
class Service:
    """`broken` is a pattern of the requests (method and path) that are answered with `status`."""

    url: str = ""
    broken: str = ""
    status: int = 500
    requests: list[str] = field(default_factory=list)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    examples: dict[str, dict[str, Any]] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def answer(
        self, method: str, path: str, query: dict[str, list[str]], body: bytes, kind: str
    ) -> Any:
        if path == "/info":
            return INFO
        if path == "/datasets":
            return self._datasets(method, query, body)
        if path == "/examples":
            start = int(query["offset"][0])
            of = query["dataset"][0]
            held = [one for one in self.examples.values() if one["dataset_id"] == of]
            return held[start : start + int(query["limit"][0])]
        if found := re.fullmatch(r"/v1/platform/datasets/([^/]+)/examples", path):
            return self._take_examples(found[1], _parts(body, kind))
        if path.startswith("/sessions"):
            return self._sessions(method, path, body)
        if path == "/runs/multipart":
            return self._take_runs(_parts(body, kind))
        raise KeyError(path)

    def _datasets(self, method: str, query: dict[str, list[str]], body: bytes) -> Any:
        if method == "GET":
            return [one for one in self.datasets.values() if one["name"] == query["name"][0]]
        made = {"id": str(uuid4()), "created_at": NOW, **json.loads(body)}
        self.datasets[made["id"]] = made
        return made

    def _take_examples(self, dataset: str, parts: dict[str, Any]) -> Any:
        for name, value in parts.items():
            identity, _, what = name.partition(".")
            example = self.examples.setdefault(
                identity, {"id": identity, "dataset_id": dataset, "created_at": NOW}
            )
            example |= {what: value} if what else value
        ids = sorted({name.partition(".")[0] for name in parts})
        return {"count": len(ids), "example_ids": ids}

    def _sessions(self, method: str, path: str, body: bytes) -> Any:
        if method == "GET":
            return [
                {
                    "id": str(uuid4()),
                    "name": "any",
                    "tenant_id": TENANT,
                    "reference_dataset_id": None,
                }
            ]
        sent = json.loads(body)
        if method == "POST":
            sent |= {"tenant_id": TENANT, "start_time": NOW}
            self.sessions[sent["id"]] = sent
            return sent
        session = self.sessions[path.rsplit("/", 1)[1]]
        session |= {name: value for name, value in sent.items() if value is not None}
        return session

    def _take_runs(self, parts: dict[str, Any]) -> Any:
        """Parts are named post.ID, post.ID.inputs and so on, or feedback.ID."""
        for name, value in parts.items():
            what, identity, *rest = name.split(".")
            if what == "feedback":
                self.feedback.append(value)
            elif what in ("post", "patch"):
                run = self.runs.setdefault(identity, {})
                run |= {rest[0]: value} if rest else value
        return {}


@contextmanager
def langsmith_service() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = urlsplit(self.path)
            request = f"{self.command} {parts.path}"
            service.requests.append(request)
            service.bodies.append(body)
            if service.broken and re.match(service.broken, request):
                self._reply(service.status, {"detail": "the service is broken"})
            else:
                kind = self.headers.get("Content-Type", "")
                query = parse_qs(parts.query)
                self._reply(200, service.answer(self.command, parts.path, query, body, kind))

        do_GET = do_POST = do_PATCH = _handle  # noqa: N815 - http.server calls them so

        def _reply(self, status: int, content: Any) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def _parts(body: bytes, kind: str) -> dict[str, Any]:
    """Of a multipart form, by their names."""
    message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    found: dict[str, Any] = {}
    for part in message.get_payload():
        assert isinstance(part, Message)
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        found[str(part.get_param("name", header="Content-Disposition"))] = json.loads(content)
    return found
