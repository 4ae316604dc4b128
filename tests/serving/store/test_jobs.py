from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.jobs import KEPT, MAX_ATTEMPTS, JobStore
from serving.store.quotas import QuotaStore
from serving.store.tenants import TenantStore


async def instance(
    database: Database, tenants: TenantStore, quotas: QuotaStore, name: str
) -> JobStore:
    for tenant in ("acme", "umbrella"):
        await tenants.add(tenant)
    found = InstanceStore(database, quotas, name)
    await found.begin()
    return JobStore(database, found.id)


async def test_of_one_tenant_one_job_runs_and_one_waits(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    here = await instance(database, tenants, quotas, "here")
    there = await instance(database, tenants, quotas, "there")
    first = await here.add("acme")
    assert (await there.add("acme")).id == first.id
    running = await there.claim()
    assert running is not None
    assert (running.id, running.status) == (first.id, "running")
    second = await here.add("acme")
    assert second.id != first.id
    assert await here.claim() is None
    other = await here.add("umbrella")
    claimed = await here.claim()
    assert claimed is not None
    assert claimed.id == other.id
    await there.end(running, "done", {"files": []})
    claimed = await here.claim()
    assert claimed is not None
    assert claimed.id == second.id


async def test_what_a_dead_instance_ran_is_interrupted_and_taken_up_a_few_times(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    jobs = await instance(database, tenants, quotas, "here")
    await jobs.add("acme")
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claimed = await jobs.claim()
        assert claimed is not None
        assert claimed.attempt == attempt
        jobs = await instance(database, tenants, quotas, "here")  # started again
        await jobs.end_orphans()
        left = await jobs.find("acme", claimed.id)
        assert left is not None
        assert left.status == "interrupted"
    assert await jobs.claim() is None
    assert (await jobs.add("acme")).attempt == 1


async def test_the_end_of_a_job_is_final(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    jobs = await instance(database, tenants, quotas, "here")
    await jobs.add("acme")
    job = await jobs.claim()
    assert job is not None
    await jobs.end(job, "done", {"files": []})
    await jobs.tell(job.id, {"phase": "read", "done": 1, "total": 2})
    await jobs.end(job, "failed", {})
    await jobs.hand_over(job)
    found = await jobs.find("acme", job.id)
    assert found is not None
    assert (found.status, found.progress) == ("done", None)
    assert await jobs.find("umbrella", job.id) is None
    assert await jobs.current("acme") is None


async def test_old_jobs_are_forgotten(
    database: Database, tenants: TenantStore, quotas: QuotaStore
) -> None:
    jobs = await instance(database, tenants, quotas, "here")
    for _ in range(KEPT + 3):
        await jobs.add("acme")
        job = await jobs.claim()
        assert job is not None
        await jobs.end(job, "done", {})
    assert len(await jobs.newest("acme", KEPT + 10)) == KEPT
