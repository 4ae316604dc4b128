"""LangSmith datasets and experiments: results that were computed here are shown there.

Nothing is asked or scored again. What is sent is what the caller hands over, and nothing of this
machine: LangSmith's client would add the repository's address and its author.
"""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any
from uuid import UUID, uuid5

from langsmith import Client, evaluate
from langsmith.run_helpers import tracing_context
from langsmith.schemas import Dataset, Example, Run, TracerSession
from langsmith.utils import LangSmithConnectionError, LangSmithNotFoundError

from graph.errors import AgentError
from serving.settings import Settings

REQUEST_TIMEOUT_S = (5.0, 30.0)
"""To connect, to answer."""

UPLOAD_TIMEOUT_S = 600.0
ATTEMPTS = 2
MAX_FAILURES = 5
"""Of requests, after which no more is sent."""

UPDATED_AT_ONCE = 100
_NOTHING_OF_THIS_MACHINE: dict[str, Any] = {"runtime": {}}


class UploadFailed(AgentError):
    """LangSmith did not take all of it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One example and what became of it: outputs with scores, or an error. `id` is unique in its
    dataset and stays the same between runs. A score of None is not sent."""

    id: str
    inputs: Mapping[str, Any]
    reference: Mapping[str, Any]
    metadata: Mapping[str, Any]
    outputs: Mapping[str, Any] | None
    error: str | None
    scores: Mapping[str, float | bool | None]


@dataclass(frozen=True, slots=True)
class Uploaded:
    """`url` is where to look at it, None where the service does not tell."""

    dataset: str
    experiment: str
    created: int
    updated: int
    url: str | None


def upload_experiment(
    settings: Settings,
    dataset: str,
    experiment: str,
    cases: Sequence[Case],
    metadata: Mapping[str, Any],
) -> Uploaded:
    """Bring the dataset in step with these cases (others in it stay), and add an experiment to it.
    Raises `UploadFailed`, for whatever reason and within `UPLOAD_TIMEOUT_S`."""
    key = settings.langsmith_api_key
    if key is None or not key.get_secret_value():
        raise UploadFailed("LANGSMITH_API_KEY is not set")
    # Else LangSmith's client would name the revision of the folder that it runs in.
    metadata = {"revision_id": experiment, **metadata}
    client = ExperimentClient(
        api_key=key.get_secret_value(),
        api_url=settings.langsmith_endpoint,
        tracing_mode="langsmith",
        omit_traced_runtime_info=True,
    )
    logger = logging.getLogger("langsmith")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what fails is counted, and told once
    try:
        shown = StringIO()  # of its progress, which --json must not be mixed with
        with redirect_stdout(shown), redirect_stderr(shown), tracing_context(enabled=False):
            return _upload(client, dataset, experiment, cases, metadata)
    except UploadFailed:
        raise
    except Exception as error:
        first = client.failures[0] if client.failures else error
        raise UploadFailed(_brief(first)) from error
    finally:
        client.close(timeout=0)
        logger.setLevel(level)


class ExperimentClient(Client):
    """Bounds all of its requests together in time, and keeps count of those that failed: an
    experiment is sent by threads whose errors are seen by nobody else."""

    def __init__(self, **options: Any) -> None:
        self.deadline = time.monotonic() + UPLOAD_TIMEOUT_S
        self._lock = threading.Lock()
        self.failures: list[Exception] = []
        super().__init__(**options)

    def request_with_retries(self, *args: Any, **options: Any) -> Any:
        left_s = self.deadline - time.monotonic()
        if left_s <= 0 or len(self.failures) >= MAX_FAILURES:
            raise LangSmithConnectionError(f"given up after {len(self.failures)} failed requests")
        connect_s, answer_s = REQUEST_TIMEOUT_S
        timeout = (min(connect_s, left_s), min(answer_s, left_s))
        request = {**options.pop("request_kwargs", {}), "timeout": timeout}
        attempts = min(ATTEMPTS, options.pop("stop_after_attempt", ATTEMPTS))
        options.pop("timeout", None)
        try:
            return super().request_with_retries(
                *args, request_kwargs=request, stop_after_attempt=attempts, **options
            )
        except Exception as error:
            if not (isinstance(error, LangSmithNotFoundError) and args[0] == "GET"):
                with self._lock:
                    self.failures.append(error)
            raise

    def create_run(self, *args: Any, **fields: Any) -> None:
        super().create_run(*args, **_without_traceback(fields))

    def update_run(self, run_id: Any, **fields: Any) -> None:
        super().update_run(run_id, **_without_traceback(fields))

    def create_project(
        self, project_name: str, *, metadata: dict[str, Any] | None = None, **options: Any
    ) -> TracerSession:
        return super().create_project(project_name, metadata=_without_git(metadata), **options)

    def update_project(
        self, project_id: Any, *, metadata: dict[str, Any] | None = None, **options: Any
    ) -> TracerSession:
        return super().update_project(project_id, metadata=_without_git(metadata), **options)


def _upload(
    client: ExperimentClient,
    name: str,
    experiment: str,
    cases: Sequence[Case],
    metadata: dict[str, Any],
) -> Uploaded:
    dataset = _dataset(client, name)
    by_id = {uuid5(dataset.id, case.id): case for case in cases}
    created, updated = _bring_in_step(client, dataset, by_id)
    examples = _examples(client, dataset, by_id)
    if len(examples) < len(by_id):
        raise UploadFailed(f"the dataset holds {len(examples)} of {len(by_id)} examples")

    def known(inputs: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
        case = by_id[uuid5(dataset.id, metadata["sample"])]
        if case.outputs is None:
            raise RuntimeError(case.error or "no outcome")
        return dict(case.outputs)

    def scores(run: Run, example: Example) -> dict[str, Any]:
        told = by_id[example.id].scores
        return {"results": [{"key": k, "score": v} for k, v in told.items() if v is not None]}

    results = evaluate(
        known,
        data=examples,
        evaluators=[scores],
        metadata=metadata,
        experiment_prefix=experiment,
        max_concurrency=0,
        client=client,
        disable_evaluator_tracing=True,
    )
    results.wait()
    _finish(client)
    return Uploaded(name, results.experiment_name, created, updated, results.url)


def _dataset(client: Client, name: str) -> Dataset:
    try:
        found: Dataset = client.read_dataset(dataset_name=name)
        return found
    except LangSmithNotFoundError:
        return client.create_dataset(name, metadata=_NOTHING_OF_THIS_MACHINE)


def _bring_in_step(client: Client, dataset: Dataset, by_id: Mapping[UUID, Case]) -> tuple[int, int]:
    """How many examples were created, and how many updated."""
    known = {example.id: example for example in client.list_examples(dataset_id=dataset.id)}
    new = [
        {
            "id": identity,
            "inputs": dict(case.inputs),
            "reference_outputs": dict(case.reference),
            "metadata": _metadata(case),
        }
        for identity, case in by_id.items()
        if identity not in known
    ]
    changed = [
        {
            "id": identity,
            "inputs": dict(case.inputs),
            "outputs": dict(case.reference),
            "metadata": {**(known[identity].metadata or {}), **_metadata(case)},
        }
        for identity, case in by_id.items()
        if identity in known and not _same(known[identity], case)
    ]
    if new:
        client.create_examples(dataset_id=dataset.id, examples=new)
    for start in range(0, len(changed), UPDATED_AT_ONCE):
        some = changed[start : start + UPDATED_AT_ONCE]
        client.update_examples(dataset_id=dataset.id, updates=some)
    return len(new), len(changed)


def _examples(client: Client, dataset: Dataset, by_id: Mapping[UUID, Case]) -> list[Example]:
    found = client.list_examples(dataset_id=dataset.id)
    return [example for example in found if example.id in by_id]


def _finish(client: ExperimentClient) -> None:
    """Wait for what threads still send. Raises `UploadFailed` where any of it was lost."""
    client.flush(timeout=max(0.0, client.deadline - time.monotonic()))
    queue = client.tracing_queue
    if client.failures:
        first = _brief(client.failures[0])
        raise UploadFailed(f"{len(client.failures)} request(s) failed, the first: {first}")
    if queue is not None and queue.unfinished_tasks:
        raise UploadFailed(f"not all was sent within {UPLOAD_TIMEOUT_S:g} s")


def _metadata(case: Case) -> dict[str, Any]:
    return {**case.metadata, "sample": case.id}


def _same(example: Example, case: Case) -> bool:
    held = example.metadata or {}
    return (
        example.inputs == case.inputs
        and (example.outputs or {}) == case.reference
        and all(held.get(name) == value for name, value in _metadata(case).items())
    )


def _without_traceback(fields: dict[str, Any]) -> dict[str, Any]:
    """It would be of this module, and names folders of this machine."""
    error = fields.get("error")
    return {**fields, "error": error.partition("\n\nTraceback")[0]} if error else fields


def _without_git(metadata: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (metadata or {}).items() if name != "git"}


def _brief(error: Exception) -> str:
    """One line, without the key that some of LangSmith's messages hold a part of."""
    return f"{type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ''}"
