"""/v1/audit: who did what with the tenant's things."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from serving.api.identity import MayReadAudit
from serving.api.service import OwnService
from serving.store.audit import Action, AuditEntry

MAX_ENTRY = 2**63 - 1

router = APIRouter(prefix="/v1/audit", tags=["audit"])


class Entry(BaseModel):
    id: int
    at: datetime
    subject: str = Field(description="who: key:ID, cli:USER or system", examples=["key:0f3a…"])
    action: Action
    object_id: str = Field(description="of the task, document, key, thread or tenant")
    trace_id: str | None = None
    details: dict[str, Any]


class EntryPage(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "entries": [
                    {
                        "id": 4711,
                        "at": "2026-11-30T12:00:00Z",
                        "subject": "key:0f3a9c21d7e4",
                        "action": "document.deleted",
                        "object_id": "3c1f0e5a9b7d4c6e8f2a1b3c5d7e9f01",
                        "details": {"document": "휴가.pdf"},
                    }
                ]
            }
        }
    )

    entries: list[Entry]
    next: int | None = Field(
        default=None, description="the next page's `before`; none: this is the last"
    )


@router.get("", summary="Read the audit log")
async def page(
    principal: MayReadAudit,
    service: OwnService,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    before: Annotated[
        int | None, Query(ge=1, le=MAX_ENTRY, description="entries before this id")
    ] = None,
    since: Annotated[AwareDatetime | None, Query(description="from this time on")] = None,
    until: Annotated[AwareDatetime | None, Query(description="before this time")] = None,
    action: Action | None = None,
) -> EntryPage:
    """The newest first. Entries are never changed or deleted."""
    found = await service.audit.page(
        limit=limit + 1,
        tenant=principal.tenant,
        before=before,
        since_s=None if since is None else since.timestamp(),
        until_s=None if until is None else until.timestamp(),
        action=action,
    )
    more = len(found) > limit
    return EntryPage(
        entries=[_entry(one) for one in found[:limit]], next=found[limit - 1].id if more else None
    )


def _entry(found: AuditEntry) -> Entry:
    return Entry(
        id=found.id,
        at=datetime.fromtimestamp(found.at_s, UTC),
        subject=found.subject,
        action=found.action,
        object_id=found.object_id,
        trace_id=found.trace_id,
        details=dict(found.details),
    )
