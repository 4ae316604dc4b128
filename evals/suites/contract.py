"""Does each mode make the calls, in the order and with the events and the bill, that it should?"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from evals.agent import agent_target
from evals.design import calls_as_designed, calls_in_bill, events_in_order, path
from evals.metrics import mean, rate
from evals.questions import HANDBOOK_SOURCE, read_rows
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value

TASKS = Path(__file__).parents[1] / "data" / "contract.jsonl"
CHECKS = ("calls_as_designed", "events_in_order", "calls_in_bill")


def samples(options: Options) -> list[Sample]:
    return [
        Sample(row["id"], row["language"], row["kind"], row["question"], given=row["given"])
        for row in read_rows(TASKS)
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, {"handbook": HANDBOOK_SOURCE.corpus(options)}) as agent:
        yield agent


def contract(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """A task is judged by the path that it took; which one that is, the gate decides too, and
    `path_as_asked` says whether it was the sample's. `cached_share` is that of the prompt tokens of
    all calls behind the first."""
    later = outcome["calls"][1:]
    prompts = sum(call["prompt_tokens"] for call in later)
    return {
        "path_as_asked": path(outcome) == sample.kind,
        "calls_as_designed": calls_as_designed(outcome),
        "events_in_order": events_in_order(outcome),
        "calls_in_bill": calls_in_bill(outcome),
        "cached_share": sum(call["cached_tokens"] for call in later) / prompts if prompts else None,
        "model_calls": outcome["model_calls"],
    }


def worst(result: Result) -> float:
    return float(sum(not result.scores[check] for check in ("path_as_asked", *CHECKS)))


SUITE = Suite(
    name="contract",
    about="calls, order, events and bill of each mode, against the design",
    dataset=samples,
    target=target,
    scorers=(contract,),
    metrics=(
        rate("path_as_asked", by=("corpus", "language")),
        *(rate(check) for check in CHECKS),
        mean("cached_share"),
        mean("model_calls", unit="calls"),
    ),
    worst=worst,
)
