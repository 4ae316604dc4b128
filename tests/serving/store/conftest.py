"""Stores of one instance, with two tenants."""

import pytest

from serving.store.database import Database
from serving.store.instances import InstanceStore
from serving.store.quotas import QuotaStore
from serving.store.reviews import ReviewStore
from serving.store.tasks import TaskStore
from serving.store.tenants import TenantStore
from serving.store.threads import ThreadStore


@pytest.fixture
async def instance(database: Database, tenants: TenantStore, quotas: QuotaStore) -> InstanceStore:
    for tenant in ("acme", "umbrella"):
        await tenants.add(tenant)
    found = InstanceStore(database, quotas, "host-a")
    await found.begin()
    return found


@pytest.fixture
def tasks(database: Database, quotas: QuotaStore, instance: InstanceStore) -> TaskStore:
    return TaskStore(database, quotas, instance.id)


@pytest.fixture
def reviews(database: Database, quotas: QuotaStore, instance: InstanceStore) -> ReviewStore:
    return ReviewStore(database, quotas, instance.id)


@pytest.fixture
def threads(database: Database, instance: InstanceStore) -> ThreadStore:
    return ThreadStore(database)
