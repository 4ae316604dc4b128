"""`knowledge-agent evals`: exit codes, files, and what is printed."""

import json
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from evals import command, registry, suites
from evals.questions import all_samples
from evals.suite import Suite
from serving.cli.app import app
from tests.evals.small_suite import Echo, suite

GATE = '[[small]]\nmetric = "echoed"\nmin = {minimum}\ncompared = "value"\n'


class Cli:
    """The command with the suite `small` in the place of `retrieval`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.suite = suite(Echo())
        monkeypatch.setenv("KA_HOME", str(folder / "home"))
        monkeypatch.setattr(command, "load_suite", lambda name: self.suite)
        self.write_gates(GATE.format(minimum=1))

    def write_gates(self, text: str) -> None:
        (self.folder / "gates.toml").write_text(text, "utf-8")

    def run(self, *arguments: str) -> tuple[int, str]:
        gates, to = str(self.folder / "gates.toml"), str(self.folder / "run")
        line = ["evals", "retrieval", "--gates", gates, "--out", to, *arguments]
        done = CliRunner().invoke(app, line)
        return done.exit_code, done.stdout


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path, monkeypatch)


def test_a_run_that_keeps_its_gates_exits_with_0_and_leaves_its_report(cli: Cli) -> None:
    code, printed = cli.run("--json")
    told = json.loads(printed)
    assert (code, told["passed"], told["samples"], told["asked"]) == (0, True, 20, 20)
    gate = {"gate": "echoed (everywhere): at least 1", "state": "passed", "why": ""}
    assert told["gates"] == [gate]
    names = {file.name for file in (cli.folder / "run").iterdir()}
    assert {"report.html", "report.md", "run.json", "results.jsonl", "outcomes.jsonl"} <= names


def test_a_run_that_fails_its_gate_exits_with_1(cli: Cli) -> None:
    cli.write_gates(GATE.format(minimum=1.1))
    code, printed = cli.run()
    assert code == 1
    assert "failed: echoed (everywhere): at least 1.1" in printed


def test_a_broken_target_exits_with_1(cli: Cli) -> None:
    cli.suite = suite(Echo(broken=frozenset({"5"})))
    code, printed = cli.run("--json")
    assert code == 1
    assert json.loads(printed)["problems"] == ["1 of 20 samples failed with an error"]


def test_a_limit_takes_a_part_and_the_whole_goes_on_from_it(cli: Cli) -> None:
    _, printed = cli.run("--limit", "8", "--json")
    assert json.loads(printed)["asked"] == 8
    _, printed = cli.run("--json")
    told = json.loads(printed)
    assert (told["samples"], told["asked"]) == (20, 12)


@pytest.mark.parametrize(
    "arguments", [("--limit", "0"), ("--corpus", "novels"), ("--data", "/no/such/folder")]
)
def test_wrong_arguments_exit_with_2(arguments: tuple[str, str], cli: Cli) -> None:
    assert cli.run(*arguments)[0] == 2


def test_questions_that_cannot_be_read_exit_with_2(cli: Cli) -> None:
    cli.suite = suite(Echo(), dataset=lambda given: all_samples(given, {}))
    (cli.folder / "own.jsonl").write_text('{"id": "1"}', "utf-8")
    assert cli.run("--questions", str(cli.folder / "own.jsonl"))[0] == 2


def test_a_folder_that_another_run_writes_to_is_left_alone(cli: Cli) -> None:
    (cli.folder / "run").mkdir()
    with FileLock(cli.folder / "run" / "run.lock"):
        done = CliRunner().invoke(app, ["evals", "retrieval", "--out", str(cli.folder / "run")])
    assert "another run writes to" in str(done.exception)


def test_every_suite_is_a_command_and_listed() -> None:
    listed = CliRunner().invoke(app, ["evals", "list"]).stdout
    for name in registry.suite_names():
        assert name in listed
        assert CliRunner().invoke(app, ["evals", name, "--help"]).exit_code == 0


def test_runs_are_compared(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.compare.load_suite", lambda name: cli.suite)
    cli.run()
    folder = str(cli.folder / "run")
    done = CliRunner().invoke(app, ["evals", "compare", folder, folder, "--json"])
    assert done.exit_code == 0
    verdicts = {each["verdict"] for each in json.loads(done.stdout)}
    assert verdicts <= {"inside the noise", "too few samples to tell"}


def test_a_missing_extra_names_the_make_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EXTRA", ("jinja2", "no_such_package"))
    done = CliRunner().invoke(app, ["evals", "list"])
    assert "no_such_package; install what is missing: make evals" in str(done.exception)


def test_a_new_module_of_suites_is_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fresh.py").write_text(
        "from tests.evals.small_suite import Echo, suite\nSUITE = suite(Echo(), name='fresh')\n"
    )
    monkeypatch.setattr(suites, "__path__", [*suites.__path__, str(tmp_path)])
    assert "fresh" in registry.suite_names()
    found: Suite = registry.load_suite("fresh")
    assert found.name == "fresh"
