"""What a call carries of its tenant to the model server."""

from typing import Any

import pytest

from graph.ports import Account, Limits, Message, ModelRequest
from serving.gateway.ledger import MemoryLedger
from serving.gateway.model import GatewayModel
from serving.gateway.quota_ledger import QuotaLedger
from serving.gateway.server import ModelServer
from serving.gateway.tenancy import CacheSalts, Tenancy
from serving.store.database import Database
from serving.store.quotas import QuotaStore
from serving.store.secrets import SecretStore
from tests.stub_engine import StubEngine

SALTS = CacheSalts(b"secret")


async def body(
    engine: StubEngine,
    tenant: str,
    *,
    ledger: MemoryLedger | None = None,
    choices: tuple[str, ...] = (),
    priorities: bool = False,
) -> dict[str, Any]:
    """Of one call, as the server got it."""
    server = ModelServer(engine.url, None, None)
    tenancy = Tenancy(SALTS, priorities)
    gateway = GatewayModel(server, ledger or MemoryLedger(), None, tenancy=tenancy)
    charged_to = Account("task", "run", Limits(), tenant)
    asked = [Message("user", "캐시는 무엇인가?")]
    try:
        await gateway.complete(ModelRequest(asked, charged_to, "answer", 64, choices=choices))
    finally:
        await gateway.aclose()
    return engine.requests[-1]


@pytest.mark.parametrize("choices", [(), ("Yes", "No")])
async def test_tenants_never_share_a_prefix_in_the_engines_cache(
    stub_engine: StubEngine, choices: tuple[str, ...]
) -> None:
    acme, again, umbrella = [
        (await body(stub_engine, tenant, choices=choices))["cache_salt"]
        for tenant in ("acme", "acme", "umbrella")
    ]
    assert acme == again != umbrella
    assert len(acme) == 43
    assert CacheSalts(b"another secret").of("acme") != acme == SALTS.of("acme")


async def test_a_call_outside_the_service_has_no_salt(stub_engine: StubEngine) -> None:
    assert "cache_salt" not in await body(stub_engine, "")


async def test_other_servers_get_no_field_that_they_do_not_know(stub_engine: StubEngine) -> None:
    stub_engine.owned_by = "somebody"
    sent = await body(stub_engine, "acme", priorities=True)
    assert not {"cache_salt", "priority"} & sent.keys()


@pytest.mark.parametrize(
    ("priorities", "priority", "sent"), [(True, -1, -1), (True, 0, None), (False, -1, None)]
)
async def test_a_priority_reaches_an_engine_that_schedules_by_it(
    stub_engine: StubEngine, quotas: QuotaStore, priorities: bool, priority: int, sent: int | None
) -> None:
    ledger = QuotaLedger(quotas)
    ledger.begin("task", 10_000, priority)
    call = await body(stub_engine, "acme", ledger=ledger, priorities=priorities)
    assert call.get("priority") == sent


async def test_a_secret_is_made_once_and_lasts(database: Database) -> None:
    first = await SecretStore(database).get("cache_salt")
    assert len(first) == 32
    assert await SecretStore(database).get("cache_salt") == first
    assert await SecretStore(database).get("another") != first
