"""What is billed of a process that was killed while its calls ran."""

from graph.answer import CallRecord
from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.quotas import QuotaStore
from serving.store.tasks import TaskStore
from serving.store.tenants import TenantStore
from tests.serving.store.test_tasks import begun


def call(call_id: str, output: int) -> CallRecord:
    return CallRecord(
        id=call_id,
        node="answer",
        prompt_tokens=20,
        cached_tokens=10,
        output_tokens=output,
        seconds=0.1,
        outcome="cancelled",
    )


async def test_what_was_noted_of_running_calls_is_booked_once(
    database: Database, quotas: QuotaStore, tasks: TaskStore, tenants: TenantStore
) -> None:
    await tenants.add("acme")
    task_id = await begun(tasks, 1)
    await quotas.settle(task_id, call("ended", 5))
    await quotas.note({task_id: [call("ended", 3), call("running", 7)]})
    await InstanceStore(database, quotas, "host-a").begin()
    day, _ = await quotas.standing("acme")
    assert (day.used, day.reserved) == (20 + 5 + 20 + 7, 0)
    found = await tasks.find("acme", task_id)
    assert found is not None
    assert found.status == "interrupted"
    assert found.result is not None
    assert found.result["usage"]["output_tokens"] == 5 + 7
