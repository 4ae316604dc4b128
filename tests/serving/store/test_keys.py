import time

import pytest

from graph.errors import InputError, NotFound
from serving.store.keys import KeyStore, Scope
from serving.store.tenants import TenantStore


async def test_a_key_is_found_by_its_text_alone(keys: KeyStore) -> None:
    made, text = await keys.make("acme", "ci", ["ask", "usage"], None)
    assert await keys.find(text) == made
    assert (made.tenant, made.scopes) == ("acme", ("ask", "usage"))
    for wrong in (
        "",
        "ka_",
        text[:-1],
        text + "x",
        text.replace("ka_", "kb_"),
        "ka_000000000000_x",
    ):
        assert await keys.find(wrong) is None, wrong


async def test_the_secret_is_not_in_the_database(keys: KeyStore) -> None:
    made, text = await keys.make("acme", "ci", ["ask"], None)
    assert text.split("_", 2)[2] not in repr(await keys.known())
    assert [key.id for key in await keys.known("acme")] == [made.id]
    assert await keys.known("umbrella") == []


@pytest.mark.parametrize(("expires_in_s", "holds"), [(None, True), (60, True), (-1, False)])
async def test_a_key_holds_until_it_expires(
    keys: KeyStore, expires_in_s: float | None, holds: bool
) -> None:
    now = time.time()
    expires_s = None if expires_in_s is None else now + expires_in_s
    key, _ = await keys.make("acme", "ci", ["ask"], expires_s)
    assert key.holds(now) is holds


async def test_a_revoked_key_stays_revoked(keys: KeyStore) -> None:
    made, text = await keys.make("acme", "ci", ["ask"], None)
    first = await keys.revoke(made.id)
    assert (await keys.revoke(made.id)).revoked_s == first.revoked_s
    found = await keys.find(text)
    assert found is not None
    assert not found.holds(time.time())
    with pytest.raises(NotFound, match="keys list"):
        await keys.revoke("000000000000")


async def test_the_first_key_of_a_tenant_makes_the_tenant(
    keys: KeyStore, tenants: TenantStore
) -> None:
    assert await tenants.allowance("acme") is None
    await keys.make("acme", "one", ["ask"], None)
    await keys.make("acme", "two", ["ask"], None)
    assert [name for name, _ in await tenants.known()] == ["acme"]


@pytest.mark.parametrize(
    ("name", "scopes", "message"),
    [("none", [], "needs a scope"), ("가" * 101, ["ask"], "101 characters")],
)
async def test_a_key_that_would_be_none_is_not_made(
    keys: KeyStore, name: str, scopes: list[Scope], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        await keys.make("acme", name, scopes, None)
    assert await keys.known() == []
