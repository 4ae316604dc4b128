"""The OpenAPI document is held to: schemathesis sends every operation what it allows, and what not.

The seed of its draws is fixed; the ids of earlier answers, which it sends too, are new ones every
time."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from unittest import mock

import pytest
import schemathesis
from hypothesis import settings
from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.generation import metrics

from serving.store.database import open_database
from serving.store.keys import SCOPES
from tests.fakes import EN_PASSAGES, FixedRetriever
from tests.knowledge.stubs import write_pdf
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, ScriptedAgents, serving
from tests.serving.api.indexed import KIMCHI, TEA, upload

SEED = 20_261_130
LEAST_CASES = 2_000
CASES = 95
CASES_OF_A_TASK = 50
"""For each operation that is given anything; one that is given nothing has one case."""

TIMEOUT_S = 1_800
"""For a stream that never ends: its pings keep a request from timing out."""

CHECKS = {
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
}
"""That have to have run. `positive_data_acceptance` is off: a schema does not tell which cursors a
page gave, that a question is more than spaces, or which types of files are read. `ignored_auth`
would send each request three times; test_openapi.py asks every operation once without a key."""

REFUSED = ["400", "401", "404", "415", "422"]
"""The answers to what the document does not allow; 415, since any bytes may be a file."""

PLAN = json.dumps({"steps": [{"action": "answer", "focus": "how long", "after": []}]})
WRITERS = ("answer", "personalize", "summarize", "analyze", "revise", "engine")
LINES = {**dict.fromkeys(WRITERS, EN_LINE), "plan": PLAN, "rewrite": EN_QUESTION}


@dataclass
class MostlyRefusing(ScriptedAgents):
    """One task in ten is answered: the graph as a whole takes ten times as long as a refusal."""

    tasks: Iterator[int] = field(default_factory=count)

    def new_retriever(self) -> FixedRetriever:
        return FixedRetriever(EN_PASSAGES, score=0.1 if next(self.tasks) % 10 else 0.9)


@dataclass
class Found:
    """`cases` were answered, by operation; `checks` ran; `failures` are told in words."""

    cases: Counter[str]
    checks: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def add(self, seen: ScenarioRecorder) -> None:
        self.cases[seen.label] += sum(
            seen.cases[case_id].parent_id is None and sent.response is not None
            for case_id, sent in seen.interactions.items()
        )
        for case_id, checks in seen.checks.items():
            self.checks |= {check.name for check in checks}
            sent = seen.interactions[case_id]
            for told in (check.failure_info for check in checks):
                if told is not None and not was_left_out(
                    told.failure.message, sent.request.headers
                ):
                    answer = sent.response
                    said = f"{answer.status_code} {answer.text[:300]}" if answer else "no answer"
                    self.failures.append(f"{told.failure.message}\n{told.code_sample}\n{said}")


def was_left_out(message: str, headers: Mapping[str, object]) -> bool:
    """Whether it complains of a wrong header that no client can send, so that it was not sent."""
    wrong = re.search(r"parameter `([^`]+)` in header", message)
    return wrong is not None and wrong[1].lower() not in map(str.lower, headers)


def config(url: str, key: str) -> SchemathesisConfig:
    generation = {
        "max-examples": CASES,
        "database": "none",
        "no-shrink": True,
        "allow-extra-parameters": False,  # of a query: nobody reads them
    }
    of_a_task = {**generation, "max-examples": CASES_OF_A_TASK}
    return SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "suppress-health-check": ["all"],  # a slow machine, or a schema that little fits
            "base-url": url,
            "headers": {"Authorization": f"Bearer {key}"},
            "request-timeout": 60,
            "continue-on-failure": True,
            "generation": generation,
            "operations": [
                {"include-name": name, "generation": of_a_task}
                for name in ("POST /v1/tasks", "POST /v1/chat/completions")
            ],
            "phases": {
                "coverage": {"enabled": False},  # it draws without a seed, and slowly
                "stateful": {"enabled": False},
            },
            "checks": {
                "ignored_auth": {"enabled": False},
                "positive_data_acceptance": {"enabled": False},
                "negative_data_rejection": {"expected-statuses": REFUSED},
            },
        }
    )


def fuzz(url: str, key: str) -> Found:
    load_all_checks()
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json", config=config(url, key))
    operations = schema.raw_schema["paths"].items()
    labels = (f"{way.upper()} {path}" for path, ways in operations for way in ways)
    found = Found(Counter(dict.fromkeys(labels, 0)))
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            found.add(event.recorder)
        elif isinstance(event, events.NonFatalError):
            found.failures.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            found.failures.append(repr(event.exception))
    return found


@pytest.fixture
def draws_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hypothesis has a profile for CI (`CI=true`), which draws by another rule, and draws constants
    that stand in the code of whichever modules earlier tests have imported."""
    monkeypatch.setattr(providers, "_get_local_constants", Constants)
    monkeypatch.setattr(providers, "CONSTANTS_CACHE", LRUCache(1024))
    usual = settings.get_current_profile_name()
    settings.load_profile("default")
    yield
    settings.load_profile(usual)


@pytest.mark.usefixtures("draws_of_the_seed")
async def test_every_operation_answers_as_documented_and_never_with_a_defect(
    tmp_path: Path,
) -> None:
    """On one store: what differs between the two stands below the routes."""
    pdf = write_pdf(tmp_path / "tea.pdf", [[TEA], ["Black tea takes four."]]).read_bytes()
    async with (
        open_database(None, tmp_path) as database,
        serving(database, MostlyRefusing(LINES)) as served,
    ):
        async with await served.client() as client:
            await upload(client, {"tea.pdf": pdf, "김치.md": KIMCHI})
        _, key = await served.keys.make("acme", "fuzz", SCOPES, None)
        # Else Hypothesis spends half of the time on a search for more answers of 200.
        with mock.patch.object(metrics, "maximize"):
            async with asyncio.timeout(TIMEOUT_S):
                found = await asyncio.to_thread(fuzz, served.url, key)
    assert not found.failures, "\n\n".join(found.failures)
    assert found.checks >= CHECKS
    assert min(found.cases.values()) > 0, found.cases
    assert found.cases.total() >= LEAST_CASES, found.cases
