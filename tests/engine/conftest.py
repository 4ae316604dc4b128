"""One real model server for the session, and an index of five documents of the handbook."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge.ingest import ingest
from serving.cli.engine import chosen_profile
from serving.engine import launch
from serving.engine.state import EngineState, read_state
from serving.settings import Settings, load_settings
from serving.wiring.documents import embedder, index_address

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
DOCUMENTS = ("09", "12", "14", "15", "16")  # the last two are in Korean


@pytest.fixture(scope="session")
def engine() -> Iterator[EngineState]:
    """The engine of this checkout; stopped afterwards unless it was up before."""
    settings = load_settings()
    was_ready = launch.status(settings).status == "ready"
    yield launch.up(settings, chosen_profile(settings, None), print)
    if not was_ready:
        launch.down(settings)


@pytest.fixture(scope="session")
def settings(engine: EngineState, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a tenant of its own, its documents ingested, the engine named by its address."""
    folder = tmp_path_factory.mktemp("documents")
    for path in HANDBOOK.glob("*.pdf"):
        if path.name.startswith(DOCUMENTS):
            shutil.copy(path, folder)
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "engine_url": engine.base_url})
    assert read_state(settings.engine_dir) is None
    report = ingest(folder, index_address(settings), embedder(settings))
    assert report.complete
    return settings
