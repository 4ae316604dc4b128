"""Traces as a collector gets them over HTTP, or does not."""

import asyncio
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from serving.settings import load_settings
from serving.telemetry import traces as traces_module
from serving.telemetry.traces import TaskSpan, Traces, open_traces


@dataclass
class Collector:
    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def requests(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.paths.append(self.path)
            found.headers = dict(self.headers)
            found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
    yield found
    server.shutdown()
    server.server_close()


def trace_a_task(traces: Traces) -> TaskSpan:
    task = traces.task("0f", "acme", "plan", "what is a cache?")
    with task.current(), traces.node("answer", 1):
        pass
    task.end("answered", None, None)
    return task


async def test_a_collector_gets_the_spans_with_the_services_name(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20collector")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "agent-of-acme")
    async with open_traces(load_settings()) as traces:
        task = trace_a_task(traces)
    assert collector.paths == ["/v1/traces"]
    assert {key.lower(): value for key, value in collector.headers.items()}[
        "authorization"
    ] == "Bearer collector"
    (sent,) = collector.requests[0].resource_spans
    names = {one.key: one.value.string_value for one in sent.resource.attributes}
    assert names["service.name"] == "agent-of-acme"
    (scope,) = sent.scope_spans
    node, root = scope.spans
    assert (node.name, root.name) == ("answer", "task")
    assert node.parent_span_id == root.span_id
    assert root.trace_id.hex() == task.trace_id
    assert b"what is a cache?" not in collector.bodies[0]


@pytest.mark.parametrize("endpoint", [None, ""])
async def test_without_an_endpoint_nothing_is_sent(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, endpoint: str | None
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    if endpoint is not None:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
    before = threading.active_count()
    async with open_traces(load_settings()) as traces:
        assert trace_a_task(traces).trace_id is not None
        assert threading.active_count() == before
    assert collector.bodies == []


async def test_a_collector_that_refuses_costs_the_spans_and_a_line_in_the_log(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    collector.status = 400
    with caplog.at_level(logging.ERROR):
        async with open_traces(load_settings()) as traces:
            trace_a_task(traces)
    assert len(collector.bodies) == 1
    assert "Failed to export" in caplog.text


async def test_a_collector_that_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(traces_module, "FLUSH_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        async with asyncio.timeout(traces_module.EXPORT_TIMEOUT_S):
            async with open_traces(load_settings()) as traces:
                assert trace_a_task(traces).trace_id is not None


async def test_more_spans_than_a_dead_collector_takes_are_dropped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The queue has a bound, and who ends a span does not wait for room in it."""
    monkeypatch.setattr(traces_module, "FLUSH_TIMEOUT_S", 0.2)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings = load_settings().model_copy(
            update={"otlp_endpoint": f"http://127.0.0.1:{unused.getsockname()[1]}"}
        )
        async with open_traces(settings) as traces:
            for _ in range(3_000):
                trace_a_task(traces)
    assert "Queue full, dropping Span" in caplog.text
