"""The whole agent as a target, on a real index and a server that does as it is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.agent import agent_target
from evals.corpora import Corpus
from evals.runner import Limits, run
from evals.suite import Options, Sample, Suite
from evals.suites import ood_refusal
from graph.errors import ModelUnavailable
from serving.prices import Price
from serving.settings import Settings
from tests.evals.small_suite import options
from tests.stub_engine import Fail, StubEngine

KNOWN = Sample("1", "en", "answerable", "What does a KV cache keep?")
FOREIGN = Sample("2", "ko", "far", "김치찌개는 어떻게 끓이나요?")


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "cache.md").write_text("# KV cache\n\nA KV cache keeps keys and values.\n", "utf-8")
    (folder / "queue.md").write_text("# 대기열\n\n대기열은 요청을 순서대로 둔다.\n", "utf-8")
    return Corpus("handbook", folder)


def with_engine(folder: Path, engine: StubEngine) -> Options:
    return options(folder, settings=Settings(home=folder, engine_url=engine.url), engine=True)


def of_agent(corpus: Corpus) -> Suite:
    return Suite(
        name="agent",
        about="what the whole agent does",
        dataset=lambda given: [KNOWN, FOREIGN],
        target=lambda given: agent_target(given, {"handbook": corpus}),
        scorers=ood_refusal.SUITE.scorers,
        metrics=(),
    )


async def test_an_outcome_tells_answer_bill_evidence_and_order(
    corpus: Corpus, tmp_path: Path, stub_engine: StubEngine
) -> None:
    given = with_engine(tmp_path, stub_engine)
    async with agent_target(given, {"handbook": corpus}) as target:
        found = await target.ask(KNOWN)
    assert (found["kind"], found["reason"]) == ("answered", None)
    assert found["text"] == "A KV cache keeps keys and values. [1]"
    assert found["passages"][0]["document"] == "cache.md"
    assert found["model_calls"] == len(found["calls"]) == len(stub_engine.requests) == 1
    nodes = [event["node"] for event in found["events"] if event["type"] == "node"]
    assert nodes[:4] == ["admit", "retrieve", "gate", "select"]
    assert found["domain"]["method"] == "cautious"


async def test_a_task_costs_what_the_owners_prices_say(
    corpus: Corpus, tmp_path: Path, stub_engine: StubEngine
) -> None:
    unpriced = with_engine(tmp_path, stub_engine)
    prices = {stub_engine.model: Price(input=2, cached_input=1, output=5)}
    priced = replace(unpriced, settings=unpriced.settings.model_copy(update={"prices": prices}))
    async with agent_target(priced, {"handbook": corpus}) as target:
        known, foreign = await target.ask(KNOWN), await target.ask(FOREIGN)
    uncached = known["prompt_tokens"] - known["cached_tokens"]
    million_fold = 2 * uncached + known["cached_tokens"] + 5 * known["output_tokens"]
    assert known["cost"] == million_fold / 1_000_000 > 0
    assert foreign["cost"] == 0
    async with agent_target(unpriced, {"handbook": corpus}) as target:
        assert (await target.ask(FOREIGN))["cost"] is None


async def test_a_refusal_of_the_gate_spends_no_call(
    corpus: Corpus, tmp_path: Path, stub_engine: StubEngine
) -> None:
    given = with_engine(tmp_path, stub_engine)
    done = await run(of_agent(corpus), [FOREIGN], given, tmp_path, Limits(1))
    (result,) = done.results
    assert result.error is None
    assert result.scores["refused_by_gate"] is True
    assert result.scores["calls_of_refused"] == 0
    assert stub_engine.requests == []


async def test_another_model_is_another_target(
    corpus: Corpus, tmp_path: Path, stub_engine: StubEngine
) -> None:
    given = with_engine(tmp_path, stub_engine)
    versions = []
    for model in ("one", "two"):
        stub_engine.model = model
        async with agent_target(given, {"handbook": corpus}) as target:
            versions.append(target.version)
    assert versions[0] != versions[1]


async def test_without_a_model_no_sample_is_asked(corpus: Corpus, tmp_path: Path) -> None:
    given = options(tmp_path, settings=Settings(home=tmp_path, engine_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelUnavailable):
        await run(of_agent(corpus), [KNOWN], given, tmp_path, Limits(1))
    assert not (tmp_path / "outcomes.jsonl").exists()


async def test_what_the_agent_did_without_the_model_stands_in_the_outcome(
    corpus: Corpus, tmp_path: Path, stub_engine: StubEngine
) -> None:
    stub_engine.script.extend([Fail(500)] * 10)
    async with agent_target(with_engine(tmp_path, stub_engine), {"handbook": corpus}) as target:
        found = await target.ask(KNOWN)
    assert found["degraded"]
    assert found["failures"]
