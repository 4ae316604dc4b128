"""Is the outcome of a task in the form that the contracts promise, whatever it says?"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from evals.design import events_in_order
from evals.shown import own_sources
from evals.suite import Outcome, Sample
from graph.answer import Answered, Refused
from graph.errors import PlanInvalid
from graph.evidence import Language
from graph.plan import allowed_actions, validate_plan
from nodes.text.sentences import detect_language

CHECKS = ("typed", "cited", "in_language", "plan_valid", "events_in_order")

_FIELDS = {"answered": Answered.model_fields, "refused": Refused.model_fields}
_TYPED: TypeAdapter[Answered | Refused] = TypeAdapter(
    Annotated[Answered | Refused, Field(discriminator="kind")]
)


def conformity(sample: Sample, outcome: Outcome) -> Mapping[str, bool]:
    """Each of `CHECKS`, and `well_formed`: all of them."""
    found = {
        "typed": _is_typed(outcome),
        "cited": _is_cited(outcome),
        "in_language": _is_in_language(sample, outcome),
        "plan_valid": _has_valid_plan(sample, outcome),
        "events_in_order": events_in_order(outcome),
    }
    return {**found, "well_formed": all(found.values())}


def _is_typed(outcome: Outcome) -> bool:
    """An answer or a refusal as `graph.answer` defines them, with a text that is not blank."""
    fields = _FIELDS.get(outcome["kind"], {})
    try:
        _TYPED.validate_python({name: outcome[name] for name in fields if name in outcome})
    except ValidationError:
        return False
    return bool(outcome["text"].strip())


def _is_cited(outcome: Outcome) -> bool:
    """Every sentence says something and cites passages that the agent had; a refusal cites none."""
    if outcome["kind"] == "refused":
        return not outcome.get("citations")
    sentences = outcome.get("sentences", ())
    said = all(each["text"].strip() and each["citations"] for each in sentences)
    return said and own_sources(outcome)


def _is_in_language(sample: Sample, outcome: Outcome) -> bool:
    """Quotes are in that of their document."""
    language: Language = "ko" if sample.language == "ko" else "en"
    if outcome["kind"] == "refused" and detect_language(outcome["text"]) != language:
        return False
    return bool(outcome["language"] == language)


def _has_valid_plan(sample: Sample, outcome: Outcome) -> bool:
    """Without a plan there is a refusal, and nothing else."""
    if outcome["plan"] is None:
        return bool(outcome["kind"] == "refused")
    allowed = allowed_actions(sample.given.get("profile"))
    try:
        validate_plan(dict(outcome["plan"]["plan"]), allowed=allowed)
    except PlanInvalid:
        return False
    return True
