"""The public keys that tokens are verified with: a file, or a JWKS that is fetched and kept.

Where keys come from is the owner's setting alone; a token that names a place (`jku`, `x5u`) or
brings a key (`jwk`, `x5c`) is not listened to.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt import PyJWK, PyJWKSet
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.exceptions import PyJWTError

from graph.errors import ConfigError, IdentityUnavailable

FETCH_TIMEOUT_S = 3.0
MAX_JWKS_BYTES = 256 * 1024
FRESH_S = 300.0
"""Keys are fetched anew after this time, and for a key id that is not among them."""

ASK_AGAIN_S = 10.0
"""Between two attempts: forged key ids make no storm of them."""

KEEP_S = 3_600.0
"""How long known keys hold while the server of the keys is away."""

logger = logging.getLogger(__name__)


class TokenKeys(Protocol):
    async def find(self, key_id: str | None, algorithm: str) -> PyJWK | None:
        """None where there is no such key. Raises `IdentityUnavailable` where that cannot be
        known."""
        ...


class PemKey:
    """One key, whatever key id a token has."""

    def __init__(self, path: Path, algorithms: Sequence[str]) -> None:
        """Raises `ConfigError`."""
        jwk = _jwk(path)
        self._by_algorithm = {
            algorithm: key
            for algorithm in algorithms
            if (key := _usable(jwk, algorithm)) is not None
        }
        if not self._by_algorithm:
            raise ConfigError(
                f"the key in {path} (KA_JWT_PUBLIC_KEY_FILE) is of a kind, or too short, for "
                f"{', '.join(algorithms)} (KA_JWT_ALGORITHMS)"
            )

    async def find(self, key_id: str | None, algorithm: str) -> PyJWK | None:
        return self._by_algorithm.get(algorithm)


class JwksKeys:
    """`clock` gives seconds that never run backwards. Redirects are not followed."""

    def __init__(
        self, url: str, http: httpx.AsyncClient, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = url
        self._http = http
        self._clock = clock
        self._keys: Mapping[str, PyJWK] = {}
        self._asked_s: float | None = None
        self._fetched_s: float | None = None
        self._away = True
        self._fetching = asyncio.Lock()

    async def find(self, key_id: str | None, algorithm: str) -> PyJWK | None:
        key = self._known(key_id)
        if key is None or (self._age_s > FRESH_S and not self._fetching.locked()):
            async with self._fetching:
                if self._asked_s is None or self._clock() - self._asked_s >= ASK_AGAIN_S:
                    await self._fetch()
            key = self._known(key_id)
        if key is None and self._away:
            raise IdentityUnavailable(
                "the server of the keys that tokens are verified with does not answer "
                "(KA_JWT_JWKS_URL); send the request again in a moment"
            )
        return key

    def _known(self, key_id: str | None) -> PyJWK | None:
        return self._keys.get(key_id) if key_id and self._age_s <= KEEP_S else None

    @property
    def _age_s(self) -> float:
        return float("inf") if self._fetched_s is None else self._clock() - self._fetched_s

    async def _fetch(self) -> None:
        self._asked_s = self._clock()
        self._away = True  # until it has answered; a cancel leaves it so
        try:
            async with asyncio.timeout(FETCH_TIMEOUT_S):
                found = PyJWKSet.from_dict(await self._document()).keys
        except (httpx.HTTPError, TimeoutError, PyJWTError, ValueError, RecursionError) as error:
            logger.warning("no keys of tokens from %s: %s", self._url, type(error).__name__)
            return
        self._keys = {
            key.key_id: key
            for key in found
            if key.key_id and key.key_type != "oct" and key.public_key_use in ("sig", None)
        }
        self._fetched_s, self._away = self._clock(), False

    async def _document(self) -> dict[str, Any]:
        """As it is sent, never unpacked, so that its size is bounded. Raises `ValueError`."""
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        content = bytearray()
        async with self._http.stream(
            "GET", self._url, headers=headers, follow_redirects=False
        ) as response:
            if response.status_code != httpx.codes.OK:
                raise ValueError(f"status {response.status_code}")
            async for piece in response.aiter_raw():
                content += piece
                if len(content) > MAX_JWKS_BYTES:
                    raise ValueError("too large")
        document = json.loads(content)
        if not isinstance(document, dict):
            raise ValueError("not an object")
        return document


def _jwk(path: Path) -> dict[str, Any]:
    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"the key {path} (KA_JWT_PUBLIC_KEY_FILE) cannot be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise ConfigError(
            f"{path} (KA_JWT_PUBLIC_KEY_FILE) holds no public key in PEM; of a certificate: "
            "openssl x509 -pubkey -noout"
        ) from error
    match key:
        case RSAPublicKey():
            return RSAAlgorithm.to_jwk(key, as_dict=True)
        case EllipticCurvePublicKey():
            return ECAlgorithm.to_jwk(key, as_dict=True)
        case Ed25519PublicKey():
            return OKPAlgorithm.to_jwk(key, as_dict=True)
    raise ConfigError(
        f"{path} (KA_JWT_PUBLIC_KEY_FILE): use a key of RSA, an elliptic curve or EdDSA"
    )


def _usable(jwk: dict[str, Any], algorithm: str) -> PyJWK | None:
    try:
        key = PyJWK(jwk, algorithm)
        key.Algorithm.prepare_key(key.key)
    except (PyJWTError, TypeError, ValueError):  # another kind of key, or another curve
        return None
    return None if key.Algorithm.check_key_length(key.key) else key
