import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from serving.cli.app import app
from serving.store.database import open_database
from serving.store.tenants import TenantStore


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    async def make() -> None:
        async with open_database(None, tmp_path) as database:
            await TenantStore(database).add("acme")

    asyncio.run(make())
    monkeypatch.setenv("KA_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("home")
def test_a_priority_is_set_kept_beside_other_limits_and_forgotten() -> None:
    for arguments, priority, tasks in [
        (["--priority", "high"], "high", None),
        (["--concurrent-tasks", "5"], "high", 5),
        (["--default", "--concurrent-tasks", "7"], None, 7),
    ]:
        assert CliRunner().invoke(app, ["tenants", "set", "acme", *arguments]).exit_code == 0
        (listed,) = json.loads(CliRunner().invoke(app, ["tenants", "list", "--json"]).stdout)
        assert (listed["priority"], listed["concurrent_tasks"]) == (priority, tasks)


@pytest.mark.usefixtures("home")
def test_a_priority_that_is_none_is_refused_with_those_there_are() -> None:
    result = CliRunner().invoke(app, ["tenants", "set", "acme", "--priority", "urgent"])
    assert result.exit_code == 1
    assert "high, normal, low" in str(result.exception)
