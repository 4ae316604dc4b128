"""`calibrate`: the gate's bounds, or the weight of the model's verdict, for the passages as they
are."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.domain import Rate
from knowledge.verdict import Estimate, VerdictCalibration, Weights
from tests.serving.cli.conftest import Run


@pytest.mark.usefixtures("ready")
def test_a_small_corpus_is_told_to_have_the_cautious_rule(run: Run) -> None:
    code, out, err = run("calibrate")
    assert (code, err) == (0, "")
    assert "cautious rule" in out


@pytest.mark.usefixtures("ready")
def test_a_calibration_is_printed_as_json(run: Run) -> None:
    code, out, err = run("calibrate", "--json")
    told = json.loads(out)
    assert (code, err, told["method"], told["passages"]) == (0, "", "cautious", 2)


def test_without_an_index_the_command_that_makes_one_is_named(run: Run, home: Path) -> None:
    code, out, err = run("calibrate")
    assert (code, out) == (1, "")
    assert "knowledge-agent ingest" in err


@pytest.mark.usefixtures("ready")
def test_an_index_without_passages_says_so(run: Run, documents: Path) -> None:
    for file in documents.iterdir():
        file.unlink()
    (documents / "empty.txt").write_text("", "utf-8")
    run("ingest", str(documents), "--replace")
    code, _, err = run("calibrate")
    assert code == 1
    assert "holds no passage" in err


@pytest.mark.usefixtures("ready")
def test_a_verdict_is_not_calibrated_on_a_handful_of_questions(run: Run) -> None:
    code, out, err = run("calibrate", "--model")
    assert (code, out) == (1, "")
    assert "a verdict is calibrated on 40 and more" in err


def test_a_verdict_is_not_calibrated_without_an_index(run: Run, home: Path) -> None:
    code, _, err = run("calibrate", "--model")
    assert code == 1
    assert "knowledge-agent ingest" in err


OF_USE = VerdictCalibration(
    model="stub-model",
    method="m",
    corpus="c",
    passages=2,
    changes=2,
    weights=Weights(
        questions=80,
        words_auroc=Estimate(0.81, 0.75, 0.87),
        both_auroc=Estimate(0.93, 0.9, 0.96),
        gain=Estimate(0.12, 0.06, 0.18),
        intercept=0.1,
        words=0.4,
        model=1.2,
        bound=-0.5,
        answerable_refused=Rate(0.04, 0.01, 0.1, 80),
        unanswerable_refused=Rate(0.7, 0.6, 0.79, 80),
    ),
)
OF_NO_USE = replace(OF_USE, weights=replace(OF_USE.weights, model=0.0))


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(
    ("found", "said"),
    [
        (OF_USE, ["a gain of 0.12 (0.06 to 0.18)", "refuses 4.0% (1.0% to 10.0%) of questions"]),
        (OF_NO_USE, ["AUROC 0.81 (0.75 to 0.87) by words", "weight 0", "the model is not asked"]),
        (replace(OF_USE, model="another"), ["not used: stub-model is served now"]),
        (replace(OF_USE, changes=0), ["not used: it was calibrated for other passages"]),
        (None, ["the model is not asked", "knowledge-agent calibrate --model"]),
    ],
)
def test_the_status_tells_how_much_the_models_verdict_counts(
    found: VerdictCalibration | None, said: list[str], run: Run, home: Path
) -> None:
    (calibration,) = home.rglob("calibration.json")
    if found:
        found.write(calibration.with_name("verdict.json"))
    code, out, _ = run("status")
    shown = " ".join(out.replace("verdict ", "").split())
    assert code == 0
    assert [words for words in said if words not in shown] == []
    assert ("not used" in shown) == any("not used" in words for words in said)
    told = json.loads(run("status", "--json")[1])["index"]["verdict"]
    assert told == (found.as_json() if found else None)
