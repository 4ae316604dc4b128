"""Who asks: every request ends in one tenant, or in 401 or 403."""

import time
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from graph.errors import Forbidden, Unauthenticated
from serving.api.rates import HEADERS, RateLimits
from serving.store.keys import PREFIX, SCOPES, KeyStore, Scope
from serving.telemetry.context import act_as

bearer = HTTPBearer(
    auto_error=False,
    description="An API key, made with `knowledge-agent keys make`, or a token (JWT) of the "
    "service's identity provider.",
)


@dataclass(frozen=True, slots=True)
class Principal:
    """`subject` names the key, or whom a token is about, in the audit log; never a secret."""

    tenant: str
    subject: str
    scopes: frozenset[Scope]


class Identity(Protocol):
    async def principal(self, credential: str | None) -> Principal:
        """Raises `Unauthenticated` and `Forbidden`."""
        ...


class KeyIdentity:
    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def principal(self, credential: str | None) -> Principal:
        key = await self._keys.find(credential) if credential else None
        if key is None or not key.holds(time.time()):
            raise Unauthenticated(
                "send an API key or a token that holds, as Authorization: Bearer KEY; "
                "an owner makes a key with: knowledge-agent keys make"
            )
        return Principal(key.tenant, f"key:{key.id}", frozenset(key.scopes))


class KeyOrTokenIdentity:
    def __init__(self, keys: Identity, tokens: Identity) -> None:
        self._keys = keys
        self._tokens = tokens

    async def principal(self, credential: str | None) -> Principal:
        is_token = credential and not credential.startswith(f"{PREFIX}_")
        return await (self._tokens if is_token else self._keys).principal(credential)


class NoIdentity:
    """For development on one machine: everybody is this tenant and may do everything."""

    def __init__(self, tenant: str) -> None:
        self._principal = Principal(tenant, "anyone", frozenset(SCOPES))

    async def principal(self, credential: str | None) -> Principal:
        return self._principal


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


async def _principal(request: Request, credentials: Credentials) -> Principal:
    service = request.app.state.service
    identity: Identity = service.identity
    principal = await identity.principal(credentials.credentials if credentials else None)
    act_as(principal.subject, principal.tenant)
    rates: RateLimits = service.rates
    counted = await rates.count(principal.tenant)
    if counted is not None:
        setattr(request.state, HEADERS, counted.headers)
        counted.check()
    return principal


Known = Annotated[Principal, Depends(_principal)]


class _Allowed:
    """With one of the scopes."""

    def __init__(self, *scopes: Scope) -> None:
        self._scopes = scopes

    def __call__(self, principal: Known) -> Principal:
        if principal.scopes.isdisjoint(self._scopes):
            needed = " or ".join(map(repr, self._scopes))
            raise Forbidden(f"this key or token has not the scope {needed}")
        return principal


MayAsk = Annotated[Principal, Depends(_Allowed("ask"))]
MayReadAudit = Annotated[Principal, Depends(_Allowed("audit"))]
MayReadUsage = Annotated[Principal, Depends(_Allowed("usage"))]
MayChangeDocuments = Annotated[Principal, Depends(_Allowed("documents"))]
MayReadDocuments = Annotated[Principal, Depends(_Allowed("ask", "documents"))]
