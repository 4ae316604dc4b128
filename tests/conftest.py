"""Fixtures that several packages' tests share."""

import os
from collections.abc import Iterator

import hypothesis
import pytest

from serving.settings import Settings
from serving.telemetry.context import forget
from tests.stub_engine import StubEngine

# A machine that is busy makes no test wrong.
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2_000)
hypothesis.settings.load_profile("project")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Settings of the person who runs the tests must not change them, nor who acted in the test
    before."""
    forget()
    if request.node.get_closest_marker("engine"):
        return
    for name in list(os.environ):
        if name.startswith(("KA_", "LANGSMITH_", "LANGCHAIN_", "OTEL_")) and name != "KA_TEST_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.fixture
def stub_engine() -> Iterator[StubEngine]:
    engine = StubEngine()
    engine.start()
    yield engine
    engine.stop()
