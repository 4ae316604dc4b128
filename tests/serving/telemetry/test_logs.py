"""What stands in a line of the log, and what does not."""

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from graph.errors import ModelRejected, StoreUnavailable
from serving.settings import Settings
from serving.telemetry import logs
from serving.telemetry.context import act_as, work_on
from serving.telemetry.logs import WITHHELD, configure_logging
from serving.telemetry.traces import Traces

SECRET = "비밀 word-4711"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    root, hooks = logging.getLogger(), (sys.excepthook, sys.unraisablehook, threading.excepthook)
    handlers, level = list(root.handlers), root.level
    levels = {name: logging.getLogger(name).level for name in logs.CHATTY}
    yield
    root.handlers, root.level = handlers, level
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)
    logging.captureWarnings(False)
    sys.excepthook, sys.unraisablehook, threading.excepthook = hooks


def logged(settings: Settings, log: Callable[[], object]) -> str:
    stream = io.StringIO()
    configure_logging(settings, stream)
    log()
    return stream.getvalue()


def lines(settings: Settings, log: Callable[[], object]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logged(settings, log).splitlines()]


def test_a_line_is_an_object_with_task_tenant_and_trace() -> None:
    act_as("key:1", "acme")
    work_on("0f", "acme")
    task = Traces().task("0f", "acme", "auto", SECRET)
    with task.current():
        log = logging.getLogger("serving.api")
        (line,) = lines(Settings(), lambda: log.warning("한 줄\nof %d", 2, extra={"seconds": 0.5}))
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "WARNING",
        "logger": "serving.api",
        "message": "한 줄\nof 2",
        "task": "0f",
        "tenant": "acme",
        "trace_id": task.trace_id,
        "seconds": 0.5,
    }


@pytest.mark.parametrize(
    ("stream", "log_format", "is_json"),
    [
        (io.StringIO, None, True),
        (Terminal, None, False),
        (Terminal, "json", True),
        (io.StringIO, "text", False),
    ],
)
def test_a_terminal_gets_text_unless_told_otherwise(
    stream: type[io.StringIO], log_format: Any, is_json: bool
) -> None:
    written = stream()
    configure_logging(Settings(log_format=log_format), written)
    logging.getLogger("serving").info("begun")
    assert written.getvalue().startswith("{") is is_json
    assert "begun" in written.getvalue()


def raise_and_log() -> None:
    try:
        try:
            TypeAdapter(int).validate_python(SECRET)
        except ValidationError as error:
            raise ModelRejected(f"the server says: {SECRET}") from error
    except ModelRejected as error:
        logging.getLogger("serving").exception("a task met %s", error)


def ungroup() -> None:
    try:
        raise ExceptionGroup(SECRET, [ValueError(SECRET)])
    except ExceptionGroup:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")


def another_package() -> None:
    logging.getLogger("asyncio").error("never retrieved: %r", ValueError(SECRET))
    logging.getLogger("uvicorn").info("Started", extra={"prompt": SECRET})


def warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"cannot serialize {SECRET}", UserWarning, stacklevel=1)


def in_a_thread() -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


CASES = [raise_and_log, ungroup, another_package, warn, in_a_thread]


@pytest.mark.parametrize("log_format", ["json", "text"])
@pytest.mark.parametrize("log", CASES)
def test_content_is_logged_only_when_turned_on(log_format: Any, log: Callable[[], None]) -> None:
    assert SECRET not in logged(Settings(log_format=log_format), log)
    assert SECRET in logged(Settings(log_format="text", log_content=True), log)


def test_an_exception_is_logged_by_its_class_its_causes_and_its_places() -> None:
    (line,) = lines(Settings(), raise_and_log)
    assert line["message"] == "a task met ModelRejected"
    assert line["exception"].splitlines()[-1] == "ModelRejected"
    assert "\nValidationError\n" in line["exception"]
    assert "in raise_and_log" in line["exception"]


def test_another_packages_words_are_withheld_and_a_warning_keeps_its_place() -> None:
    (withheld, started) = lines(Settings(), another_package)
    assert (withheld["logger"], withheld["message"]) == ("asyncio", WITHHELD)
    assert started["message"] == "Started"
    (warned,) = lines(Settings(), warn)
    assert warned["message"].startswith(__file__)
    assert warned["message"].endswith(": UserWarning")


def test_an_error_of_the_service_itself_keeps_its_words() -> None:
    error = StoreUnavailable("the database does not answer")
    (line,) = lines(Settings(), lambda: logging.getLogger("serving").warning("%s", error))
    assert line["message"] == "the database does not answer"
