"""Every suite fails its gate with a target that is broken, whichever way it is."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.gates import GATES, Verdict, judge, read_gates
from evals.registry import load_suite, suite_names
from evals.runner import Limits, run
from evals.sampling import stratified
from evals.statistics import figures
from evals.suite import Options, Outcome, Sample, Target
from tests.evals.agent_outcomes import answered, plan, refused, sentence, step
from tests.evals.small_suite import options

ASKED = 60
SIGNAL = {"score": -2.0, "bound": -1.0, "method": "calibrated"}

Broken = Callable[[Sample], Outcome]
NOTHING_FOUND: Outcome = {"dense": [], "lexical": [], "fused": [], "passages": []}
WRONG_FOUND = {side: ["no-such.pdf"] for side in ("dense", "lexical", "fused")}


def refuses(sample: Sample) -> Outcome:
    return refused(language=sample.language)


def answers_wrongly(sample: Sample) -> Outcome:
    """With a sentence that no passage bears, and a plan that nobody asked for."""
    told = " ".join(["It keeps 58 cats.", *sample.gold.get("forbidden", ())])
    domain = SIGNAL | {"score": 2.0}
    return answered(
        sentence(told, 2), quoted="57", domain=domain, plan=plan(step("retrieve", "cats"))
    )


def raises(sample: Sample) -> Outcome:
    raise RuntimeError("the target is broken")


def returns_nothing(sample: Sample) -> Outcome:
    return {}


TARGETS: dict[str, Broken] = {
    "refuses": refuses,
    "answers wrongly": answers_wrongly,
    "raises": raises,
    "returns nothing": returns_nothing,
}
OF_PARTS: dict[tuple[str, str], Broken] = {
    ("retrieval", "refuses"): lambda sample: NOTHING_FOUND,
    ("retrieval", "answers wrongly"): lambda sample: {**WRONG_FOUND, "passages": []},
    ("answerability", "refuses"): lambda sample: judged(0.0),
    ("answerability", "answers wrongly"): lambda sample: judged(sample.kind != "answerable"),
}
"""What stands for it where the target is no agent."""


def judged(score: float) -> dict[str, Any]:
    return {"score": float(score), "judged_ms": 1.0}


async def verdict(name: str, broken: Broken, folder: Path) -> Verdict:
    async def ask(sample: Sample) -> Outcome:
        return {"gate_ms": 1.0, **broken(sample)}

    @asynccontextmanager
    async def target(given: Options) -> AsyncIterator[Target]:
        yield Target(ask, "1")

    suite = replace(load_suite(name), target=target)
    given = options(folder)
    samples = stratified(suite.dataset(given), ASKED, seed=0)
    done = await run(suite, samples, given, folder, Limits())
    found = figures(suite.metrics, done.results)
    return judge(read_gates(GATES)[name], done.results, found)


@pytest.mark.parametrize("way", ["refuses", "answers wrongly"])
@pytest.mark.parametrize("name", suite_names())
async def test_a_target_that_is_wrong_fails_a_gate(name: str, way: str, tmp_path: Path) -> None:
    found = await verdict(name, OF_PARTS.get((name, way), TARGETS[way]), tmp_path)
    assert found.problems == ()  # so it is a gate, and no error, that stops it
    assert [each for each in found.checked if each.state == "failed"]


@pytest.mark.parametrize("way", ["raises", "returns nothing"])
@pytest.mark.parametrize("name", suite_names())
async def test_a_target_that_has_no_outcome_fails(name: str, way: str, tmp_path: Path) -> None:
    found = await verdict(name, TARGETS[way], tmp_path)
    assert not found.passed
    assert re.fullmatch(r"(\d+) of \1 samples failed with an error", found.problems[0])
