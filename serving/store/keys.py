"""API keys: shown once, kept as a hash.

A key is `ka_ID_SECRET`. The secret has 256 random bits, so that a fast hash (SHA-256) keeps it as
safe as a slow one would.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Row, insert, select, update

from graph.errors import InputError, NotFound
from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.tables import NAME_CHARS, api_keys
from serving.store.tenants import TenantStore

PREFIX = "ka"
NOBODY = hashlib.sha256(b"").hexdigest()

Scope = Literal["ask", "documents", "usage", "audit"]
"""What a key may do: ask and search; upload and delete documents; read what was spent; read who did
what."""

SCOPES: tuple[Scope, ...] = get_args(Scope)


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    created_s: float
    expires_s: float | None
    revoked_s: float | None

    def holds(self, now_s: float) -> bool:
        return self.revoked_s is None and (self.expires_s is None or now_s < self.expires_s)


class KeyStore:
    def __init__(self, database: Database, tenants: TenantStore) -> None:
        self._database = database
        self._tenants = tenants

    @to_its_end
    async def make(
        self, tenant: str, name: str, scopes: Sequence[Scope], expires_s: float | None
    ) -> tuple[ApiKey, str]:
        """The key and its text, which nobody can read again. The tenant is made where it is new.
        Raises `InputError` for no scope, or a name that is too long."""
        if len(name) > NAME_CHARS:
            raise InputError(f"the name has {len(name)} characters; at most {NAME_CHARS} are kept")
        if not scopes:
            raise InputError(f"a key needs a scope: {', '.join(SCOPES)}")
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = ApiKey(key_id, tenant, name, tuple(scopes), time.time(), expires_s, None)
        async with self._database.transaction() as connection:
            await self._tenants.add_in(connection, tenant)
            await connection.execute(
                insert(api_keys).values(
                    id=key.id,
                    tenant=tenant,
                    name=name,
                    secret_sha256=_hashed(secret),
                    scopes=list(scopes),
                    created_s=key.created_s,
                    expires_s=expires_s,
                )
            )
            details = {"name": name, "scopes": scopes, "expires_s": expires_s}
            await audit.record(connection, tenant, "key.made", key.id, details)
        return key, f"{PREFIX}_{key_id}_{secret}"

    @to_its_end
    async def find(self, text: str) -> ApiKey | None:
        """The key of this text, revoked and expired ones too. It takes as long for an unknown id as
        for a wrong secret."""
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        async with self._database.reading() as connection:
            found = await connection.execute(select(api_keys).where(api_keys.c.id == key_id))
            row = found.one_or_none()
        same = hmac.compare_digest(_hashed(secret), NOBODY if row is None else row.secret_sha256)
        return _key(row) if row is not None and same and prefix == PREFIX else None

    @to_its_end
    async def known(self, tenant: str | None = None) -> list[ApiKey]:
        query = select(api_keys).order_by(api_keys.c.created_s)
        if tenant is not None:
            query = query.where(api_keys.c.tenant == tenant)
        async with self._database.reading() as connection:
            return [_key(row) for row in await connection.execute(query)]

    @to_its_end
    async def revoke(self, key_id: str) -> ApiKey:
        """A second time changes nothing. Raises `NotFound`."""
        async with self._database.transaction() as connection:
            revoked = await connection.execute(
                update(api_keys)
                .where(api_keys.c.id == key_id, api_keys.c.revoked_s.is_(None))
                .values(revoked_s=time.time())
                .returning(api_keys.c.tenant)
            )
            if (tenant := revoked.scalar_one_or_none()) is not None:
                await audit.record(connection, tenant, "key.revoked", key_id)
            found = await connection.execute(select(api_keys).where(api_keys.c.id == key_id))
            row = found.one_or_none()
        if row is None:
            raise NotFound(f"there is no key {key_id!r}; see: knowledge-agent keys list")
        return _key(row)


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        tenant=row.tenant,
        name=row.name,
        scopes=tuple(row.scopes),
        created_s=row.created_s,
        expires_s=row.expires_s,
        revoked_s=row.revoked_s,
    )
