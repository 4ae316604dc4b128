"""However a task is cancelled, the real server does not write it to its end.

How soon it stops is measured, not tested: `make bench-cancels`.
"""

import pytest

from evals.load.cancels import WAYS, Way, ctrl_c, deadline, served
from serving.engine.state import EngineState
from serving.settings import Settings
from tests.engine.metrics import finished, nothing_is_generated

pytestmark = pytest.mark.engine

TIMES = 2


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
async def test_a_cancel_breaks_the_call_off(
    way: Way, engine: EngineState, settings: Settings
) -> None:
    before = finished(engine.root_url)
    for _ in range(TIMES):
        await way(settings, engine.root_url)
    await nothing_is_generated(engine.root_url)
    assert finished(engine.root_url) == before
    if way is ctrl_c:
        return  # the command's tasks are not the service's
    async with served(settings) as (client, _):
        (last,) = (await client.get("/v1/tasks", params={"limit": 1})).json()["tasks"]
        task = (await client.get(f"/v1/tasks/{last['id']}")).json()
    (call,) = task["usage"]["calls"]
    # At its deadline a task ends by itself, in quotes.
    assert call["outcome"] == ("failed" if way is deadline else "cancelled")
    assert (task["status"] == "cancelled") == (way is not deadline)
