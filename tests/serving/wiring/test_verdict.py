"""`calibrate --model`: a served model is asked about questions made from an index."""

import asyncio
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graph.errors import (
    EmbedderUnavailable,
    ModelOutputUnusable,
    ModelRejected,
    ModelUnavailable,
)
from knowledge.calibrate_verdict import made_questions
from knowledge.ingest import ingest
from knowledge.report import Progress
from knowledge.status import index_status
from knowledge.store import open_generation
from serving.settings import Settings
from serving.wiring import documents, verdict
from serving.wiring.documents import index_address, open_index
from serving.wiring.verdict import VerdictReport, calibrate_verdict
from tests.knowledge.stubs import WordsEmbedder
from tests.stub_engine import BreakOff, Fail, Hang, Say, StubEngine
from tests.waiting import until

EMBEDDER = WordsEmbedder()
ENGLISH = (
    "valve harbour orchard violin lantern compass meadow granite carries turns paints closes old "
    "quiet copper northern spring winter keeper captain beside under before after bridge tower "
    "opens measures heavy small ferry garden engine letter morning harvest signal winding"
)
KOREAN = (
    "밸브는 항구를 과수원에서 바이올린과 등불을 나침반으로 초원의 화강암이 나르고 돌리며 칠하고 "
    "닫는 낡은 조용한 구리 북쪽 봄마다 겨울에 지기가 선장은 곁에서 아래로 전에 뒤에 다리를 탑에서 "
    "여는 재어서 무거운 작은 나룻배를 정원과 기관을 편지가 아침에 수확을 신호로 굽은"
)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an index of sixty documents, half of them Korean, that say different things in
    the same words."""
    folder, home = tmp_path_factory.mktemp("documents"), tmp_path_factory.mktemp("home")
    for number in range(60):
        vocabulary = (ENGLISH if number % 2 else KOREAN).split()
        words = random.Random(number).sample(vocabulary, 12)
        (folder / f"{number}.txt").write_text(" ".join(words) + ".", "utf-8")
    assert ingest(folder, index_address(Settings(home=home)), EMBEDDER).passages == 60
    return home


@pytest.fixture
def settings(
    indexed: Path, tmp_path: Path, stub_engine: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    shutil.copytree(indexed, tmp_path / "home")
    monkeypatch.setattr(documents, "make_embedder", lambda *_, **__: EMBEDDER)
    monkeypatch.setattr(verdict, "PAUSE_S", 0.0)
    return Settings(home=tmp_path / "home", engine_url=stub_engine.url)


async def quietly(settings: Settings) -> VerdictReport:
    return await calibrate_verdict(settings, lambda progress: None)


def knowing(settings: Settings) -> Callable[[str], float]:
    """Log-odds of a model that sees whether a question's source is in its prompt."""
    with open_generation(index_address(settings)) as store:
        sources = {made.text: made.source.text.strip() for made in made_questions(store)}

    def verdict(prompt: str) -> float:
        asked = re.search(r"Question: (.*)", prompt)
        assert asked is not None
        return 3.0 if sources[asked[1]] in prompt else -3.0

    return verdict


async def test_a_model_that_knows_is_asked_for_its_verdict_from_then_on(
    settings: Settings, stub_engine: StubEngine
) -> None:
    stub_engine.verdict = knowing(settings)
    told: list[Progress] = []
    report = await calibrate_verdict(settings, told.append)
    found = report.calibration
    assert found.weights.model_is_of_use
    assert (found.model, found.passages) == ("stub-model", 60)
    assert len(report.calls) == 2 * found.weights.questions == 2 * len(told)
    assert {call.output_tokens for call in report.calls} == {1}
    assert index_status(index_address(settings)).verdict == found
    with open_index(settings) as retriever:
        assert (await retriever.search("Where?", limit=1)).verdict == found.rule()


async def test_a_model_that_guesses_is_not_asked(
    settings: Settings, stub_engine: StubEngine
) -> None:
    chance = random.Random(0)
    stub_engine.verdict = lambda prompt: chance.gauss(0, 2)
    found = (await quietly(settings)).calibration
    assert (found.weights.model, found.weights.model_is_of_use) == (0.0, False)
    with open_index(settings) as retriever:
        retrieval = await retriever.search("Where?", limit=1)
    assert (retrieval.verdict, retrieval.degraded) == (None, ())


async def test_a_verdict_for_other_passages_is_not_used_and_searches_say_so(
    settings: Settings, stub_engine: StubEngine, tmp_path: Path
) -> None:
    stub_engine.verdict = knowing(settings)
    await quietly(settings)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "other.txt").write_text("The ferry waits.", "utf-8")
    ingest(tmp_path / "other", index_address(settings), EMBEDDER, replace_all=True)
    with open_index(settings) as retriever:
        retrieval = await retriever.search("Where does the ferry wait?", limit=1)
    assert retrieval.verdict is None
    assert "knowledge-agent calibrate --model" in retrieval.degraded[0]


async def test_a_few_failures_are_borne_and_their_questions_left_out(
    settings: Settings, stub_engine: StubEngine
) -> None:
    stub_engine.verdict = knowing(settings)
    stub_engine.script.extend([Fail(503), Fail(429), BreakOff()])
    report = await quietly(settings)
    outcomes = [call.outcome for call in report.calls]
    assert outcomes[:4] == ["failed"] * 3 + ["ok"]
    assert outcomes.count("ok") == 2 * report.calibration.weights.questions


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([Fail(503)] * 9, ModelUnavailable),
        ([Fail(400, "no such option")], ModelRejected),
        ([Say("Yes")], ModelOutputUnusable),
    ],
)
async def test_what_the_server_cannot_do_ends_it_and_keeps_what_was_found_before(
    script: list[Fail | Say],
    error: type[Exception],
    settings: Settings,
    stub_engine: StubEngine,
) -> None:
    stub_engine.verdict = knowing(settings)
    before = (await quietly(settings)).calibration
    stub_engine.script.extend(script)
    with pytest.raises(error):
        await quietly(settings)
    assert index_status(index_address(settings)).verdict == before


async def test_a_cancel_ends_the_call_and_keeps_nothing(
    settings: Settings, stub_engine: StubEngine
) -> None:
    stub_engine.script.append(Hang())
    running = asyncio.create_task(quietly(settings))
    await until(lambda: stub_engine.open_streams == 1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: stub_engine.open_streams == 0)
    assert index_status(index_address(settings)).verdict is None


async def test_questions_are_not_judged_on_what_words_alone_find(
    settings: Settings, stub_engine: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = WordsEmbedder(fail_after=0)
    monkeypatch.setattr(documents, "make_embedder", lambda *_, **__: failing)
    with pytest.raises(EmbedderUnavailable, match="told to fail"):
        await quietly(settings)
    assert stub_engine.requests == []
