"""LangSmith traces: on when its key is set, without content unless the owner turns that on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langsmith import Client
from langsmith.client import ID_TYPE, RUN_TYPE_T
from langsmith.run_helpers import tracing_context
from langsmith.utils import LangSmithConnectionError
from urllib3 import Retry

from serving.settings import Settings

REQUEST_TIMEOUT_S = (2.0, 5.0)  # to connect, to answer
FLUSH_TIMEOUT_S = 5.0
HIDDEN = {"content": "not sent; KA_TRACE_CONTENT=true sends it"}

# What leaves the machine without content. All else stays, also what a later LangChain may add.
RUN_FIELDS = frozenset(
    {
        "id",
        "name",
        "run_type",
        "session_name",
        "trace_id",
        "parent_run_id",
        "dotted_order",
        "start_time",
        "end_time",
    }
)
METADATA_FIELDS = frozenset(
    {
        "langgraph_node",
        "langgraph_step",
        "ls_provider",
        "ls_model_name",
        "ls_model_type",
        "ls_temperature",
        "ls_max_tokens",
        "usage_metadata",
    }
)


@contextmanager
def untraced() -> Iterator[None]:
    """Nothing inside is traced, whatever variables are set."""
    with tracing_context(enabled=False):
        yield


@contextmanager
def tracing(settings: Settings) -> Iterator[None]:
    """Trace what runs inside as one tree a task: task, nodes, model calls with their tokens.

    Without a key nothing is traced and nothing is sent, whatever other variables say. With one,
    names, times, errors' classes and token counts are sent; questions, passages, prompts and
    answers only with `KA_TRACE_CONTENT`. A LangSmith that is down costs `FLUSH_TIMEOUT_S` at the
    end and the trace; the task goes on.
    """
    key = settings.langsmith_api_key
    if key is None or not key.get_secret_value():
        with untraced():
            yield
        return
    client = langsmith_client(settings, key.get_secret_value())
    try:
        with tracing_context(enabled=True, client=client, project_name=settings.langsmith_project):
            yield
    finally:
        client.close(timeout=FLUSH_TIMEOUT_S)


def langsmith_client(settings: Settings, api_key: str) -> Client:
    kind = TracingClient if settings.trace_content else ContentFreeClient
    return kind(
        api_key=api_key,
        api_url=settings.langsmith_endpoint,
        retry_config=Retry(total=0),
        tracing_mode="langsmith",
        omit_traced_runtime_info=True,
    )


class TracingClient(Client):
    """Lets the process end: at its exit Python waits for the client's threads, and with Langsmith's
    own timeouts and repeats a server that never answered held it for two minutes."""

    _closed = False

    def close(self, timeout: float | None = None) -> None:
        super().close(timeout=timeout)
        self._closed = True

    def request_with_retries(self, *args: Any, **options: Any) -> Any:
        if self._closed:
            raise LangSmithConnectionError("LangSmith did not answer in time; the trace is lost")
        return super().request_with_retries(*args, **{**options, "timeout": REQUEST_TIMEOUT_S})


class ContentFreeClient(TracingClient):
    """Sends how a task ran, and nothing that a person, a document or a model said."""

    def create_run(
        self, name: str, inputs: dict[str, Any], run_type: RUN_TYPE_T, **fields: Any
    ) -> None:
        fields = content_free({**fields, "name": name, "inputs": inputs, "run_type": run_type})
        super().create_run(**fields)

    def update_run(self, run_id: ID_TYPE, **fields: Any) -> None:
        super().update_run(run_id, **content_free(fields))


def content_free(run: dict[str, Any]) -> dict[str, Any]:
    """The fields of a run that may leave the machine."""
    sent = {name: run[name] for name in RUN_FIELDS & run.keys()}
    sent |= {name: dict(HIDDEN) for name in ("inputs", "outputs") if run.get(name) is not None}
    if error := run.get("error"):
        sent["error"] = error_class(error)
    sent["events"] = [
        {"name": event["name"], "time": event["time"]} for event in run.get("events") or ()
    ]
    metadata = (run.get("extra") or {}).get("metadata") or {}
    sent["extra"] = {
        "metadata": {name: metadata[name] for name in METADATA_FIELDS & metadata.keys()}
    }
    return sent


def error_class(error: str) -> str:
    """From `ModelTimeout('what was asked ...')Traceback ...` the name alone."""
    name = re.match(r"\w+", error)
    return name[0] if name else "error"
