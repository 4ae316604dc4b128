"""Agents on the real gateway and a stub in the engine's place, traced."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graph.build import build_graph
from graph.ports import Deps, Limits
from graph.run import Agent
from serving.api.observation import Telemetry
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.server import ModelServer
from serving.store.database import Database
from serving.telemetry.traces import Traces
from tests.fakes import FixedRetriever
from tests.serving.api.conftest import ScriptedAgents, Served, serving
from tests.stub_engine import StubEngine


@dataclass
class GatewayAgents(ScriptedAgents):
    stub: StubEngine = field(kw_only=True)
    traces: Traces = field(kw_only=True)
    retriever: FixedRetriever = field(kw_only=True)

    def keep_in(self, ledger: MemoryLedger) -> None:
        self.ledger = ledger
        server = ModelServer(self.stub.url, None, None)
        self.engine = self.gateway = GatewayModel(server, ledger, None, traces=self.traces)

    @asynccontextmanager
    async def of(self, tenant: str) -> AsyncIterator[tuple[Agent, Deps]]:
        deps = Deps(
            self.gateway,
            self.ledger,
            self.traces.traced(self.retriever),
            Limits(),
            watch=self.traces.node,
        )
        yield build_graph(deps).compile(), deps


@asynccontextmanager
async def traced_service(
    database: Database, engine: StubEngine, traces: Traces, retriever: FixedRetriever | None = None
) -> AsyncIterator[Served]:
    agents = GatewayAgents({}, stub=engine, traces=traces, retriever=retriever or FixedRetriever())
    async with serving(database, agents, telemetry=Telemetry(traces)) as served:
        yield served
        await agents.gateway.aclose()


class Spans:
    """What an exporter was given."""

    def __init__(self, *, content: bool = False) -> None:
        self._exporter = InMemorySpanExporter()
        self.traces = Traces(SimpleSpanProcessor(self._exporter), content=content)

    @property
    def all(self) -> Sequence[ReadableSpan]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (span,) = self.named(name)
        return span

    @property
    def text(self) -> str:
        return "\n".join(span.to_json() for span in self.all)


def attribute(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(name)


def parent_of(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


def id_of(span: ReadableSpan) -> int:
    context = span.get_span_context()
    assert context is not None
    return context.span_id


def trace_of(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}"
