"""Who asks: every request ends in one tenant, or in 401 or 403."""

import time
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from graph.errors import Forbidden, Unauthenticated
from serving.api.rates import HEADERS, RateLimits
from serving.store.keys import SCOPES, KeyStore, Scope
from serving.telemetry.context import act_as

bearer = HTTPBearer(
    auto_error=False, description="An API key, made with `knowledge-agent keys make`."
)


@dataclass(frozen=True, slots=True)
class Principal:
    """`subject` names the key in the audit log, never its secret."""

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
                "send an API key that holds, as Authorization: Bearer KEY; "
                "an owner makes one with: knowledge-agent keys make"
            )
        return Principal(key.tenant, f"key:{key.id}", frozenset(key.scopes))


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
    setattr(request.state, HEADERS, await rates.admit(principal.tenant))
    return principal


Known = Annotated[Principal, Depends(_principal)]


class _Allowed:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __call__(self, principal: Known) -> Principal:
        if self._scope not in principal.scopes:
            raise Forbidden(f"this key has not the scope {self._scope!r}")
        return principal


MayAsk = Annotated[Principal, Depends(_Allowed("ask"))]
MayReadAudit = Annotated[Principal, Depends(_Allowed("audit"))]
MayReadUsage = Annotated[Principal, Depends(_Allowed("usage"))]
