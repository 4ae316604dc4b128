"""What traces, metrics and logs learn of a task while this process runs it."""

import logging
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from graph.answer import Refused
from graph.events import Event, FailureSeen, NodeFinished, UsageCounted
from graph.transcript import Transcript, total_cost
from serving.api.admission import Admission
from serving.store.tasks import TaskStatus
from serving.telemetry.context import work_on
from serving.telemetry.metrics import Metrics
from serving.telemetry.traces import Traces

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Of one app."""

    traces: Traces = field(default_factory=Traces)
    metrics: Metrics = field(default_factory=Metrics)

    def watch(self, admission: Admission) -> None:
        self.metrics.watch_running(lambda: admission.running)
        self.metrics.watch_queue(lambda: admission.waiting)


class ObservedTask:
    """Its trace begins with it. One that did not begin after all is told to nobody."""

    def __init__(
        self,
        telemetry: Telemetry,
        task_id: str,
        tenant: str,
        mode: str,
        question: str,
        earlier: UsageCounted | None = None,
    ) -> None:
        """`earlier`: what it took before its plan was reviewed, which has been told."""
        self._metrics = telemetry.metrics
        self._mode = mode
        self._span = telemetry.traces.task(task_id, tenant, mode, question)
        self._task_id = task_id
        self._tenant = tenant
        self._earlier = earlier or UsageCounted(calls=(), node_seconds={}, seconds=0.0)

    @property
    def trace_id(self) -> str | None:
        return self._span.trace_id

    def current(self) -> AbstractContextManager[object]:
        """What the block does and starts is logged and traced as the task's. For a block in an
        asyncio task of its own."""
        work_on(self._task_id, self._tenant)
        return self._span.current()

    def take(self, event: Event) -> None:
        match event:
            case NodeFinished():
                self._metrics.node(event.node, event.seconds)
            case FailureSeen():
                self._metrics.fallback(event.node, event.error)

    def end(self, status: TaskStatus, transcript: Transcript) -> None:
        outcome, usage = transcript.outcome, transcript.usage
        error = transcript.error.error if transcript.error else None
        self._span.end(status, outcome, error)
        told = {call.id for call in self._earlier.calls}
        calls = [call for call in usage.calls if call.id not in told] if usage else []
        if (cost := total_cost(calls)) is not None:
            self._metrics.cost(cost.currency, float(cost.amount))
        self._metrics.task(
            self._mode,
            status,
            usage.seconds - self._earlier.seconds if usage else 0.0,
            calls,
            outcome.reason if isinstance(outcome, Refused) else None,
        )
        logger.info("the task ended: %s%s", status, f" ({error})" if error else "")
