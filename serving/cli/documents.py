"""`knowledge-agent documents`: what the index holds, file by file."""

import json

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from knowledge.status import DocumentStatus, document_statuses
from serving.cli.exit_codes import EXIT_ANSWERED
from serving.settings import Settings
from serving.wiring.documents import index_address


def documents(settings: Settings, as_json: bool, console: Console) -> int:
    found = document_statuses(index_address(settings))
    if as_json:
        listed = {"documents": [_as_json(document) for document in found]}
        print(json.dumps(listed, ensure_ascii=False, indent=2))
        return EXIT_ANSWERED
    table = Table("file", "status", "passages", "title", "date", "tags", "reason", box=None)
    for document in found:
        row = document.row
        table.add_row(
            escape(row.path),
            row.status,
            str(document.passages),
            escape(row.title),
            escape(row.date),
            escape(", ".join(row.tags)),
            escape(row.reason),
        )
    console.print(table if found else "the index holds no document")
    return EXIT_ANSWERED


def _as_json(document: DocumentStatus) -> dict[str, object]:
    row = document.row
    return {
        "path": row.path,
        "status": row.status,
        "reason": row.reason,
        "title": row.title,
        "passages": document.passages,
        "date": row.date or None,
        "tags": row.tags,
    }
