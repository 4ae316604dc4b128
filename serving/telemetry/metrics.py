"""What Prometheus is told. Labels are bounded: no tenant, no id, of a path its template alone."""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.exposition import choose_encoder

from graph.answer import CallRecord

PREFIX = "knowledge_agent"
TASK_S = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300)
NODE_S = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
HTTP_S = (0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
FIRST_EVENT_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
CALLS = (0, 1, 2, 3, 4, 6, 8, 12, 24)
TOKENS = (0, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 80_000)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """Of one app, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        Info(f"{PREFIX}_build", "The release that runs", registry=self._registry).info(
            {"version": version("knowledge-agent")}
        )
        self._tasks = self._counter("tasks", "Tasks that have ended", "mode", "outcome")
        self._refusals = self._counter("refusals", "Tasks that were refused", "reason")
        self._fallbacks = self._counter(
            "fallbacks", "Failures after which a task went on by a fallback", "node", "error"
        )
        self._task_s = self._histogram(
            "task_duration_seconds", "Of a task, from its begin", TASK_S, "mode", "outcome"
        )
        self._node_s = self._histogram(
            "node_duration_seconds", "Of a run of a node", NODE_S, "node"
        )
        self._calls = self._counter("model_calls", "Calls to the model", "node", "outcome")
        self._tokens = {
            kind: self._counter(f"{kind}_tokens", help_text)
            for kind, help_text in {
                "prompt": "Tokens of prompts, cached ones included",
                "cached": "Of the tokens of prompts, those from the prefix cache",
                "output": "Tokens that the model wrote",
            }.items()
        }
        self._task_calls = self._histogram(
            "task_model_calls", "Calls to the model of a task", CALLS
        )
        self._task_tokens = {
            kind: self._histogram(f"task_{kind}_tokens", f"Likewise, of a task ({kind})", TOKENS)
            for kind in self._tokens
        }
        self._cost = self._counter("cost", "Money for calls to the model", "currency")
        self._limited = self._counter(
            "limit_refusals", "Requests refused by a limit, by the class of the error", "kind"
        )
        self._running = self._gauge("tasks_running", "Tasks that run in this process")
        self._queued = self._gauge("tasks_queued", "Tasks that wait in this process")
        self._requests = self._counter(
            "http_requests", "Requests over HTTP", "method", "route", "status"
        )
        self._request_s = self._histogram(
            "http_request_duration_seconds", "Until a response's end", HTTP_S, "method", "route"
        )
        self._first_event_s = self._histogram(
            "first_event_seconds",
            "From a request to its stream's first event",
            FIRST_EVENT_S,
            "route",
        )

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """The body and its media type, as the `Accept` header wants it."""
        encode, media_type = choose_encoder(accept)
        return encode(self._registry), media_type

    def watch_running(self, count: Callable[[], int]) -> None:
        """`count` is called whenever somebody asks for metrics."""
        self._running.set_function(count)

    def watch_queue(self, length: Callable[[], int]) -> None:
        """Likewise."""
        self._queued.set_function(length)

    def node(self, name: str, seconds: float) -> None:
        self._node_s.labels(name).observe(seconds)

    def fallback(self, node: str, error: str) -> None:
        """`error` is a class of graph.errors."""
        self._fallbacks.labels(node, error).inc()

    def task(
        self,
        mode: str,
        outcome: str,
        seconds: float,
        calls: Iterable[CallRecord],
        refusal: str | None = None,
    ) -> None:
        """A task that has ended; `refusal` is the reason of one that was refused."""
        calls = tuple(calls)
        self._tasks.labels(mode, outcome).inc()
        self._task_s.labels(mode, outcome).observe(seconds)
        if refusal is not None:
            self._refusals.labels(refusal).inc()
        self._task_calls.observe(len(calls))
        for call in calls:
            self._calls.labels(call.node, call.outcome).inc()
        for kind, counted in _tokens(calls).items():
            self._tokens[kind].inc(counted)
            self._task_tokens[kind].observe(counted)

    def cost(self, currency: str, amount: float) -> None:
        self._cost.labels(currency).inc(amount)

    def limited(self, kind: str) -> None:
        """A request that a quota, a rate or the load refused; `kind` is the error's class."""
        self._limited.labels(kind).inc()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is the template of the path."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._request_s.labels(method, route).observe(seconds)

    def first_event(self, route: str, seconds: float) -> None:
        self._first_event_s.labels(route).observe(seconds)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"{PREFIX}_{name}", documentation, labels, registry=self._registry)

    def _gauge(self, name: str, documentation: str) -> Gauge:
        return Gauge(f"{PREFIX}_{name}", documentation, registry=self._registry)

    def _histogram(
        self, name: str, documentation: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(
            f"{PREFIX}_{name}", documentation, labels, buckets=buckets, registry=self._registry
        )


def _tokens(calls: Iterable[CallRecord]) -> Mapping[str, int]:
    calls = tuple(calls)
    return {
        "prompt": sum(call.prompt_tokens for call in calls),
        "cached": sum(call.cached_tokens for call in calls),
        "output": sum(call.output_tokens for call in calls),
    }
