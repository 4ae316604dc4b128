"""The whole agent as a target: it answers on its real parts, and its events become an outcome."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from decimal import Decimal
from typing import Any

from evals.corpora import Corpus, ingested, version_of
from evals.shown import passages_by_id
from evals.suite import Options, Outcome, Sample, Target, source_version
from graph.answer import Answered, Refused
from graph.errors import AgentError
from graph.events import (
    AnswerGiven,
    Event,
    FailureSeen,
    PassagesFound,
    Planned,
    RefusalGiven,
    StepFinished,
    TaskFailed,
    TokenDrafted,
    UsageCounted,
)
from graph.evidence import EVERYTHING, Retrieval
from graph.plan import PlanMade, validate_plan
from graph.ports import Deps
from graph.run import Agent, run_task
from graph.state import AgentInput, Task
from nodes.extract import ExtractInput, extract
from nodes.plan_by_rules import FOCUS_CHARS
from nodes.retrieve import LIMIT
from nodes.text.sentences import detect_language
from serving.gateway.server import ModelServer
from serving.settings import Settings
from serving.wiring.agent import open_agent
from serving.wiring.model_server import api_key, model_url

SOURCES = ("graph", "nodes", "knowledge", "serving.gateway", "serving.wiring")


class TaskNotEnded(AgentError):
    """The task ended without answer or refusal."""


@asynccontextmanager
async def agent_target(options: Options, corpora: Mapping[str, Corpus]) -> AsyncIterator[Target]:
    """Asks each sample of the agent on its corpus; `domain` is what the gate was told. A sample's
    `given` may hold `mode` and `profile`, and `quotes`: then `quoted` is what quotes alone would
    show. Raises what opening an index raises, and `ModelError` where no model answers."""
    async with AsyncExitStack() as stack:
        agents: dict[str, tuple[Agent, Deps]] = {}
        opened: dict[str, Settings] = {}
        for name, corpus in corpora.items():
            opened[name] = ingested(corpus, options)
            agents[name] = await stack.enter_async_context(open_agent(opened[name]))

        async def ask(sample: Sample) -> Outcome:
            agent, deps = agents[sample.corpus]
            outcome = await task_outcome(agent, deps, _task_input(sample))
            outcome["cost"] = _cost(outcome["calls"]) if options.settings.prices else None
            found = await deps.retriever.search(sample.question, limit=LIMIT, scope=EVERYTHING)
            outcome["domain"] = found.domain.model_dump(mode="json")
            if sample.given.get("quotes"):
                outcome["quoted"] = await quotes_alone(deps, sample.question, outcome, found)
            return outcome

        model = await served_model(options.settings)
        limits, prices = options.settings.limits, options.settings.price_list
        indexes = {name: version_of(settings) for name, settings in opened.items()}
        yield Target(
            ask, source_version(*SOURCES, model=model, limits=limits, prices=prices, **indexes)
        )


async def served_model(settings: Settings) -> str:
    """The model's name, as its server tells it."""
    server = ModelServer(model_url(settings), settings.engine_model, api_key(settings))
    try:
        return (await server.model()).name
    finally:
        await server.aclose()


async def task_outcome(agent: Agent, deps: Deps, task_input: AgentInput) -> dict[str, Any]:
    """Run one task. `kind` is 'answered' or 'refused'; `text` what the user reads; `passages` the
    evidence by number; `events` the order of what happened, drafts left out. Raises
    `TaskNotEnded`."""
    found: dict[str, Any] = {"passages": [], "failures": [], "steps": [], "plan": None}
    events: list[dict[str, Any]] = []
    async with aclosing(run_task(agent, task_input, deps)) as stream:
        async for event in stream:
            if not isinstance(event, TokenDrafted):
                events.append(_brief(event))
            match event:
                case PassagesFound():
                    found["passages"] += _passages(event)
                case Planned():
                    found["plan"] = event.made.model_dump(mode="json")
                case StepFinished():
                    found["steps"].append(event.result.model_dump(mode="json"))
                case FailureSeen():
                    found["failures"].append(event.model_dump(mode="json"))
                case AnswerGiven():
                    found |= _answer(event.answer)
                case RefusalGiven():
                    found |= _refusal(event.refusal)
                case TaskFailed():
                    raise TaskNotEnded(f"{event.error}: {event.message}")
                case UsageCounted():
                    found |= _bill(event)
    if "kind" not in found:
        raise TaskNotEnded("the task ended without answer, refusal or error")
    return found | {"events": events}


async def quotes_alone(deps: Deps, question: str, outcome: Outcome, found: Retrieval) -> str:
    """What the agent would show of the same evidence for a look-up, had the model written nothing;
    empty for a refusal."""
    step = {"action": "answer", "focus": question[:FOCUS_CHARS]}
    state = ExtractInput(
        task=Task(id="quotes", language=detect_language(question)),
        query=question,
        retrieval=found,
        evidence=tuple(passages_by_id({**outcome, "steps": ()}).values()),
        made=PlanMade(plan=validate_plan({"steps": [step]}), maker="direct"),
        results={},
        removed=(),
        failures={},
    )
    quoted = (await extract(state, deps)).get("outcome")
    return " ".join(sentence.text for sentence in quoted.sentences) if quoted else ""


def _task_input(sample: Sample) -> AgentInput:
    return AgentInput(
        question=sample.question,
        mode=sample.given.get("mode", "auto"),
        profile=sample.given.get("profile"),
    )


def _brief(event: Event) -> dict[str, Any]:
    """Type, node and step."""
    return {"type": event.type} | {
        name: getattr(event, name) for name in ("node", "step") if getattr(event, name, None)
    }


def _passages(event: PassagesFound) -> list[dict[str, Any]]:
    return [
        {"number": number, **passage.model_dump(mode="json")}
        for number, passage in enumerate(event.passages, start=event.first)
    ]


def _answer(answer: Answered) -> dict[str, Any]:
    return {**answer.model_dump(mode="json"), "text": answer.text, "reason": None}


def _refusal(refusal: Refused) -> dict[str, Any]:
    return {**refusal.model_dump(mode="json"), "text": refusal.message}


def _cost(calls: Sequence[Mapping[str, Any]]) -> float | None:
    """In the currency of the owner's prices; None where a model has no price."""
    if any(call["cost"] is None for call in calls):
        return None
    return float(sum(Decimal(call["cost"]["amount"]) for call in calls))


def _bill(usage: UsageCounted) -> dict[str, Any]:
    return {
        "calls": [call.model_dump(mode="json") for call in usage.calls],
        "model_calls": len(usage.calls),
        "prompt_tokens": sum(call.prompt_tokens for call in usage.calls),
        "cached_tokens": sum(call.cached_tokens for call in usage.calls),
        "output_tokens": sum(call.output_tokens for call in usage.calls),
        "seconds": usage.seconds,
        "node_seconds": usage.node_seconds,
    }
