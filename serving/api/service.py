"""What the routes work with."""

from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from graph.ports import Limits
from serving.api.documents import Documents
from serving.api.engine import Engine
from serving.api.identity import Identity
from serving.api.observation import Telemetry
from serving.api.ports import Agents
from serving.api.rates import RateLimits
from serving.api.retention import Retention
from serving.api.runner import TaskRunner
from serving.api.uploads import Receiver
from serving.store.audit import AuditStore
from serving.store.events import EventStore
from serving.store.jobs import JobStore
from serving.store.quotas import QuotaStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import TaskStore
from serving.store.threads import ThreadStore


class Health(Protocol):
    async def checks(self) -> dict[str, str | None]:
        """What each part that a task needs lacks: None where it is ready."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    identity: Identity
    tasks: TaskStore
    events: EventStore
    quotas: QuotaStore
    rates: RateLimits
    agents: Agents
    runner: TaskRunner
    health: Health
    threads: ThreadStore
    reviews: ReviewStore
    retention: Retention
    receiver: Receiver
    documents: Documents
    jobs: JobStore
    audit: AuditStore
    telemetry: Telemetry
    engine: Engine
    limits: Limits
    metrics_token: str | None = None


def _own(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


OwnService = Annotated[Service, Depends(_own)]
