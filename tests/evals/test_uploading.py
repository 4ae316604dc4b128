"""`--langsmith`: a run is uploaded after it is over, and stands whatever becomes of that."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langsmith import traceable
from langsmith import utils as langsmith_utils
from typer.testing import CliRunner, Result

from evals import command
from evals.suite import Outcome, Sample
from serving.cli.app import app
from tests.evals.small_suite import Echo, suite
from tests.serving.langsmith_service import Service, langsmith_service

GATE = '[[small]]\nmetric = "echoed"\nmin = {}\ncompared = "value"\n'


class TracedEcho(Echo):
    """As LangChain's parts are: traced wherever variables say so."""

    async def ask(self, sample: Sample) -> Outcome:
        @traceable
        def answer(question: str) -> str:
            return question

        answer(sample.question)
        return await super().ask(sample)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KA_HOME", str(tmp_path))
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    with langsmith_service() as service:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", service.url)
        langsmith_utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # has overloads
        yield service
    langsmith_utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # has overloads


def run(monkeypatch: pytest.MonkeyPatch, echo: Echo, *arguments: str, minimum: float = 1) -> Result:
    Path("gates.toml").write_text(GATE.format(minimum), "utf-8")
    monkeypatch.setattr(command, "load_suite", lambda name: suite(echo))
    line = ["evals", "retrieval", "--gates", "gates.toml", "--out", "run", *arguments]
    return CliRunner().invoke(app, line)


def test_a_run_is_a_dataset_and_an_experiment(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo = Echo()
    done = run(monkeypatch, echo, "--langsmith", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["passed"] is True
    assert "LangSmith: small handbook: 20 examples created, 0 updated" in done.stderr
    (dataset,) = service.datasets.values()
    assert dataset["name"] == "small handbook"
    languages = [one["metadata"]["language"] for one in service.examples.values()]
    assert (languages.count("en"), languages.count("ko")) == (10, 10)
    scores: dict[str, list[Any]] = {}
    for one in service.feedback:
        scores.setdefault(one["key"], []).append(one["score"])
    assert {name: len(given) for name, given in scores.items()} == {"echoed": 20, "length": 20}
    assert len(service.runs) == 20


def test_uploading_again_asks_nobody_and_doubles_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo = Echo()
    run(monkeypatch, echo, "--langsmith")
    done = run(monkeypatch, echo, "--langsmith")
    assert "0 examples created, 0 updated" in done.stderr
    assert len(echo.asked) == len(service.examples) == 20
    assert len(service.sessions) == 2


@pytest.mark.parametrize(("minimum", "code"), [(1.0, 0), (1.1, 1)])
def test_a_langsmith_that_fails_changes_neither_exit_code_nor_files(
    minimum: float, code: int, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langsmith.client.time.sleep", lambda seconds: None)
    without = run(monkeypatch, Echo(), "--json", minimum=minimum)
    service.broken = "POST /v1"
    done = run(monkeypatch, Echo(), "--langsmith", "--json", minimum=minimum)
    assert done.exit_code == without.exit_code == code
    assert "LangSmith: the upload failed:" in done.stderr
    assert "The run and its verdict stand." in done.stderr
    told, before = json.loads(done.stdout), json.loads(without.stdout)
    assert (told["passed"], told["figures"]) == (before["passed"], before["figures"])


def test_without_the_option_nothing_is_sent_whatever_variables_are_set(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, TracedEcho()).exit_code == 0
    assert service.requests == []


def test_without_a_key_the_option_is_refused_before_anything_is_asked(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANGSMITH_API_KEY")
    echo = Echo()
    done = run(monkeypatch, echo, "--langsmith")
    assert (done.exit_code, echo.asked) == (2, [])
    assert "LANGSMITH_API_KEY" in done.output
