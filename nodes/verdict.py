"""Ask the model itself whether the passages hold the answer, where that has proved to be of use.

It has where `retrieval.verdict` is set: a calibration found how much this model's verdict counts in
this corpus, beside the answerability by words (decision 020).
"""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from graph.answer import RefusalReason
from graph.errors import ConfigError
from graph.evidence import Passage, Retrieval, log_odds
from graph.ports import Account, Deps, Message, ModelRequest
from graph.state import Task
from nodes.answerability.judgement import INTERCEPT, WEIGHTS, answerability
from nodes.prompt import instruction, task_messages

YES, NO = "Yes", "No"


class VerdictInput(TypedDict):
    task: Task
    query: str
    evidence: tuple[Passage, ...]
    retrieval: Retrieval


class VerdictUpdate(TypedDict):
    answerable: bool
    refusal: NotRequired[RefusalReason]


async def verdict(state: VerdictInput, deps: Deps) -> VerdictUpdate:
    """One call that writes one token. Raises `ConfigError` where the rule was found with another
    model or method; then, as after a call that failed, the task goes on without a verdict."""
    rule = state["retrieval"].verdict
    assert rule is not None  # routes send no other task here
    served = await deps.model.name()
    if (rule.model, rule.method) != (served, method_hash()):
        raise ConfigError(
            f"the model's verdict was calibrated with {rule.model}, and not with {served} as it is "
            "asked now, so it is left out; run: knowledge-agent calibrate --model"
        )
    words, model = await judge(
        state["evidence"], state["query"], deps, deps.account(state["task"].id)
    )
    if rule.refuses(words, model):
        return {"answerable": False, "refusal": "not_in_documents"}
    return {"answerable": True}


async def judge(
    evidence: Sequence[Passage], query: str, deps: Deps, account: Account
) -> tuple[float, float]:
    """Log-odds that the passages hold the answer: by words, and by the model."""
    words = await asyncio.to_thread(answerability, query, evidence)
    completion = await deps.model.complete(
        ModelRequest(
            messages=_messages(evidence, query),
            account=account,
            node="verdict",
            max_tokens=1,
            choices=(YES, NO),
        )
    )
    return log_odds(words.score), log_odds(completion.probabilities[YES])


def method_hash() -> str:
    """Changes with the prompt, passages and question apart, and with the weights of words."""
    made_of = (_messages((), ""), INTERCEPT, sorted(WEIGHTS.items()))
    return hashlib.sha256(repr(made_of).encode()).hexdigest()[:12]


def _messages(evidence: Sequence[Passage], query: str) -> list[Message]:
    # Yes and No in both languages: the first token of 예 or 아니요 may be a part of a letter.
    return task_messages(evidence, query, instruction("verdict", "en"))
