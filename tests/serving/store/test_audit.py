"""The audit log is written with the change that it tells of, and never changed itself."""

from typing import Any

import pytest
from sqlalchemy import delete, text, update
from sqlalchemy.exc import DBAPIError

from graph.errors import NotFound, StoreUnavailable
from serving.store import audit as audit_module
from serving.store.audit import MAX_LISTED, MAX_TEXT_CHARS, AuditStore, record
from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.keys import KeyStore
from serving.store.quotas import QuotaStore
from serving.store.tables import ID_CHARS, audit
from serving.store.tasks import TaskStore
from serving.store.tenants import Allowance, TenantStore
from serving.telemetry.context import act_as

TASK = "a" * ID_CHARS
ASKED = {"question": "휴가는 며칠인가요?", "mode": "auto"}
RESULT: dict[str, Any] = {
    "outcome": {
        "text": "14일 [1]",
        "citations": [{"number": 1, "document": "휴가.pdf", "page": 3, "title": "휴가"}],
    }
}


@pytest.fixture
def log(database: Database) -> AuditStore:
    return AuditStore(database)


async def test_a_task_tells_who_asked_and_which_pages_were_cited(
    database: Database, quotas: QuotaStore, tenants: TenantStore, log: AuditStore
) -> None:
    await tenants.add("acme")
    act_as("key:1", "acme")
    tasks = TaskStore(database, quotas, "host-a")
    await tasks.begin(TASK, "acme", ASKED, attached=True, idempotency_key=None, tokens=1)
    for _ in range(2):  # an end is final, and told once
        await tasks.end(TASK, "answered", RESULT)
    ended, begun = await log.page(limit=9)
    assert (begun.action, ended.action) == ("task.begun", "task.ended")
    assert {(one.subject, one.tenant, one.object_id) for one in (begun, ended)} == {
        ("key:1", "acme", TASK)
    }
    assert begun.details == {"mode": "auto"}
    assert ended.details["status"] == "answered"
    assert ended.details["cited"] == [{"document": "휴가.pdf", "page": 3}]


@pytest.mark.parametrize("kept", [False, True])
async def test_the_question_is_kept_only_when_turned_on(
    database: Database, quotas: QuotaStore, tenants: TenantStore, log: AuditStore, kept: bool
) -> None:
    await tenants.add("acme")
    tasks = TaskStore(database, quotas, "host-a", audits_questions=kept)
    await tasks.begin(TASK, "acme", ASKED, attached=True, idempotency_key=None, tokens=1)
    (begun,) = await log.page(limit=9)
    assert begun.details.get("question") == (ASKED["question"] if kept else None)


async def test_a_task_that_its_process_left_is_told_as_interrupted(
    database: Database, quotas: QuotaStore, tenants: TenantStore, log: AuditStore
) -> None:
    await tenants.add("acme")
    dead = TaskStore(database, quotas, "b" * ID_CHARS)
    await dead.begin(TASK, "acme", ASKED, attached=True, idempotency_key=None, tokens=1)
    await InstanceStore(database, quotas, "host-a").begin()
    last, _ = await log.page(limit=9)
    assert (last.action, last.object_id) == ("task.ended", TASK)
    assert last.details == {"status": "interrupted"}


async def test_keys_and_limits_tell_who_changed_them(
    keys: KeyStore, tenants: TenantStore, log: AuditStore
) -> None:
    act_as("cli:kim")
    key, text_of_key = await keys.make("acme", "빌드", ["ask"], None)
    for _ in range(2):  # the second time changes nothing
        await keys.revoke(key.id)
    await tenants.allow("acme", Allowance(tokens_per_day=5))
    with pytest.raises(NotFound):
        await tenants.allow("nobody", Allowance())
    found = await log.page(limit=9)
    assert [(one.action, one.object_id) for one in found] == [
        ("tenant.limits", "acme"),
        ("key.revoked", key.id),
        ("key.made", key.id),
    ]
    assert {one.subject for one in found} == {"cli:kim"}
    assert found[0].details["tokens_per_day"] == 5
    assert found[2].details == {"name": "빌드", "scopes": ["ask"], "expires_s": None}
    assert text_of_key.split("_", 2)[2] not in repr(found)


async def test_a_change_that_cannot_be_told_is_not_made(
    keys: KeyStore, log: AuditStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreUnavailable("full")

    with monkeypatch.context() as broken:
        broken.setattr(audit_module, "record", fail)
        with pytest.raises(StoreUnavailable):
            await keys.make("acme", "", ["ask"], None)
    assert await keys.known() == []
    assert await log.page(limit=9) == []


async def test_a_change_that_is_undone_is_not_told(database: Database, log: AuditStore) -> None:
    async def undone() -> None:
        async with database.transaction() as connection:
            await record(connection, "acme", "thread.deleted", "t")
            raise ValueError("not after all")

    with pytest.raises(ValueError, match="after all"):
        await undone()
    assert await log.page(limit=9) == []


async def test_the_database_itself_changes_and_deletes_nothing(
    database: Database, log: AuditStore
) -> None:
    async with database.transaction() as connection:
        await record(connection, "acme", "thread.deleted", "t")
    before = await log.page(limit=9)
    assert len(before) == 1
    sqlite_alone = text("INSERT OR REPLACE INTO ka_audit SELECT * FROM ka_audit")
    postgresql_alone = text("TRUNCATE ka_audit")
    of_its_own = postgresql_alone if database.is_postgresql else sqlite_alone
    for change in (update(audit).values(subject="nobody"), delete(audit), of_its_own):
        with pytest.raises(DBAPIError, match="ka_audit is append-only"):
            async with database.transaction() as connection:
                await connection.execute(change)
        assert await log.page(limit=9) == before


async def test_pages_go_back_in_time_and_are_filtered(log: AuditStore) -> None:
    for number in range(5):
        await log.add("acme", "document.uploaded", f"{number}", {"name": "휴가.pdf"})
    await log.add("umbrella", "document.deleted", "5")
    newest = await log.page(limit=3, tenant="acme")
    assert [one.object_id for one in newest] == ["4", "3", "2"]
    assert newest[0].details == {"name": "휴가.pdf"}
    older = await log.page(limit=3, tenant="acme", before=newest[-1].id)
    assert [one.object_id for one in older] == ["1", "0"]
    assert [one.tenant for one in await log.page(limit=9, action="document.deleted")] == [
        "umbrella"
    ]
    first_s = older[-1].at_s
    assert len(await log.page(limit=9, since_s=first_s)) == 6
    assert await log.page(limit=9, until_s=first_s) == []


async def test_details_have_a_bound(database: Database, log: AuditStore) -> None:
    long = {"name": "긴" * 5_000, "cited": [{"document": "x" * 5_000}] * 200, "n": 1}
    async with database.transaction() as connection:
        await record(connection, "acme", "document.uploaded", "d" * 999, long)
    (found,) = await log.page(limit=9)
    assert found.details["name"] == "긴" * MAX_TEXT_CHARS
    assert found.details["cited"] == [{"document": "x" * MAX_TEXT_CHARS}] * MAX_LISTED
    assert found.details["n"] == 1
    assert found.object_id == "d" * 255
