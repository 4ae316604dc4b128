"""What an upload leaves at LangSmith, and what becomes of one that fails."""

import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langsmith import utils as langsmith_utils

from serving import experiments
from serving.experiments import Case, Uploaded, UploadFailed, upload_experiment
from serving.settings import Settings, load_settings
from tests.serving.langsmith_service import Service, langsmith_service

CASES = [
    Case(
        id=name,
        inputs={"question": question},
        reference={"answers": [answer]},
        metadata={"language": language, "kind": "answerable"},
        outputs={"text": answer},
        error=None,
        scores={"exact": True, "f1": 0.5, "quoted": None},
    )
    for name, language, question, answer in (
        ("en-1", "en", "What does a cache keep?", "57 keys"),
        ("ko-1", "ko", "캐시는 무엇을 보관하나?", "키 57개"),
    )
]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGSMITH_API_KEY", "a-secret-key")
    langsmith_utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # has overloads
    with langsmith_service() as service:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", service.url)
        yield service
    langsmith_utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # has overloads


def upload(cases: list[Case], settings: Settings | None = None) -> Uploaded:
    return upload_experiment(
        settings or load_settings(), "answer own", "answer own 1", cases, {"passed": True}
    )


def test_examples_runs_and_scores_arrive(service: Service) -> None:
    done = upload(CASES)
    assert (done.dataset, done.created, done.updated) == ("answer own", 2, 0)
    sent = {one["metadata"]["sample"]: one for one in service.examples.values()}
    assert sent["ko-1"]["inputs"] == {"question": "캐시는 무엇을 보관하나?"}
    assert sent["en-1"]["outputs"] == {"answers": ["57 keys"]}
    shown = {run["reference_example_id"]: run["outputs"] for run in service.runs.values()}
    assert shown == {
        sent["en-1"]["id"]: {"text": "57 keys"},
        sent["ko-1"]["id"]: {"text": "키 57개"},
    }
    scores = sorted((one["key"], float(one["score"])) for one in service.feedback)
    assert scores == [("exact", 1.0), ("exact", 1.0), ("f1", 0.5), ("f1", 0.5)]
    (session,) = service.sessions.values()
    assert session["extra"]["metadata"]["passed"] is True


def test_a_second_upload_doubles_nothing_and_adds_an_experiment(service: Service) -> None:
    upload(CASES)
    done = upload(CASES)
    assert (done.created, done.updated) == (0, 0)
    assert (len(service.datasets), len(service.examples)) == (1, 2)
    assert (len(service.sessions), len(service.runs)) == (2, 4)


def test_a_changed_example_is_updated_and_a_new_one_added(service: Service) -> None:
    upload(CASES)
    changed = replace(CASES[1], reference={"answers": ["키와 값 57개"]})
    done = upload([CASES[0], changed, replace(CASES[0], id="en-2")])
    assert (done.created, done.updated) == (1, 1)
    sent = {one["metadata"]["sample"]: one for one in service.examples.values()}
    assert sent["ko-1"]["outputs"] == {"answers": ["키와 값 57개"]}
    assert len(sent) == len(service.examples) == 3


def test_a_part_of_the_cases_leaves_the_other_examples(service: Service) -> None:
    upload(CASES)
    upload(CASES[:1])
    assert len(service.examples) == 2
    assert len(service.runs) == 3


def test_an_error_is_sent_as_an_error_without_a_traceback(service: Service) -> None:
    upload([replace(CASES[0], outputs=None, error="TaskNotEnded: 끝나지 않음", scores={})])
    (run,) = service.runs.values()
    assert run["error"] == "RuntimeError('TaskNotEnded: 끝나지 않음')"
    assert service.feedback == []


def test_nothing_of_the_machine_is_sent(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"remote_url": "git@example.org:secret.git", "author_email": "me@example.org"}
    monkeypatch.setattr("langsmith.env.get_git_info", lambda: found)
    upload(CASES)
    text = b"".join(service.bodies).decode()
    assert [
        word for word in ("example.org", "platform", "sdk_version", "/home") if word in text
    ] == []


BROKEN = ("POST /v1/platform/datasets", "POST /sessions", "PATCH /sessions", "POST /runs")


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        ("GET /datasets", 500),
        ("GET /datasets", 401),
        *((request, status) for request in BROKEN for status in (401, 404, 500)),
    ],
)
def test_whatever_request_fails_the_upload_says_so(
    broken: str, status: int, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langsmith.client.time.sleep", lambda seconds: None)
    service.broken, service.status = broken, status
    with pytest.raises(UploadFailed) as caught:
        upload(CASES)
    assert "LangSmith" in str(caught.value)
    assert "a-secret-key" not in str(caught.value)


def test_lost_examples_are_noticed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(dataset: str, parts: Mapping[str, Any]) -> Any:
        return {"count": 2, "example_ids": []}

    monkeypatch.setattr(service, "_take_examples", forgetful)
    with pytest.raises(UploadFailed, match="holds 0 of 2 examples"):
        upload(CASES)


def test_a_service_that_never_answers_is_given_up(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiments, "REQUEST_TIMEOUT_S", (0.2, 0.2))
    monkeypatch.setattr(experiments, "UPLOAD_TIMEOUT_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(UploadFailed):
            upload(CASES)


def test_without_a_key_no_connection_is_tried(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "")
    with pytest.raises(UploadFailed, match="LANGSMITH_API_KEY"):
        upload(CASES)
    assert service.requests == []


def test_the_client_prints_nothing(service: Service, capfd: pytest.CaptureFixture[str]) -> None:
    upload(CASES)
    assert capfd.readouterr() == ("", "")
    assert json.dumps(sorted(service.requests)).count("POST /sessions") == 1
