"""OpenTelemetry: one trace a task, with its nodes, retrievals and model calls.

Without a collector no span is recorded; the trace still has its id, and goes on to the engine.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from importlib.metadata import version
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, format_trace_id, use_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.re import parse_env_headers

from graph.answer import Answered, CallRecord, Outcome
from graph.evidence import EVERYTHING, Retrieval, Scope
from graph.ports import ModelRequest, Retriever
from serving.settings import Settings

EXPORT_TIMEOUT_S = 5.0
FLUSH_TIMEOUT_S = 5.0
OURS = "knowledge_agent"

_w3c = TraceContextTextMapPropagator()


@contextmanager
def incoming(headers: Mapping[str, str]) -> Iterator[None]:
    """Traces that begin inside go on where `traceparent` says, if there is a sound one."""
    token = otel_context.attach(_w3c.extract(headers))
    try:
        yield
    finally:
        otel_context.detach(token)


def outgoing() -> dict[str, str]:
    """Headers that name the current span; none outside every trace."""
    headers: dict[str, str] = {}
    _w3c.inject(headers)
    return headers


class TaskSpan:
    """Begun, and not yet current. One that is never ended is never sent."""

    def __init__(self, span: Span, *, content: bool) -> None:
        self._span = span
        self._content = content

    @property
    def trace_id(self) -> str | None:
        context = self._span.get_span_context()
        return format_trace_id(context.trace_id) if context.is_valid else None

    def current(self) -> AbstractContextManager[Span]:
        return use_span(self._span, record_exception=False, set_status_on_exception=False)

    def end(self, status: str, outcome: Outcome | None, error: str | None) -> None:
        """`error` is the class of what a failed task ended with."""
        self._span.set_attribute(f"{OURS}.outcome", status)
        if outcome is not None:
            degraded = [one.what for one in outcome.degraded]
            self._span.set_attribute(f"{OURS}.degraded", degraded)
            if not isinstance(outcome, Answered):
                self._span.set_attribute(f"{OURS}.refusal.reason", outcome.reason)
            elif self._content:
                self._span.set_attribute(f"{OURS}.answer", outcome.text)
        if error is not None:
            _failed(self._span, error)
        self._span.end()


class CallSpan:
    def __init__(self, span: Span, *, content: bool) -> None:
        self._span = span
        self._content = content

    def booked(
        self,
        call: CallRecord,
        *,
        model: str | None,
        finish_reason: str | None,
        first_token_s: float | None,
        text: str,
    ) -> None:
        """`first_token_s` is the time until the first piece arrived."""
        found: dict[str, Any] = {
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": call.prompt_tokens,
            "gen_ai.usage.cache_read.input_tokens": call.cached_tokens,
            "gen_ai.usage.output_tokens": call.output_tokens,
            "gen_ai.response.finish_reasons": [finish_reason] if finish_reason else None,
            f"{OURS}.tokens_estimated": call.estimated,
            f"{OURS}.first_token_seconds": first_token_s,
            "gen_ai.output.messages": _messages([("assistant", text)]) if self._content else None,
        }
        self._span.set_attributes(
            {name: value for name, value in found.items() if value is not None}
        )


class Traces:
    """`processor` is given every span that has ended; without one nothing is recorded, but where a
    caller's own trace is. Questions, passages, prompts and answers stay here unless `content`."""

    def __init__(
        self,
        processor: SpanProcessor | None = None,
        *,
        content: bool = False,
        resource: Resource | None = None,
    ) -> None:
        sampler = ParentBased(ALWAYS_ON if processor else ALWAYS_OFF)
        self._provider = TracerProvider(
            sampler,
            resource or Resource({"service.name": "knowledge-agent"}),
            shutdown_on_exit=False,
        )
        if processor is not None:
            self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("knowledge-agent", version("knowledge-agent"))
        self._content = content

    def task(self, task_id: str, tenant: str, mode: str, question: str) -> TaskSpan:
        attributes = {
            f"{OURS}.task.id": task_id,
            f"{OURS}.tenant": tenant,
            f"{OURS}.mode": mode,
        }
        if self._content:
            attributes[f"{OURS}.question"] = question
        span = self._tracer.start_span("task", kind=SpanKind.SERVER, attributes=attributes)
        return TaskSpan(span, content=self._content)

    @contextmanager
    def node(self, name: str, step: int | None) -> Iterator[None]:
        attributes: dict[str, Any] = {f"{OURS}.node": name}
        if step is not None:
            attributes[f"{OURS}.step"] = step
        with self._span(name, attributes):
            yield

    @contextmanager
    def model_call(self, request: ModelRequest) -> Iterator[CallSpan]:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.max_tokens": request.max_tokens,
            f"{OURS}.node": request.node,
        }
        if self._content:
            said = [(message.role, message.content) for message in request.messages]
            attributes["gen_ai.input.messages"] = _messages(said)
        with self._span("model call", attributes, SpanKind.CLIENT) as span:
            yield CallSpan(span, content=self._content)

    @contextmanager
    def retrieval(self, query: str) -> Iterator[Span]:
        attributes = {f"{OURS}.query": query} if self._content else {}
        with self._span("retrieval", attributes) as span:
            yield span

    def traced(self, retriever: Retriever) -> Retriever:
        return _TracedRetriever(retriever, self, content=self._content)

    async def aclose(self) -> None:
        """Send what has not been sent; a collector that is down is given up."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, FLUSH_TIMEOUT_S)

    @contextmanager
    def _span(
        self, name: str, attributes: Mapping[str, Any], kind: SpanKind = SpanKind.INTERNAL
    ) -> Iterator[Span]:
        """Of an error the class alone is told: its words may be a question's or a document's."""
        span = self._tracer.start_span(name, kind=kind, attributes=attributes)
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        except BaseException as error:
            _failed(span, type(error).__name__)
            raise
        finally:
            span.end()


class _TracedRetriever:
    def __init__(self, retriever: Retriever, traces: Traces, *, content: bool) -> None:
        self._retriever = retriever
        self._traces = traces
        self._content = content

    async def search(self, query: str, *, limit: int, scope: Scope = EVERYTHING) -> Retrieval:
        with self._traces.retrieval(query) as span:
            found = await self._retriever.search(query, limit=limit, scope=scope)
            span.set_attribute(f"{OURS}.limit", limit)
            span.set_attribute(f"{OURS}.passages", len(found.hits))
            span.set_attribute(f"{OURS}.degraded", bool(found.degraded))
            if self._content:
                texts = [hit.passage.text for hit in found.hits]
                span.set_attribute(f"{OURS}.passage_texts", texts)
            return found

    async def similarities(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return await self._retriever.similarities(query, texts)


@asynccontextmanager
async def open_traces(settings: Settings) -> AsyncIterator[Traces]:
    """Sent to the collector of the settings from a thread of their own, or dropped when it does not
    take them: a task never waits for that."""
    if settings.otlp_endpoint is None:
        yield Traces()
        return
    headers = settings.otlp_headers.get_secret_value() if settings.otlp_headers else ""
    exporter = OTLPSpanExporter(
        endpoint=f"{settings.otlp_endpoint}/v1/traces",
        headers=parse_env_headers(headers, liberal=True),
        timeout=EXPORT_TIMEOUT_S,
    )
    resource = Resource.create(
        {
            "service.name": settings.otel_service_name,
            "service.version": version("knowledge-agent"),
            "service.instance.id": settings.instance_name,
        }
    )
    traces = Traces(BatchSpanProcessor(exporter), content=settings.trace_content, resource=resource)
    try:
        yield traces
    finally:
        await traces.aclose()


def _failed(span: Span, error: str) -> None:
    span.set_attribute("error.type", error)
    span.set_status(Status(StatusCode.ERROR))


def _messages(said: Sequence[tuple[str, str]]) -> str:
    """As OpenTelemetry's conventions for generative AI have it."""
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": content}]} for role, content in said],
        ensure_ascii=False,
    )
