"""Tokens (JWT) of the owner's own identity provider: who they name, or 401 or 403."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import jwt

from graph.errors import ConfigError, Forbidden, InputError, Unauthenticated
from knowledge.tenant import check_tenant
from serving.api.identity import Principal
from serving.api.token_keys import FETCH_TIMEOUT_S, JwksKeys, PemKey, TokenKeys
from serving.proxy import uses_proxy
from serving.settings import Settings
from serving.store.keys import SCOPES, Scope
from serving.store.tenants import TenantStore

MAX_TOKEN_CHARS = 16_384
MAX_SUBJECT_CHARS = 255  # OpenID Connect's bound
REQUIRED = ["exp", "iss", "aud", "sub"]

WHY_NOT: Mapping[type[Exception], str] = {
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it does not hold yet",
    jwt.InvalidAudienceError: "it is for another audience",
    jwt.InvalidIssuerError: "another issuer made it",
    jwt.InvalidAlgorithmError: "it is signed with an algorithm that is not allowed here",
    jwt.InvalidSignatureError: "its signature is wrong",
    jwt.MissingRequiredClaimError: f"it needs the claims {', '.join(REQUIRED)}",
}


class TokenIdentity:
    """No text of a token, and no exception that holds one, leaves this class."""

    def __init__(
        self,
        keys: TokenKeys,
        tenants: TenantStore,
        *,
        issuer: str,
        audience: str,
        algorithms: Sequence[str],
        tenant_claim: str,
        leeway_s: float,
    ) -> None:
        self._keys = keys
        self._tenants = tenants
        self._issuer = issuer
        self._audience = audience
        self._algorithms = list(algorithms)
        self._tenant_claim = tenant_claim
        self._leeway_s = leeway_s
        self._decoder = jwt.PyJWT({"require": REQUIRED, "enforce_minimum_key_length": True})

    async def principal(self, credential: str | None) -> Principal:
        if not credential or len(credential) > MAX_TOKEN_CHARS:
            raise _refused(f"a token has 1 to {MAX_TOKEN_CHARS:,} characters")
        claims = await self._claims(credential)
        subject, tenant = claims["sub"], claims.get(self._tenant_claim)
        if len(subject) > MAX_SUBJECT_CHARS or not subject.isprintable():
            raise _refused(f"its `sub` is not up to {MAX_SUBJECT_CHARS} printable characters")
        if not isinstance(tenant, str):
            raise _refused(f"its claim `{self._tenant_claim}` does not name a tenant")
        if not await self._is_known(tenant):
            raise Forbidden(
                "this token's tenant is none of this service; its owner makes it with its first "
                "key: knowledge-agent keys make"
            )
        return Principal(tenant, f"jwt:{subject}", _scopes(claims))

    async def _claims(self, token: str) -> Mapping[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if algorithm not in self._algorithms:
                raise jwt.InvalidAlgorithmError
            key = await self._keys.find(header.get("kid"), algorithm)
            if key is None:
                raise _refused("no key of its issuer has its `kid`")
            return self._decoder.decode(
                token,
                key,
                algorithms=self._algorithms,
                issuer=self._issuer,
                audience=self._audience,
                leeway=self._leeway_s,
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            why = WHY_NOT.get(type(error), "it is no signed token")
        raise _refused(why)  # outside of the handler: the error's own context may hold the token

    async def _is_known(self, tenant: str) -> bool:
        try:
            check_tenant(tenant)
        except InputError:
            return False
        return await self._tenants.allowance(tenant) is not None


def _refused(why: str) -> Unauthenticated:
    return Unauthenticated(f"this token does not hold: {why}; get a new one from its issuer")


def _scopes(claims: Mapping[str, Any]) -> frozenset[Scope]:
    """`scope` in words (RFC 9068), or `scp` as words or a list; others than ours are left out."""
    given = claims.get("scope", claims.get("scp"))
    words = given.split() if isinstance(given, str) else given
    return frozenset(scope for scope in SCOPES if isinstance(words, list) and scope in words)


@asynccontextmanager
async def token_identity(
    settings: Settings, tenants: TenantStore
) -> AsyncIterator[TokenIdentity | None]:
    """None where nothing is set. Raises `ConfigError` where something is missing."""
    url, path = settings.jwt_jwks_url, settings.jwt_public_key_file
    issuer, audience = settings.jwt_issuer, settings.jwt_audience
    if not (url or path or issuer or audience):
        yield None
        return
    if issuer is None or audience is None or (url and path) or not (url or path):
        raise ConfigError(
            "tokens need KA_JWT_ISSUER, KA_JWT_AUDIENCE, and one of KA_JWT_JWKS_URL and "
            "KA_JWT_PUBLIC_KEY_FILE; set them all, or none to take API keys alone"
        )
    async with httpx.AsyncClient(
        timeout=FETCH_TIMEOUT_S, trust_env=url is not None and uses_proxy(url)
    ) as http:
        yield TokenIdentity(
            PemKey(path, settings.jwt_algorithms) if path else JwksKeys(str(url), http),
            tenants,
            issuer=issuer,
            audience=audience,
            algorithms=settings.jwt_algorithms,
            tenant_claim=settings.jwt_tenant_claim,
            leeway_s=settings.jwt_leeway_s,
        )
