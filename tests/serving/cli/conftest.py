"""A home with an index of two small documents, and a server that answers about them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from serving.cli.app import main
from tests.stub_engine import StubEngine

TEXTS = {
    "caching.txt": "A prefix cache keeps the key and value tensors of prompt tokens. "
    "It saves 768 of 876 prompt tokens on a repeated prompt.",
    "캐시.txt": "응답 캐시는 답변 전체를 60초 동안 보관한다. "
    "같은 질문이 다시 오면 모델을 부르지 않는다.",
}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """`run("ask", "…")` gives the exit code, stdout and stderr of the command."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["knowledge-agent", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def ready(
    home: Path, documents: Path, stub_engine: StubEngine, run: Run, monkeypatch: pytest.MonkeyPatch
) -> StubEngine:
    """Documents ingested, and the model server named."""
    monkeypatch.setenv("KA_ENGINE_URL", stub_engine.url)
    code, out, err = run("ingest", str(documents))
    assert code == 0, out + err
    return stub_engine
