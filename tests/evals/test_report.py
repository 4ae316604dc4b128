"""The report of a run, as a page, as Markdown and as JSON."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from evals.gates import Gate, judge
from evals.metrics import auroc, rate
from evals.report import (
    Report,
    as_html,
    as_markdown,
    figure_tables,
    shown,
    worst_cases,
    write_report,
)
from evals.runner import Run
from evals.statistics import Figure, Slice, figures
from evals.suite import Reliability, Result, Sample, Separation
from tests.evals.small_suite import Echo, suite

HOSTILE = "<script>alert('1')</script> & <img src=x onerror=alert(2)> | [a](javascript:b) $x$"


def one(number: int, kind: str, question: str) -> Result:
    margin = number / 10 - (2 if kind == "far" else 0)
    scores = {"margin": margin, "refused": margin < 0, "told": 0.5, "inside": kind != "far"}
    outcome = {
        "text": f"{HOSTILE} answer",
        "passages": [{"document": f"{HOSTILE}.pdf", "page": 1, "text": f"{HOSTILE} passage"}],
    }
    return Result(Sample(f"{kind}{number}", "ko", kind, question), outcome, scores, None, 0.1)


@pytest.fixture
def report() -> Report:
    results = [one(n, kind, HOSTILE) for n in range(60) for kind in ("answerable", "far")]
    results[0] = replace(results[0], outcome=None, scores={}, error=f"RuntimeError: {HOSTILE}")
    metrics = (rate("refused"), auroc("margin", inside="answerable", kinds=("far",)))
    found = tuple(figures(metrics, results))
    return Report(
        suite=suite(
            Echo(),
            about=HOSTILE,
            metrics=metrics,
            plots=(
                Separation("margin", "answerable", ("far",), "refused"),
                Reliability("told", "inside", even=True),
            ),
            worst=lambda result: float(result.sample.kind == "far"),
        ),
        run=Run(tuple(results), 120, "v1"),
        figures=found,
        verdict=judge([Gate(metric="auroc", min=0.99, compared="low")], results, found),
        asked_for={"limit": HOSTILE},
        started="2026-11-30 08:00:00+00:00",
        seconds=1.0,
    )


def test_the_page_shows_hostile_text_as_text(report: Report) -> None:
    page = as_html(report)
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", page))
    assert not tags & {"script", "img", "iframe", "a", "link", "object", "form"}
    assert "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;" in page
    assert f"{HOSTILE} passage" not in page


def test_plots_escape_the_names_of_kinds(report: Report) -> None:
    renamed = [
        replace(result, sample=replace(result.sample, corpus=HOSTILE))
        for result in report.run.results
    ]
    page = as_html(replace(report, run=replace(report.run, results=tuple(renamed))))
    assert page.count("<svg") == 2
    assert "<script" not in page
    assert "<img" not in page


def test_the_page_stands_alone(report: Report) -> None:
    page = as_html(report)
    assert page.count("<svg") == 2
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", page)
    assert "default-src 'none'" in page


def test_the_page_has_figures_gates_errors_and_the_passages_of_the_worst(report: Report) -> None:
    page = as_html(report)
    assert "auroc (everywhere): at least 0.99" in page.replace("low of ", "")
    assert "1 of 120 samples failed with an error" in page
    assert page.count(".pdf, page 1") == 5


def test_markdown_keeps_hostile_text_in_its_cell(report: Report) -> None:
    kind = replace(report.figures[0], slice=Slice("handbook", "ko", HOSTILE))
    text = as_markdown(replace(report, figures=(kind,)))
    (head,) = [line for line in text.splitlines() if line.startswith("| metric")]
    assert len(re.findall(r"(?<!\\)\|", head)) == 3
    assert not re.search(r"(?<!\\)<", text)
    assert "FAILED" in text


def test_a_figure_is_shown_with_interval_and_number() -> None:
    part = Slice("handbook", "en", "far")
    assert shown(Figure("r", part, 0.95, 0.9, 0.981, 1234, share=True)) == (
        "95.0% (90.0% to 98.1%; n 1,234)"
    )
    assert shown(Figure("t", part, 4.5, None, None, 1, unit="ms")) == "4.500 ms (no interval; n 1)"


def test_a_table_has_a_column_for_each_kind_and_none_for_other_languages() -> None:
    slices = [Slice("handbook", "en", "far"), Slice("handbook", "en", "near")]
    slices += [Slice("handbook", "ko", "far")]
    tables = figure_tables([Figure("refused", part, 0.5, 0.4, 0.6, 9) for part in slices])
    assert [(table.title, table.kinds) for table in tables] == [
        ("handbook, en", ("far", "near")),
        ("handbook, ko", ("far",)),
    ]


def test_the_worst_cases_are_the_worst_of_each_slice() -> None:
    results = [one(n, kind, "질문") for n in range(9) for kind in ("answerable", "far")]
    ranked = suite(Echo(), worst=lambda result: float(result.scores["margin"] or 0))
    worst = worst_cases(ranked, results)
    assert [each.sample.id for each in worst] == [f"answerable{n}" for n in (8, 7, 6, 5, 4)]


def test_the_files_hold_all_results_and_the_verdict(report: Report, tmp_path: Path) -> None:
    write_report(tmp_path, report)
    lines = (tmp_path / "results.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 120
    assert json.loads(lines[1])["sample"]["question"] == HOSTILE
    told = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert (told["passed"], told["errors"], told["samples"]) == (False, 1, 120)
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "report.md").exists()
