"""Keys of tokens that a server gives out: changed, away, forged, too large, and elsewhere."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from graph.errors import IdentityUnavailable
from serving.api.token_keys import ASK_AGAIN_S, FRESH_S, KEEP_S, MAX_JWKS_BYTES, JwksKeys
from tests.serving.api.issuer import Key

URL = "https://login.example.org/keys"
OLD, NEW, ELLIPTIC = Key("old"), Key("new"), Key("ec", "ES256")


class Server:
    """What it answers is set by the test."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now_s = 0.0
        self.status = 200
        self.document: Any = {"keys": [OLD.jwk, ELLIPTIC.jwk]}
        self.headers: dict[str, str] = {}
        self.down = False

    async def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        await asyncio.sleep(0)
        if self.down:
            raise httpx.ConnectError("nobody listens")
        sent = self.document if isinstance(self.document, bytes) else _json(self.document)
        return httpx.Response(self.status, content=_pieces(sent), headers=self.headers)


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    """As they come from a socket."""
    for start in range(0, len(content), 4_096):
        yield content[start : start + 4_096]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def keys(server: Server) -> AsyncIterator[JwksKeys]:
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(server.answer), follow_redirects=True
    ) as http:
        yield JwksKeys(URL, http, clock=lambda: server.now_s)


async def test_keys_are_fetched_once_for_many(server: Server, keys: JwksKeys) -> None:
    found = await asyncio.gather(*(keys.find("old", "RS256") for _ in range(50)))
    assert {key.key_id for key in found if key} == {"old"}
    assert (await keys.find("ec", "ES256")) is not None
    assert server.asked == [URL]


async def test_a_new_key_is_found_and_an_old_one_ends(server: Server, keys: JwksKeys) -> None:
    assert await keys.find("old", "RS256")
    server.document = {"keys": [NEW.jwk]}
    server.now_s = ASK_AGAIN_S
    assert await keys.find("new", "RS256")
    assert await keys.find("old", "RS256") is None
    assert len(server.asked) == 2


async def test_a_key_that_was_taken_back_ends_without_a_new_one(
    server: Server, keys: JwksKeys
) -> None:
    assert await keys.find("old", "RS256")
    server.document = {"keys": [NEW.jwk]}
    server.now_s = FRESH_S + 1
    assert await keys.find("old", "RS256") is None


async def test_forged_key_ids_make_no_storm(server: Server, keys: JwksKeys) -> None:
    for n in range(200):
        server.now_s = n * ASK_AGAIN_S / 100
        assert await keys.find(f"forged {n}", "RS256") is None
    assert len(server.asked) == 2
    assert await keys.find(None, "RS256") is None


async def test_known_keys_hold_for_a_while_when_the_server_is_away(
    server: Server, keys: JwksKeys
) -> None:
    assert await keys.find("old", "RS256")
    server.down = True
    for now_s in (FRESH_S + 1, KEEP_S):
        server.now_s = now_s
        assert await keys.find("old", "RS256")
        with pytest.raises(IdentityUnavailable, match="KA_JWT_JWKS_URL"):
            await keys.find("new", "RS256")
    server.now_s = KEEP_S + 1
    with pytest.raises(IdentityUnavailable):
        await keys.find("old", "RS256")
    server.down, server.now_s = False, KEEP_S + 1 + ASK_AGAIN_S
    assert await keys.find("old", "RS256")


@pytest.mark.parametrize(
    ("status", "document"),
    [
        (500, {}),
        (404, {"keys": [OLD.jwk]}),
        (200, {}),
        (200, []),
        (200, {"keys": []}),
        (200, {"keys": "none"}),
        (200, b"<html>a login page</html>"),
        (200, b"[" * 100_000),
        (200, b" " * (MAX_JWKS_BYTES + 1)),
        (200, {"keys": [{"kty": "RSA", "kid": "old"}]}),
    ],
)
async def test_what_is_no_set_of_keys_is_as_a_server_that_is_away(
    server: Server, keys: JwksKeys, status: int, document: object
) -> None:
    server.status, server.document = status, document
    with pytest.raises(IdentityUnavailable):
        await keys.find("old", "RS256")


async def test_a_redirect_is_not_followed(server: Server, keys: JwksKeys) -> None:
    server.status, server.headers = 302, {"Location": "http://169.254.169.254/keys"}
    with pytest.raises(IdentityUnavailable):
        await keys.find("old", "RS256")
    assert server.asked == [URL]


async def test_keys_that_sign_nothing_are_left_out(server: Server, keys: JwksKeys) -> None:
    secret = {"kty": "oct", "kid": "secret", "k": "c2VjcmV0"}
    server.document = {"keys": [secret, {**NEW.jwk, "use": "enc"}, OLD.jwk]}
    assert await keys.find("old", "RS256")
    assert await keys.find("secret", "HS256") is None
    assert await keys.find("new", "RS256") is None
