"""Is what the agent shows borne by the passages that it cites, and are these the right ones?

The handbook's answerable questions, or the owner's. Written sentences are judged once more, against
their cited passages alone; that is the product's own judge, so that numbers are compared in another
way besides: as they are written. A refusal has no sentences, and so no scores but `answered`.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, get_args

from evals.agent import agent_target
from evals.metrics import mean, rate
from evals.questions import all_corpora, all_samples
from evals.shown import all_quoted, cited_passages, passages_by_id
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value
from graph.answer import RemovalFlag
from graph.evidence import Passage
from nodes.judge.support import support

FLAGS: tuple[str, ...] = get_args(RemovalFlag)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def samples(options: Options) -> list[Sample]:
    found = all_samples(options, {})
    return [each for each in found if each.kind == "answerable" and "document" in each.gold]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, all_corpora(options, {})) as agent:
        yield agent


def sentences(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """`supported` and `same_numbers` are shares of the shown sentences, `kept` is one of those that
    the model wrote, and `removed FLAG` counts the others."""
    if outcome["kind"] == "refused":
        return {"answered": False}
    shown, removed = cited_passages(outcome), [each["flag"] for each in outcome["removed"]]
    written = sum(not sentence["quoted"] for sentence, _ in shown)
    drafted = written + len(removed)
    return {
        "answered": True,
        "quoted": all_quoted(outcome),
        "supported": sum(_is_borne(*each) for each in shown) / len(shown),
        "same_numbers": sum(_has_numbers(*each) for each in shown) / len(shown),
        "kept": written / drafted if drafted else None,
        **{f"removed {flag}": removed.count(flag) for flag in FLAGS},
    }


def _is_borne(sentence: Mapping[str, Any], cited: list[Passage]) -> bool:
    text = sentence["text"]
    if sentence["quoted"]:
        return any(_bare(text) in _bare(passage.text) for passage in cited)
    return support(text, cited).holds


def _bare(text: str) -> str:
    """Without what quoting may change: line breaks and emphasis."""
    return re.sub(r"[\s*_`]+", "", text)


def _has_numbers(sentence: Mapping[str, Any], cited: list[Passage]) -> bool:
    found = {number for passage in cited for number in _numbers(passage.text)}
    return bool(cited) and _numbers(sentence["text"]) <= found


def _numbers(text: str) -> set[str]:
    return {number.replace(",", "") for number in _NUMBER.findall(text)}


def citations(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """Against the one gold document, though others may bear the answer too. `evidence_use` is the
    share of the passages at hand that are cited."""
    cited = outcome.get("citations")
    if not cited:
        return {}
    right = [each["document"] == sample.gold["document"] for each in cited]
    return {
        "citation_precision": sum(right) / len(right),
        "citation_recall": any(right),
        "evidence_use": len({each["passage_id"] for each in cited}) / len(passages_by_id(outcome)),
    }


def worst(result: Result) -> float:
    scores = result.scores
    return 2 - float(scores.get("supported") or 0.0) - float(scores.get("same_numbers") or 0.0)


SUITE = Suite(
    name="grounding",
    about="support of the sentences that are shown, citations, use of the evidence, removals",
    dataset=samples,
    target=target,
    scorers=(sentences, citations),
    metrics=(
        rate("answered"),
        rate("quoted"),
        *(mean(score) for score in ("supported", "same_numbers", "kept")),
        mean("citation_precision"),
        rate("citation_recall"),
        mean("evidence_use"),
        *(mean(f"removed {flag}", unit="sentences") for flag in FLAGS),
    ),
    worst=worst,
    corpora=("handbook", "own"),
)
