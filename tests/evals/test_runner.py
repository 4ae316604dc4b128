"""Runs that are whole, interrupted, resumed, slow or broken."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.outcomes import Record
from evals.runner import OUTCOMES, Limits, Run, run
from evals.suite import Outcome, Sample, Suite, source_version
from graph.errors import InputError
from tests.evals.small_suite import Echo, options, samples, suite

LIMITS = Limits(concurrency=3, timeout_s=5.0)


async def run_all(small: Suite, folder: Path, limits: Limits = LIMITS) -> Run:
    given = options(folder)
    return await run(small, small.dataset(given), given, folder, limits)


async def test_every_sample_is_asked_once_and_scored_in_its_order(tmp_path: Path) -> None:
    echo = Echo()
    done = await run_all(suite(echo), tmp_path)
    assert [result.sample.id for result in done.results] == [str(n) for n in range(20)]
    assert sorted(echo.asked, key=int) == [str(n) for n in range(20)]
    assert all(result.scores["echoed"] for result in done.results)
    assert (done.asked, done.errors) == (20, ())


async def test_no_more_samples_run_at_a_time_than_allowed(tmp_path: Path) -> None:
    echo = Echo(pause_s=0.001)
    await run_all(suite(echo), tmp_path)
    assert echo.most_running == 3


async def test_an_interrupted_run_goes_on_where_it_stood(tmp_path: Path) -> None:
    seen: list[str] = []

    def interrupt(record: Record, total: int) -> None:
        seen.append(record.sample_id)
        if len(seen) == 7:
            running.cancel()

    first, given = suite(Echo(pause_s=0.001)), options(tmp_path)
    running = asyncio.create_task(run(first, samples(20), given, tmp_path, LIMITS, interrupt))
    with pytest.raises(asyncio.CancelledError):
        await running
    second = Echo()
    done = await run_all(suite(second), tmp_path)
    assert 7 <= len(seen) < 20
    assert done.asked == len(second.asked) == 20 - len(seen)
    assert {*seen, *second.asked} == {result.sample.id for result in done.results}


async def test_a_line_that_a_kill_cut_off_is_asked_again(tmp_path: Path) -> None:
    await run_all(suite(Echo()), tmp_path)
    log = tmp_path / OUTCOMES
    log.write_text(log.read_text("utf-8")[:-30], "utf-8")
    echo = Echo()
    done = await run_all(suite(echo), tmp_path)
    assert (done.asked, len(echo.asked)) == (1, 1)
    assert (await run_all(suite(Echo()), tmp_path)).asked == 0


async def test_another_version_of_the_target_is_asked_everything(tmp_path: Path) -> None:
    await run_all(suite(Echo()), tmp_path)
    assert (await run_all(suite(Echo(version="2")), tmp_path)).asked == 20
    assert (await run_all(suite(Echo()), tmp_path)).asked == 0


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({"question": "Is it cached?"}, 1),
        ({"question": "캐시에 있는가?"}, 1),
        ({"given": {"mode": "plan"}}, 1),
        ({"gold": {"answers": ["A cache of keys and values"]}}, 0),
        ({"gold": {"answers": ["키와 값의 캐시"]}}, 0),
    ],
)
async def test_a_sample_is_asked_again_when_its_input_changes(
    change: dict[str, Any], asked: int, tmp_path: Path
) -> None:
    await run_all(suite(Echo()), tmp_path)
    changed = [replace(samples(1)[0], **change), *samples(20)[1:]]
    done = await run_all(suite(Echo(), dataset=lambda options: changed), tmp_path)
    assert done.asked == asked


async def test_what_a_target_raises_is_an_error_of_that_sample_alone(tmp_path: Path) -> None:
    done = await run_all(suite(Echo(broken=frozenset({"3", "4"}))), tmp_path)
    assert [result.sample.id for result in done.errors] == ["3", "4"]
    assert {result.error for result in done.errors} == {"RuntimeError: the target is broken"}
    assert all(not result.scores for result in done.errors)


async def test_an_error_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    await run_all(suite(Echo(broken=frozenset({"3"}))), tmp_path)
    mended = Echo()
    done = await run_all(suite(mended), tmp_path)
    assert mended.asked == ["3"]
    assert done.errors == ()


async def test_a_sample_that_takes_too_long_is_an_error(tmp_path: Path) -> None:
    done = await run_all(suite(Echo(pause_s=60), 2), tmp_path, Limits(2, timeout_s=0.05))
    assert [result.error for result in done.results] == ["no outcome within 0.05 s"] * 2


async def test_an_outcome_that_is_no_json_is_an_error(tmp_path: Path) -> None:
    class Nan(Echo):
        async def ask(self, sample: Sample) -> Outcome:
            return {"text": sample.question, "score": float("nan")}

    done = await run_all(suite(Nan(), 2), tmp_path)
    assert [str(result.error).split(":")[0] for result in done.results] == ["ValueError"] * 2


async def test_what_a_scorer_raises_is_an_error_and_costs_no_second_call(tmp_path: Path) -> None:
    def broken(sample: Sample, outcome: Outcome) -> bool:
        return bool(outcome["nothing"])

    done = await run_all(suite(Echo(), 2, scorers=(broken,)), tmp_path)
    assert [result.error for result in done.results] == ["a scorer failed: KeyError: 'nothing'"] * 2
    assert (await run_all(suite(Echo(), 2), tmp_path)).asked == 0


async def test_outcomes_are_in_the_file_as_they_come(tmp_path: Path) -> None:
    lines: list[int] = []

    def count(record: Record, total: int) -> None:
        lines.append(len((tmp_path / OUTCOMES).read_text("utf-8").splitlines()))

    small, given = suite(Echo(), 4), options(tmp_path)
    await run(small, samples(4), given, tmp_path, Limits(concurrency=1), count)
    assert lines == [1, 2, 3, 4]
    first = json.loads((tmp_path / OUTCOMES).read_text("utf-8").splitlines()[0])
    assert first["outcome"]["text"] == samples(1)[0].question


async def test_two_samples_with_one_id_are_refused(tmp_path: Path) -> None:
    twice = samples(3) + samples(1)
    with pytest.raises(InputError, match="the id '0'"):
        await run_all(suite(Echo(), dataset=lambda options: twice), tmp_path)


async def test_a_run_of_a_target_that_never_waits_can_be_interrupted(tmp_path: Path) -> None:
    tenth = asyncio.Event()

    class Busy(Echo):
        async def ask(self, sample: Sample) -> Outcome:
            self.asked.append(sample.id)
            if len(self.asked) == 10:
                tenth.set()
            return {"text": sample.question}

    echo = Busy()
    running = asyncio.create_task(run_all(suite(echo, 500), tmp_path))
    await tenth.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(echo.asked) < 100


def test_a_version_follows_sources_and_configuration() -> None:
    assert source_version("evals.suites", model="a") == source_version("evals.suites", model="a")
    assert source_version("evals.suites", model="a") != source_version("evals.suites", model="b")
    assert source_version("evals.suites") != source_version("evals.suite")
