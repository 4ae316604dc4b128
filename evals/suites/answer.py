"""How much of a gold answer does the agent show, beside what quotes alone would show?

The handbook's questions; with `--data`, also SQuAD 2.0 and KorQuAD 1.0. Quotes are those of the
node `extract` from the same passages. Texts are compared by tokens: words without case, signs and
articles, and single syllables of Hangul, since particles and endings are joined to Korean words. A
refusal has no other score than `answered`.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from evals.agent import agent_target
from evals.metrics import mean, rate
from evals.public_sets import WHOLE
from evals.questions import all_corpora, all_samples
from evals.shown import shown_text
from evals.suite import Options, Outcome, Result, Sample, Suite, Target, Value

PUBLIC = {name: WHOLE[name] for name in ("squad2_dev", "korquad1_dev")}
_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[가-힣]|[^\W_가-힣]+")
_ARTICLES = ("a", "an", "the")


def samples(options: Options) -> list[Sample]:
    return [
        replace(sample, given={"quotes": True})
        for sample in all_samples(options, PUBLIC)
        if sample.gold.get("answers")
    ]


@asynccontextmanager
async def target(options: Options) -> AsyncIterator[Target]:
    async with agent_target(options, all_corpora(options, PUBLIC)) as agent:
        yield agent


def compared(sample: Sample, outcome: Outcome) -> Mapping[str, Value]:
    """`gain` is `gold_shown` less `gold_quoted`: below 0, the model has cost an answer."""
    if outcome["kind"] == "refused":
        return {"answered": False}
    shown, quotes, gold = shown_text(outcome), outcome["quoted"], sample.gold["answers"]
    gold_shown, gold_quoted = best(holds, shown, gold), best(holds, quotes, gold)
    return {
        "answered": True,
        "exact": best(exact, shown, gold),
        "f1": best(f1, shown, gold),
        "f1_quoted": best(f1, quotes, gold),
        "gold_shown": gold_shown,
        "gold_quoted": gold_quoted,
        "gain": gold_shown - gold_quoted,
    }


def best(score: Callable[[list[str], list[str]], float], text: str, gold: Sequence[str]) -> float:
    """By the gold answer that fits best."""
    return max(score(tokens(text), tokens(answer)) for answer in gold)


def tokens(text: str) -> list[str]:
    found = (token.replace(",", "") for token in _TOKEN.findall(text.casefold()))
    return [token for token in found if token not in _ARTICLES]


def exact(text: list[str], gold: list[str]) -> float:
    return float(text == gold)


def f1(text: list[str], gold: list[str]) -> float:
    """The harmonic mean of precision and recall over tokens, each as often as it stands there."""
    common = (Counter(text) & Counter(gold)).total()
    return 2 * common / (len(text) + len(gold)) if common else 0.0


def holds(text: list[str], gold: list[str]) -> float:
    """Whether the gold answer's tokens stand in a row in the text."""
    size = len(gold)
    return float(
        size > 0 and any(text[at : at + size] == gold for at in range(len(text) - size + 1))
    )


def worst(result: Result) -> float:
    return 1.0 - float(result.scores.get("gold_shown") or 0.0)


SUITE = Suite(
    name="answer",
    about="gold answers in what is shown, beside what quotes alone would show",
    dataset=samples,
    target=target,
    scorers=(compared,),
    metrics=(
        rate("answered"),
        rate("exact"),
        mean("f1"),
        mean("f1_quoted"),
        rate("gold_shown"),
        rate("gold_quoted"),
        mean("gain"),
    ),
    worst=worst,
    corpora=("handbook", *PUBLIC, "own"),
)
