"""`knowledge-agent audit`: who did what. The database's client is imported when used."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from serving.store.audit import AuditEntry

MAX_LIMIT = 10_000


def audit(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="From this time (UTC) on."),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MAX_LIMIT, help="So many, the newest ones.")
    ] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Show who did what with the service's tasks, documents, keys and limits, the newest first."""
    since_s = None if since is None else since.replace(tzinfo=UTC).timestamp()
    found = asyncio.run(_found(tenant, since_s, limit))
    if as_json:
        print(json.dumps([_as_json(entry) for entry in found], ensure_ascii=False))
        return
    table = Table("when (UTC)", "tenant", "who", "what", "of", "details")
    for entry in found:
        table.add_row(
            f"{datetime.fromtimestamp(entry.at_s, UTC):%Y-%m-%d %H:%M:%S}",
            entry.tenant,
            escape(entry.subject),
            entry.action,
            escape(entry.object_id),
            escape(json.dumps(dict(entry.details), ensure_ascii=False)),
        )
    Console(highlight=False).print(table)


async def _found(tenant: str | None, since_s: float | None, limit: int) -> "Sequence[AuditEntry]":
    from serving.settings import load_settings
    from serving.store.audit import AuditStore
    from serving.store.database import open_database

    settings = load_settings()
    async with open_database(settings.database_address, settings.home) as database:
        return await AuditStore(database).page(limit=limit, tenant=tenant, since_s=since_s)


def _as_json(entry: "AuditEntry") -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": datetime.fromtimestamp(entry.at_s, UTC).isoformat(),
        "tenant": entry.tenant,
        "subject": entry.subject,
        "action": entry.action,
        "object_id": entry.object_id,
        "trace_id": entry.trace_id,
        "details": dict(entry.details),
    }
