"""The commands as a user meets them: exit codes, plain text, JSON, and errors that help."""

import json
from pathlib import Path

import pytest

from tests.serving.cli.conftest import Run
from tests.stub_engine import StubEngine

QUESTION = "What does a prefix cache keep?"
QUESTION_KO = "응답 캐시는 답변을 얼마 동안 보관하나?"
FOREIGN = "What is the capital of France?"


@pytest.mark.usefixtures("ready")
def test_an_answer_shows_its_sources_and_exits_with_0(run: Run) -> None:
    code, out, err = run("ask", QUESTION)
    assert (code, err) == (0, "")
    assert "A prefix cache keeps the key and value tensors of prompt tokens. [1]" in out
    assert "[1] caching.txt, page 1" in out


def test_an_answer_without_its_server_is_degraded_and_exits_with_4(
    run: Run, ready: StubEngine
) -> None:
    ready.stop()
    code, out, _ = run("ask", QUESTION_KO)
    assert code == 4
    assert "응답 캐시는 답변 전체를 60초 동안 보관한다. [" in out
    assert "Degraded: answer: the model server at" in out


@pytest.mark.usefixtures("ready")
def test_a_refusal_exits_with_3_and_names_no_source(run: Run) -> None:
    code, out, _ = run("ask", FOREIGN)
    assert code == 3
    assert out.startswith("Refused (out_of_domain).")
    assert "page" not in out


@pytest.mark.usefixtures("ready")
def test_json_holds_outcome_plan_and_bill_and_nothing_else_is_printed(run: Run) -> None:
    code, out, err = run("ask", "--json", QUESTION)
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["outcome"]["text"].endswith("[1]")
    assert result["outcome"]["citations"][0]["document"] == "caching.txt"
    assert result["plan"]["maker"] == "direct"
    assert result["usage"]["model_calls"] == len(result["usage"]["calls"]) == 1
    assert result["usage"]["cached_tokens"] > 0


@pytest.mark.usefixtures("ready")
def test_a_trace_shows_nodes_and_calls_as_a_tree(run: Run) -> None:
    _, out, _ = run("ask", "--trace", "--mode", "plan", "Explain prefix caches and summarize them")
    assert "── retrieve" in out
    assert "model call, ok" in out
    assert "model call step 1, ok" in out


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(("query", "document"), [("prefix", "caching.txt"), ("응답", "캐시.txt")])
def test_search_shows_passages_with_their_scores(run: Run, query: str, document: str) -> None:
    code, out, _ = run("search", query)
    assert code == 0
    assert out.startswith(f"1. {document}, page 1  (fused")
    assert "dense" in out
    _, out, _ = run("search", "--json", query)
    assert json.loads(out)["hits"][0]["passage"]["document"] == document


@pytest.mark.usefixtures("ready")
def test_a_second_ingest_embeds_nothing(run: Run, documents: Path) -> None:
    code, out, _ = run("ingest", str(documents), "--json")
    report = json.loads(out)
    assert (code, report["embedded"], report["counts"]) == (0, 0, {"unchanged": 2})


def test_an_ingest_with_a_file_that_gives_no_text_exits_with_1_and_keeps_the_rest(
    run: Run, home: Path, documents: Path
) -> None:
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    code, out, _ = run("ingest", str(documents))
    assert code == 1
    assert "broken.pdf" in out
    assert "2 documents" in out


def test_an_ingest_of_nothing_exits_with_1_and_says_so(
    run: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    code, out, _ = run("ingest", str(tmp_path / "empty"))
    assert code == 1
    assert "nothing" in out.lower()
    code, out, _ = run("ingest", str(tmp_path / "empty"), "--json")
    assert (code, json.loads(out)["complete"]) == (1, False)


@pytest.mark.usefixtures("ready")
def test_a_folder_that_lost_its_documents_empties_the_index_only_when_told_to(
    run: Run, documents: Path
) -> None:
    for path in documents.iterdir():
        path.unlink()
    code, out, err = run("ingest", str(documents))
    assert (code, out) == (1, "")
    assert "--replace" in err
    _, out, _ = run("ingest", str(documents), "--replace", "--json")
    assert json.loads(out)["counts"] == {"removed": 2}


def test_status_tells_what_is_missing(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KA_ENGINE_URL", "http://127.0.0.1:9/v1")
    code, out, _ = run("status")
    assert code == 1
    assert "IndexMissing" in out
    assert "ModelUnavailable" in out
    assert set(json.loads(run("status", "--json")[1])) == {"index", "engine"}


@pytest.mark.usefixtures("ready")
def test_status_with_everything_there_exits_with_0(run: Run) -> None:
    code, out, _ = run("status", "--json")
    report = json.loads(out)
    assert (code, report["index"]["documents"], report["engine"]["name"]) == (0, 2, "stub-model")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ask", QUESTION), 1, "knowledge-agent ingest"),
        (("search", "cache"), 1, "knowledge-agent ingest"),
        (("ingest", "no-such-folder"), 1, "no-such-folder"),
        (("ask", QUESTION, "--profile", "no-such-file"), 1, "no-such-file"),
        (("ask", QUESTION, "--mode", "fast"), 2, "fast"),
        (("ask",), 2, "question"),
        (("fly",), 2, "fly"),
    ],
)
def test_a_mistake_is_told_in_words_and_exits_with_1_or_2(
    run: Run, home: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ended, out, err = run(*arguments)
    assert (ended, out) == (code, "")
    assert said.lower() in err.lower()
    assert "Traceback" not in err


@pytest.mark.parametrize("question", ["", "   ", "무엇" * 50_000])
@pytest.mark.usefixtures("ready")
def test_a_question_that_cannot_be_read_exits_with_1(run: Run, question: str) -> None:
    code, out, _ = run("ask", "--json", question)
    result = json.loads(out)
    assert (code, result["outcome"], result["error"]["error"]) == (1, None, "InputError")
    code, out, err = run("ask", question)
    assert (code, out) == (1, "")
    assert err.startswith("InputError: the question")


def test_an_error_with_json_is_json(run: Run, home: Path) -> None:
    code, out, err = run("ask", "--json", QUESTION)
    assert (code, err, json.loads(out)["error"]["error"]) == (1, "", "IndexMissing")


def test_a_wrong_setting_is_named(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KA_DEADLINE_S", "soon")
    code, _, err = run("ask", QUESTION)
    assert code == 1
    assert "KA_DEADLINE_S" in err


@pytest.mark.parametrize("command", [("ask", QUESTION), ("ingest", "."), ("engine", "up")])
def test_a_home_that_cannot_be_used_is_told_in_a_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("KA_HOME", str(tmp_path / "a file"))
    code, out, err = run(*command)
    assert (code, out) == (1, "")
    assert "a file" in err
    assert "Traceback" not in err
