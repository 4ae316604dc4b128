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
CHECKS = ("path_as_designed", "calls_as_designed", "events_in_order", "calls_in_bill")


def samples(options: Options) -> list[Sample]:
    return [
        Sample(
            id=row["id"],
            language=row["language"],
            kind=row["kind"],
            question=row["question"],
            gold={"inside": row["inside"]},
            given=row["given"],
        )
        for row in read_rows(TASKS)
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, {"handbook": HANDBOOK_SOURCE.corpus(options)}) as agent:
        yield agent


def contract(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """`path_as_designed`: the way that mode and question lead to once the gate lets a task in, and
    a refusal where its score is below its bound; a verdict of the model may refuse, too. Whether
    the gate is right is no part of that: `path_as_asked` says whether the way was the sample's.
    `cached_share` is that of the prompt tokens of all calls behind the first."""
    later = outcome["calls"][1:]
    prompts = sum(call["prompt_tokens"] for call in later)
    domain, taken = outcome["domain"], path(outcome)
    designed = sample.gold["inside"] if domain["score"] >= domain["bound"] else "refused"
    by_verdict = taken == "refused" and outcome["reason"] == "not_in_documents"
    return {
        "path_as_asked": taken == sample.kind,
        "path_as_designed": taken == designed or (by_verdict and designed != "refused"),
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
