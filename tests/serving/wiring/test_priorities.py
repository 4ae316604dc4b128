from datetime import UTC, datetime
from pathlib import Path

import pytest

from serving.engine.state import EngineState, write_state
from serving.settings import Settings
from serving.wiring.model_server import engine_priorities


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({}, True),
        ({"engine_priorities": False}, False),
        ({"engine_url": "http://127.0.0.1:1/v1"}, False),
        ({"engine_url": "http://127.0.0.1:1/v1", "engine_priorities": True}, True),
    ],
)
def test_priorities_are_sent_where_the_engine_is_known_to_schedule_by_them(
    tmp_path: Path, settings: dict[str, object], sent: bool
) -> None:
    assert not engine_priorities(Settings(home=tmp_path))
    found = Settings.model_validate({"home": tmp_path, **settings})
    found.engine_dir.mkdir()
    state = EngineState(
        pid=1,
        created=0,
        host="127.0.0.1",
        port=8100,
        profile="cpu-smollm2",
        model="smollm2",
        started_at=datetime.now(UTC),
    )
    write_state(found.engine_dir, state)
    assert engine_priorities(found) is sent
