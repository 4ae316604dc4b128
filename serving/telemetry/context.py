"""For whom and for which task the code runs, as logs and the audit log name it."""

from contextvars import ContextVar
from dataclasses import dataclass, replace

from opentelemetry.trace import format_trace_id, get_current_span


@dataclass(frozen=True, slots=True)
class Context:
    """`subject` is who acts: `key:ID`, `cli:USER`, or this system itself."""

    subject: str = "system"
    tenant: str | None = None
    task_id: str | None = None


NOBODY = Context()
_context: ContextVar[Context] = ContextVar("context", default=NOBODY)


def current() -> Context:
    return _context.get()


def forget() -> None:
    """For nobody any more: a new request may begin in the context of the one before."""
    _context.set(NOBODY)


def act_as(subject: str, tenant: str | None = None) -> None:
    """For the rest of this asyncio task, and of all that it starts."""
    _context.set(replace(_context.get(), subject=subject, tenant=tenant))


def work_on(task_id: str, tenant: str) -> None:
    """Likewise."""
    _context.set(replace(_context.get(), task_id=task_id, tenant=tenant))


def current_trace_id() -> str | None:
    """32 hex digits; None outside every trace."""
    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else None
