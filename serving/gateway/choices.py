"""A choice between a few words, with the probability of each: how it is asked for and read.

vLLM masks every token that leads to none of the choices before it takes the log-probabilities, so
theirs are over the choices alone. A choice may begin in several ways ("Y", "Ye", "Yes"): they are
added up. Other servers are asked without a mask, and what else the model might say is left out.
"""

import math
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from graph.errors import ModelOutputUnusable

TOP_LOGPROBS = 20
"""The most that vLLM (`--max-logprobs`) and OpenAI's API give. Yes and No begin in five
ways: Y, Ye, Yes, N and No."""


def choice_options(choices: Sequence[str], *, masked: bool) -> dict[str, Any]:
    """Options of the request; `masked` where the server is vLLM."""
    extra = {"structured_outputs": {"choice": list(choices)}} if masked else {}
    return {"logprobs": True, "top_logprobs": TOP_LOGPROBS, "extra_body": extra}


def probabilities(choices: Sequence[str], first_token: object) -> dict[str, float]:
    """Of each choice; they add up to 1. `first_token` is OpenAI's entry of `logprobs.content`.
    Raises `ModelOutputUnusable` where it is none, or tells of no choice."""
    masses = dict.fromkeys(choices, 0.0)
    for token, logprob in _likely(first_token):
        for choice in choices:
            if token and choice.lower().startswith(token):
                masses[choice] += math.exp(logprob)
    total = sum(masses.values())
    if not total:
        raise ModelOutputUnusable(
            f"the model server tells no probabilities of {' and '.join(choices)}: it must give "
            "logprobs, as vLLM does"
        )
    return {choice: mass / total for choice, mass in masses.items()}


def _likely(first_token: object) -> list[tuple[str, float]]:
    """Tokens with their log-probabilities; none where a server sends something else."""
    try:
        entry = _Entry.model_validate(first_token)
    except ValidationError:
        return []
    return [(one.token.strip().lower(), one.logprob) for one in entry.top_logprobs]


class _Likely(BaseModel):
    token: str
    logprob: float = Field(le=0.001)  # 0 but for rounding


class _Entry(BaseModel):
    top_logprobs: list[_Likely]
