"""How the graph runs a node: its keys, its dependencies, its time, its retries and its failure."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, get_type_hints

from langgraph.errors import NodeError, NodeTimeoutError
from langgraph.runtime import Runtime
from langgraph.types import Command, RetryPolicy

from graph import routes
from graph.errors import AgentError, ModelRateLimited, ModelUnavailable
from graph.events import NodeFinished
from graph.plan import StepResult
from graph.ports import Deps, Listener
from graph.state import Failure

Node = Callable[[Any, Deps], Awaitable[Mapping[str, Any]]]

RETRIEVAL_TIMEOUT_S = 60.0
RETRIED = (ModelUnavailable, ModelRateLimited)
# The only layer that retries: clients below it are told not to.
RETRY = RetryPolicy(max_attempts=3, initial_interval=0.2, backoff_factor=3.0, retry_on=RETRIED)


def bind(name: str, node: Node, deps: Deps) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Give the node the keys that it declares and this run's dependencies, time it, and add the
    bill so far to its update."""
    declared = get_type_hints(node)["state"].__annotations__.keys()

    async def run(state: Any, runtime: Runtime[Listener]) -> dict[str, Any]:
        bound = _for_run(deps, runtime)
        started_s, started = time.time(), time.perf_counter()
        try:
            with deps.watch(name, state.get("step")):
                update = await node({key: state[key] for key in declared & state.keys()}, bound)
        except RETRIED as error:
            if _attempt(runtime) < RETRY.max_attempts:
                bound.emit(_failure(name, state, error, fallback=name).as_event())
            raise
        finally:
            seconds = time.perf_counter() - started
            step = state.get("step")
            bound.emit(NodeFinished(node=name, step=step, started_s=started_s, seconds=seconds))
        return {**_bill(state, bound), **update}

    return run


def error_handler(deps: Deps) -> Callable[..., Awaitable[Command[str]]]:
    """After the last retry: record why a node failed and go on at its fallback.

    What is no failure of the model, the index or the budget ends the run: a defect of ours is not
    to be mended by going on.
    """

    async def handle(state: Any, error: NodeError, runtime: Runtime[Listener]) -> Command[str]:
        if not isinstance(error.error, (AgentError, NodeTimeoutError)):
            raise error.error
        target = routes.fallback(error.node, state)
        failure = _failure(error.node, state, error.error, fallback=target)
        update: dict[str, Any] = {
            "failures": {failure.key: failure},
            **_bill(state, _for_run(deps, runtime)),
        }
        if failure.step is not None:
            action = state["made"].plan.steps[failure.step - 1].action
            update["results"] = {
                failure.step: StepResult(step=failure.step, action=action, failure=failure.message)
            }
        elif failure.node == "rewrite":
            update["query"] = state["question"]
        elif failure.node == "revise":
            update["revision"] = ""
        return Command(update=update, goto=target)

    return handle


def _for_run(deps: Deps, runtime: Runtime[Listener]) -> Deps:
    info = runtime.execution_info
    emit = runtime.context.emit if runtime.context else runtime.stream_writer
    return replace(deps, emit=emit, run_id=(info.run_id if info else None) or "")


def _attempt(runtime: Runtime[Listener]) -> int:
    return runtime.execution_info.node_attempt if runtime.execution_info else 1


def _bill(state: Mapping[str, Any], deps: Deps) -> dict[str, Any]:
    task = state.get("task")
    if task is None:
        return {}
    return {"calls": {call.id: call for call in deps.ledger.calls(deps.account(task.id))}}


def _failure(
    name: str, state: Mapping[str, Any], error: BaseException, *, fallback: str
) -> Failure:
    return Failure(
        node=name,
        step=state.get("step"),
        error=type(error).__name__,
        message=str(error),
        fallback=fallback,
    )


def node_timeout_s(name: str, deps: Deps) -> float:
    """A backstop: calls inside a node have timeouts of their own, which end sooner."""
    return RETRIEVAL_TIMEOUT_S if name in ("retrieve", "search") else deps.limits.deadline_s + 10
