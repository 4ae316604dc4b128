"""Measured processes: what they tell, how much they take, and how they fail."""

import sys
from pathlib import Path

import pytest

from evals.index.process import ProcessFailed, run
from evals.index.throughput import told_problems


def test_the_last_line_is_the_result_whatever_was_printed_before() -> None:
    ran = run([sys.executable, "-c", "print('a warning'); print('{\"passages\": 3}')"])
    assert ran.last_line == {"passages": 3}


def test_the_memory_of_children_counts() -> None:
    child = "import time; held = bytearray(100_000_000); time.sleep(1)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run([sys.executable, "-c", parent]).peak_rss > 100_000_000


def test_a_process_that_fails_shows_the_end_of_what_it_wrote() -> None:
    with pytest.raises(ProcessFailed, match="the disk is gone"):
        run([sys.executable, "-c", "raise SystemExit('the disk is gone')"])


def test_a_process_sees_no_variable_but_those_that_it_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KA_EMBED_URL", "http://127.0.0.1:9/v1")
    shown = "import json, os; print(json.dumps(sorted(n for n in os.environ if 'KA_' in n)))"
    ran = run([sys.executable, "-c", shown], settings={"KA_HOME": str(tmp_path)})
    assert ran.last_line == ["KA_HOME"]


def test_what_a_peer_says_of_each_file_is_found_among_its_libraries_warnings() -> None:
    output = (
        "Ignoring wrong pointing object 6 0 (offset 0)\n"
        '{"file": "가.pdf", "problem": ""}\n'
        "\n"
        '{"file": "b.pdf", "problem": "PdfReadError: no trailer"}\n'
    )
    assert told_problems(output) == {"가.pdf": "", "b.pdf": "PdfReadError: no trailer"}
