"""Logs of the service: one JSON object a line, or text; without content unless it is turned on.

What people ask, what documents and models say, and credentials may stand in the words of an
exception, in another package's message and in its extra fields. So without `content` an exception
is logged by its class and its places in the code, and of other packages' messages those are
withheld that are not known to be free of content.
"""

import copy
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

from pythonjsonlogger.json import JsonFormatter

from graph.errors import ServiceError
from serving.settings import Settings
from serving.telemetry.context import current, current_trace_id

OURS = frozenset({"graph", "nodes", "knowledge", "serving", "evals"})
FREE_OF_CONTENT = OURS | {"uvicorn", "opentelemetry"}
CHATTY = ("httpx", "httpcore", "openai")
WITHHELD = "a message of another package, withheld; KA_LOG_CONTENT=true shows it"
WARNING_PLACE = re.compile(r".*?:\d+: \w+")
STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({})))
MAX_EXCEPTIONS = 10

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

logger = logging.getLogger(__name__)


def configure_logging(settings: Settings, stream: TextIO) -> None:
    """All loggers of this process, and what would else be written to stderr past them."""
    as_json = settings.log_format == "json"
    if settings.log_format is None:
        as_json = not stream.isatty()
    handler = logging.StreamHandler(stream)
    kind = JsonLines if as_json else TextLines
    handler.setFormatter(kind(content=settings.log_content))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    sys.unraisablehook = lambda at: _log_uncaught(at.exc_type, at.exc_value, at.exc_traceback)
    threading.excepthook = lambda at: _log_uncaught(at.exc_type, at.exc_value, at.exc_traceback)


class _Lines(logging.Formatter):
    content: bool

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record if self.content else _without_content(record))

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802  # logging's name
        if self.content or ei[1] is None:
            return super().formatException(ei)
        return "".join(_places(ei[1])).rstrip()


class TextLines(_Lines):
    def __init__(self, *, content: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self.content = content


class JsonLines(_Lines, JsonFormatter):
    """Each line tells time, level, logger, message, and task, tenant and trace where there are
    any; also the fields that a line of ours adds."""

    def __init__(self, *, content: bool) -> None:
        super().__init__(
            ["time", "levelname", "name", "message", "task", "tenant", "trace_id"],
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            json_ensure_ascii=False,
        )
        self.content = content

    def add_fields(
        self,
        log_data: dict[str, object],
        record: logging.LogRecord,
        message_dict: dict[str, object],
    ) -> None:
        context = current()
        record.__dict__ |= {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "task": context.task_id,
            "tenant": context.tenant,
            "trace_id": current_trace_id(),
        }
        super().add_fields(log_data, record, message_dict)


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, place: TracebackType | None
) -> None:
    logger.error("an exception that nobody caught", exc_info=(kind, error or kind(), place))


def _without_content(record: logging.LogRecord) -> logging.LogRecord:
    safe = copy.copy(record)
    safe.exc_text = None  # another handler may have kept the words there
    package = record.name.partition(".")[0]
    if package in OURS:
        if isinstance(record.args, tuple):
            safe.args = tuple(map(_without_words, record.args))
        return safe
    safe.__dict__ = {name: safe.__dict__[name] for name in STANDARD_FIELDS & vars(safe).keys()}
    if package not in FREE_OF_CONTENT:
        place = WARNING_PLACE.match(record.getMessage()) if record.name == "py.warnings" else None
        safe.msg, safe.args = place[0] if place else WITHHELD, None
    return safe


def _without_words(argument: object) -> object:
    """Errors of the service itself tell nothing of a task."""
    if isinstance(argument, BaseException) and not isinstance(argument, ServiceError):
        return type(argument).__name__
    return argument


def _places(error: BaseException) -> Iterator[str]:
    """As a traceback has it, causes first and without a word of the exceptions."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting and len(found) < MAX_EXCEPTIONS:
        one = waiting.pop()
        found.append(one)
        cause = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
        parts = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        waiting += [other for other in (cause, *parts) if other is not None]
    for one in reversed(found):
        yield from traceback.extract_tb(one.__traceback__).format()
        yield f"{type(one).__name__}\n"
