"""`knowledge-agent demo` on a server of the owner's: nothing is installed, started or stopped."""

import shutil
from pathlib import Path

import pytest

from serving.cli.app import main
from tests.stub_engine import StubEngine

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
DOCUMENTS = ("09", "12", "15", "16")  # those that the questions are about


def test_the_demo_asks_five_questions_of_the_server_it_is_given(
    stub_engine: StubEngine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    handbook = tmp_path / "handbook"
    handbook.mkdir()
    for path in HANDBOOK.glob("*.pdf"):
        if path.name.startswith(DOCUMENTS):
            shutil.copy(path, handbook)
    monkeypatch.setenv("KA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KA_ENGINE_URL", stub_engine.url)
    monkeypatch.setattr("sys.argv", ["knowledge-agent", "demo", "--handbook", str(handbook)])
    with pytest.raises(SystemExit) as ended:
        main()
    out = capsys.readouterr().out
    assert ended.value.code == 0, out
    assert out.count("What the task cost") == 5
    assert f"using the one at {stub_engine.url}" in out
    assert "Refused (out_of_domain)" in out
    assert out.count("plan by") == 2
    assert not (tmp_path / "home" / "engine").exists()
