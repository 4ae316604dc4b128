"""Tokens at the door of the service: who is let in as whom, and every attack that is told 401."""

import base64
import hashlib
import hmac
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.errors import ConfigError
from serving.api.identity import KeyIdentity, KeyOrTokenIdentity
from serving.api.tokens import token_identity
from serving.settings import Settings
from serving.store.database import Database
from serving.store.keys import KeyStore
from serving.store.tenants import Allowance, TenantStore
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, ScriptedAgents, Served, serving
from tests.serving.api.issuer import AUDIENCE, ISSUER, Key, unsigned

KEY, OTHER = Key("one"), Key("one")
BODY = {"question": EN_QUESTION, "mode": "direct"}


@pytest.fixture
async def served(database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    """It takes tokens that `KEY` has signed; there are the tenants acme and default."""
    pem = tmp_path / "key.pem"
    pem.write_bytes(KEY.pem)
    settings = Settings(jwt_issuer=ISSUER, jwt_audience=AUDIENCE, jwt_public_key_file=pem)
    tenants = TenantStore(database)
    await tenants.add("acme")
    async with token_identity(settings, tenants) as tokens:
        assert tokens is not None
        identity = KeyOrTokenIdentity(KeyIdentity(KeyStore(database, tenants)), tokens)
        agents = ScriptedAgents({"answer": EN_LINE})
        async with serving(database, agents, identity=identity) as found:
            yield found


async def asked(served: Served, token: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers) as client:
        return await client.post("/v1/tasks", json=BODY)


async def test_a_token_and_a_key_end_in_the_same_tenant(served: Served) -> None:
    task = (await asked(served, KEY.token())).json()
    async with await served.client("acme") as client:
        assert (await client.get(f"/v1/tasks/{task['id']}")).json() == task
    principal = await served.service.identity.principal(KEY.token())
    assert principal.subject == "jwt:김 and co"


ALLOWED: list[tuple[dict[str, Any], int]] = [
    ({}, 200),
    ({"scope": None, "scp": ["usage", "ask", 7]}, 200),
    ({"scope": None, "scp": "ask"}, 200),
    ({"scope": "documents usage"}, 403),
    ({"scope": ""}, 403),
    ({"scope": None}, 403),
    ({"scope": {"ask": True}}, 403),
    ({"tenant": "umbrella"}, 403),
    ({"tenant": "../acme"}, 403),
    ({"tenant": "acme\0"}, 403),
    ({"tenant": "x" * 5_000}, 403),
    ({"aud": ["another", AUDIENCE]}, 200),
    ({"exp": -20}, 200),  # within the leeway
    ({"nbf": 20, "iat": 20}, 200),
]


async def test_a_token_opens_what_its_claims_allow(served: Served) -> None:
    for claims, status in ALLOWED:
        response = await asked(served, KEY.token(**claims))
        assert response.status_code == status, (claims, response.text)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"exp": -60}, "expired"),
    ({"exp": None}, "needs the claims exp"),
    ({"exp": "soon"}, "no signed token"),
    ({"exp": float("inf")}, "no signed token"),
    ({"nbf": 120}, "does not hold yet"),
    ({"iat": 120}, "does not hold yet"),
    ({"aud": "another"}, "another audience"),
    ({"aud": None}, "needs the claims"),
    ({"iss": "https://evil.example.org/"}, "another issuer"),
    ({"iss": None}, "needs the claims"),
    ({"sub": None}, "needs the claims"),
    ({"sub": "x" * 256}, "`sub`"),
    ({"sub": "line\nbreak"}, "`sub`"),
    ({"tenant": None}, "`tenant`"),
    ({"tenant": ["acme"]}, "`tenant`"),
    ({"tenant": 7}, "`tenant`"),
]


async def test_a_token_that_does_not_hold_is_told_why(served: Served) -> None:
    for claims, why in REFUSED:
        response = await asked(served, KEY.token(**claims))
        assert response.status_code == 401, claims
        assert why in response.json()["detail"], claims
        assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'


def signed_with_the_public_key() -> str:
    """HS256, with the bytes of the PEM as its secret."""
    text = unsigned({"alg": "HS256", "kid": "one"}).rpartition(".")[0]
    signature = hmac.digest(KEY.pem, text.encode(), hashlib.sha256)
    return f"{text}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


ATTACKS = {
    "alg none": unsigned({"alg": "none"}),
    "alg None": unsigned({"alg": "None", "kid": "one"}),
    "no alg": unsigned({"kid": "one"}),
    "alg of another type": unsigned({"alg": ["RS256"]}),
    "HS256 with the public key": signed_with_the_public_key(),
    "another key": OTHER.token(),
    "another key, brought along": OTHER.token(header={"jwk": OTHER.jwk}),
    "an elliptic key": Key("one", "ES256").token(),
    "unknown critical header": KEY.token(header={"crit": ["x"], "x": 1}),
    "signature cut off": KEY.token().rpartition(".")[0] + ".",
    "claims exchanged": ".".join(
        [
            KEY.token().split(".")[0],
            unsigned({}, tenant="umbrella").split(".")[1],
            KEY.token().split(".")[2],
        ]
    ),
    "garbage": "not.a.token",
    "base64 of nothing": "!!!!.????.====",
    "one word": "x",
    "deep JSON": base64.urlsafe_b64encode(b"[" * 9_000).decode().rstrip("=") + ".e30.e30",
    "long": KEY.token(filler="x" * 20_000),
}


async def test_an_attack_is_told_401_and_nothing_of_it_is_repeated(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for attack, token in ATTACKS.items():
        response = await asked(served, token)
        assert response.status_code == 401, attack
        assert response.json()["type"] == "urn:knowledge-agent:Unauthenticated", attack
        for part in token.split("."):
            if len(part) > 8:
                assert part not in response.text + str(response.headers) + caplog.text, attack
    assert await served.service.tasks.page("acme", limit=1) == []


async def test_a_token_of_100_kb_is_refused(served: Served) -> None:
    response = await asked(served, KEY.token(filler="x" * 75_000))
    assert response.status_code in (400, 401)  # 400 by the server's own bound on headers


async def test_a_tokens_tenant_has_its_limits(served: Served) -> None:
    await served.tenants.allow("acme", Allowance(requests_per_minute=1))
    assert [(await asked(served, KEY.token())).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("settings", [{}, {"jwt_issuer": ""}])
async def test_without_settings_no_token_is_taken(
    database: Database, settings: dict[str, str]
) -> None:
    async with token_identity(Settings.model_validate(settings), TenantStore(database)) as found:
        assert found is None
    async with serving(database, ScriptedAgents({})) as plain:
        assert (await asked(plain, KEY.token())).status_code == 401


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"jwt_issuer": ISSUER}, "KA_JWT_AUDIENCE"),
        ({"jwt_jwks_url": "https://x.org/keys"}, "KA_JWT_ISSUER"),
        ({"jwt_public_key_file": "missing.pem"}, "cannot be read"),
        ({"jwt_public_key_file": "empty.pem"}, "no public key in PEM"),
        ({"jwt_public_key_file": "rsa.pem", "jwt_algorithms": "ES256"}, "too short, for ES256"),
        ({"jwt_public_key_file": "rsa.pem", "jwt_jwks_url": "https://x.org/keys"}, "one of"),
    ],
)
async def test_settings_that_do_not_fit_are_told_at_the_start(
    database: Database, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    (tmp_path / "empty.pem").write_text("")
    (tmp_path / "rsa.pem").write_bytes(KEY.pem)
    if name := settings.get("jwt_public_key_file"):
        settings = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, **settings}
        settings["jwt_public_key_file"] = str(tmp_path / name)
    with pytest.raises(ConfigError, match=message):
        async with token_identity(Settings.model_validate(settings), TenantStore(database)):
            pass
