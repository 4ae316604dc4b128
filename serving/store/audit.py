"""Who did what, and when. An entry is written in the transaction of the change that it tells of, so
that there is neither one without the other."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from serving.store.database import Database, to_its_end
from serving.store.tables import OBJECT_CHARS, audit
from serving.telemetry.context import current, current_trace_id

MAX_LISTED = 50
MAX_TEXT_CHARS = 4_000

Action = Literal[
    "task.begun",
    "task.ended",
    "plan.approved",
    "plan.edited",
    "thread.deleted",
    "document.uploaded",
    "document.deleted",
    "key.made",
    "key.revoked",
    "tenant.limits",
]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`subject` is `key:ID`, `cli:USER` or `system`; `object_id` names what it was done to."""

    id: int
    at_s: float
    tenant: str
    subject: str
    action: Action
    object_id: str
    trace_id: str | None
    details: Mapping[str, Any]


async def record(
    connection: AsyncConnection,
    tenant: str,
    action: Action,
    object_id: str,
    details: Mapping[str, Any] | None = None,
    *,
    subject: str | None = None,
    trace_id: str | None = None,
) -> None:
    """Add an entry in the transaction of the change. Who acts, and in which trace, is known from
    `serving.telemetry.context` unless it is given. Long texts and lists in `details` are cut."""
    await connection.execute(
        insert(audit).values(
            at_s=time.time(),
            tenant=tenant,
            subject=subject or current().subject,
            action=action,
            object_id=object_id[:OBJECT_CHARS],
            trace_id=trace_id or current_trace_id(),
            details=_bounded(details or {}),
        )
    )


class AuditStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @to_its_end
    async def add(
        self, tenant: str, action: Action, object_id: str, details: Mapping[str, Any] | None = None
    ) -> None:
        """For a change outside the database, such as of a file. A deletion is told before it is
        made, so that none goes untold; an upload when it is kept, since it may be refused."""
        async with self._database.transaction() as connection:
            await record(connection, tenant, action, object_id, details)

    @to_its_end
    async def page(
        self,
        *,
        limit: int,
        tenant: str | None = None,
        before: int | None = None,
        since_s: float | None = None,
        until_s: float | None = None,
        action: Action | None = None,
    ) -> Sequence[AuditEntry]:
        """The newest first, from before the entry `before` on; of all tenants where none is named.
        `until_s` is not included."""
        query = select(audit).order_by(audit.c.id.desc()).limit(limit)
        if tenant is not None:
            query = query.where(audit.c.tenant == tenant)
        if before is not None:
            query = query.where(audit.c.id < before)
        if since_s is not None:
            query = query.where(audit.c.at_s >= since_s)
        if until_s is not None:
            query = query.where(audit.c.at_s < until_s)
        if action is not None:
            query = query.where(audit.c.action == action)
        async with self._database.reading() as connection:
            found = await connection.execute(query)
            return [AuditEntry(**row) for row in found.mappings()]


def _bounded(value: Any) -> Any:
    match value:
        case str():
            return value[:MAX_TEXT_CHARS]
        case list() | tuple():
            return [_bounded(one) for one in value[:MAX_LISTED]]
        case Mapping():
            return {name: _bounded(one) for name, one in value.items()}
    return value


def task_end(status: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """How a task ended and which pages were cited, in nobody's words."""
    outcome, error = result.get("outcome") or {}, result.get("error") or {}
    return {
        "status": status,
        "reason": outcome.get("reason") or error.get("error") or result.get("cancelled"),
        "cited": [
            {"document": cited["document"], "page": cited["page"]}
            for cited in outcome.get("citations", ())
        ],
    }
