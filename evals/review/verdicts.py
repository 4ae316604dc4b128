"""What is asked of a person about a task, and what was found about the same automatically."""

from collections.abc import Mapping
from typing import Literal, get_args

from evals.shown import shown_text
from evals.suite import Outcome, Result, Sample
from evals.suites import answer, grounding, ood_refusal

Asked = Literal["supported", "answers", "right_to_refuse"]
INSIDE = ("answerable", "across")
FALSE_PREMISE = "false_premise"
ASKED: tuple[Asked, ...] = get_args(Asked)


def is_of_the_agent(outcome: Outcome | None) -> bool:
    """Whether it shows what a user would read; a part of the agent, such as the gate, does not."""
    return (
        outcome is not None
        and outcome.get("kind") in ("answered", "refused")
        and ("text" in outcome)
    )


def automatic(result: Result) -> Mapping[Asked, bool | None]:
    """By the question that arises for this task; None where there is nothing to tell it by.

    An answer is `supported` where the judge of the suite `grounding` bears each sentence. It
    `answers` where it shows a gold answer, and not where the documents hold none, by the kind of
    the question; then it was `right_to_refuse`, too."""
    sample, outcome = result.sample, result.outcome
    if outcome is None:
        return {}
    inside = _inside(sample)
    if outcome["kind"] == "refused":
        return {"right_to_refuse": None if inside is None else not inside}
    gold, answers = sample.gold.get("answers"), False if inside is False else None
    if gold:
        answers = answer.best(answer.holds, shown_text(outcome), gold) > 0
    elif sample.kind == FALSE_PREMISE or sample.gold.get("why") == FALSE_PREMISE:
        answers = None  # it can be answered by setting the premise right
    return {
        "supported": grounding.sentences(sample, outcome)["supported"] == 1,
        "answers": answers,
    }


def _inside(sample: Sample) -> bool | None:
    """Whether the documents answer it; None for a kind that does not tell."""
    if sample.kind in INSIDE:
        return True
    return False if sample.kind in ood_refusal.OUTSIDE else None
