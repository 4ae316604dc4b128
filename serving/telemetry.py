"""LangSmith traces: on when its key is set, without content unless the owner turns that on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langsmith import Client
from langsmith.run_helpers import tracing_context

from serving.settings import Settings

FLUSH_TIMEOUT_S = 5.0
HIDDEN = "hidden (KA_TRACE_CONTENT=true shows it)"


@contextmanager
def tracing(settings: Settings) -> Iterator[None]:
    """Trace what runs inside as one tree a task: task, nodes, model calls with their tokens.

    Without a key nothing is traced and nothing is sent, whatever other variables say. With one,
    names, times, errors' classes and token counts are sent; questions, passages, prompts and
    answers only with `KA_TRACE_CONTENT`.
    """
    if settings.langsmith_api_key is None:
        with tracing_context(enabled=False):
            yield
        return
    client = langsmith_client(settings)
    try:
        with tracing_context(enabled=True, client=client, project_name=settings.langsmith_project):
            yield
    finally:
        client.flush(timeout=FLUSH_TIMEOUT_S)


def langsmith_client(settings: Settings) -> Client:
    assert settings.langsmith_api_key is not None
    return Client(
        api_key=settings.langsmith_api_key.get_secret_value(),
        api_url=settings.langsmith_endpoint,
        hide_inputs=False if settings.trace_content else _hide,
        hide_outputs=False if settings.trace_content else _usage_alone,
        hide_metadata=False,
    )


def _hide(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"inputs": HIDDEN}


def _usage_alone(outputs: dict[str, Any]) -> dict[str, Any]:
    """LangSmith reads a call's tokens from its outputs: leave those, and nothing else."""
    shown: dict[str, Any] = {"outputs": HIDDEN}
    for batch in outputs.get("generations") or ():
        for generation in batch:
            usage = (generation.get("message") or {}).get("kwargs", {}).get("usage_metadata")
            if usage:
                shown["usage_metadata"] = usage
    return shown
