"""`calibrate`: the gate's bounds, found anew for the passages as they are."""

import json
from pathlib import Path

import pytest

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
