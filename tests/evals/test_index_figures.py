"""The arithmetic behind the tables of `make bench-index`."""

from dataclasses import replace

import pytest

from evals.index.__main__ import _asked
from evals.index.outcome import Ingested, Sizes
from evals.index.product import Phases
from evals.index.queries import Stopwatch, percentiles
from evals.index.report import verdict
from evals.index.throughput import PRODUCT, SYSTEMS, Comparison, Survey
from knowledge.report import Progress


def ingested(passages: int, seconds: float, embed_seconds: float = 0.0) -> Ingested:
    return Ingested(
        passages=passages,
        tokens_per_passage=300,
        characters_per_passage=1_000,
        seconds=seconds,
        cpu_seconds=seconds,
        embed_seconds=embed_seconds,
        embedded_passages=passages,
        pages=10,
    )


def test_rates_are_medians_over_the_rounds_with_embedding_left_out() -> None:
    ours = [ingested(90, 4.0, 1.0), ingested(90, 90.0), ingested(90, 3.0)]
    theirs = [ingested(100, 11.0, 1.0)] * 3
    runs = {system: ours if system == PRODUCT else theirs for system in SYSTEMS}
    found = Comparison("handbook", "generated", 16, runs)
    assert found.passages_per_second(PRODUCT) == 30.0
    assert found.passages_per_second("LangChain") == 10.0
    assert found.pages_per_second(PRODUCT) == pytest.approx(10 / 3)
    assert found.pages_per_second("LangChain") == 1.0


def test_the_calibration_of_the_gate_can_be_left_out_of_a_rate() -> None:
    run = replace(
        ingested(90, 10.0, embed_seconds=3.0), phases={"calibrate": 5.0}, query_seconds=1.0
    )
    found = Comparison("handbook", "generated", 16, {PRODUCT: [run]})
    assert found.passages_per_second(PRODUCT) == pytest.approx(90 / 7)
    assert found.passages_per_second(PRODUCT, calibrated=False) == pytest.approx(90 / 3)


def test_a_file_counts_as_readable_when_every_system_got_text_from_it() -> None:
    problems = {PRODUCT: {"b.pdf": "encrypted"}, "LangChain": {"c.pdf": "KeyError"}}
    assert Survey(("a.pdf", "b.pdf", "c.pdf"), problems).readable == ("a.pdf",)


def test_sizes_of_no_passage_are_zero() -> None:
    assert Sizes.of([], len) == Sizes(0, 0.0, 0.0)


def test_sizes_are_means_over_the_passages() -> None:
    assert Sizes.of(["abcd", "가나"], lambda text: 2 * len(text)) == Sizes(2, 6.0, 3.0)


def test_a_phase_lasts_until_the_next_one_begins() -> None:
    phases = Phases()
    for phase in ("read", "read", "embed"):
        phases.saw(Progress(phase, 1, 2))
    seconds = phases.seconds(ended=float("inf"))
    assert list(seconds) == ["read", "embed"]
    assert seconds["read"] >= 0
    assert seconds["embed"] == float("inf")


def test_a_stopwatch_adds_up_the_calls_of_a_method_until_it_is_read() -> None:
    class Index:
        def query(self, text: str) -> str:
            return text.upper()

    watch = Stopwatch(Index, "query")
    assert Index().query("a") == "A"
    assert watch.take() > 0
    assert watch.take() == 0


def test_percentiles_are_the_median_and_the_99th() -> None:
    assert percentiles(range(101)) == [50.0, 99.0]


@pytest.mark.parametrize(("reached", "said"), [(True, "reached"), (False, "NOT reached")])
def test_a_target_that_is_missed_is_said_to_be_missed(reached: bool, said: str) -> None:
    assert verdict(reached, "under 2 s").endswith(f"under 2 s: {said}")


@pytest.mark.parametrize(
    ("given", "parts"),
    [([], ["throughput", "resync", "large"]), (["large"], ["large"])],
)
def test_without_a_part_all_are_measured(
    given: list[str], parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["python -m evals.index", *given])
    assert list(_asked().parts) == parts
