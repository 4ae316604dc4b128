"""Tenants, and what each may use."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Literal, get_args

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.errors import NotFound
from serving.store import audit
from serving.store.database import Database, to_its_end
from serving.store.tables import tenants

Priority = Literal["high", "normal", "low"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)


@dataclass(frozen=True, slots=True)
class Allowance:
    """Tokens are prompt and output together, by days and months of UTC. None: no bound, and of the
    priority: normal."""

    tokens_per_day: int | None = None
    tokens_per_month: int | None = None
    requests_per_minute: int | None = None
    concurrent_tasks: int | None = None
    priority: Priority | None = None


UNBOUNDED = Allowance()
NAMES = tuple(field.name for field in fields(Allowance))


class TenantStore:
    """`default` holds where the owner set nothing for a tenant."""

    def __init__(self, database: Database, default: Allowance = UNBOUNDED) -> None:
        self._database = database
        self._default = default

    @to_its_end
    async def add(self, tenant: str) -> None:
        """A second time changes nothing."""
        async with self._database.transaction() as connection:
            await self.add_in(connection, tenant)

    async def add_in(self, connection: AsyncConnection, tenant: str) -> None:
        new = {"name": tenant, "created_s": time.time()}
        await self._database.insert_new(connection, tenants, new)

    @to_its_end
    async def known(self) -> Sequence[tuple[str, Allowance]]:
        """By name; what is None there holds by default."""
        async with self._database.reading() as connection:
            found = await connection.execute(select(tenants).order_by(tenants.c.name))
            return [
                (row.name, Allowance(**{name: getattr(row, name) for name in NAMES}))
                for row in found
            ]

    @to_its_end
    async def allow(self, tenant: str, allowed: Allowance) -> None:
        """What is None holds by default from now on. Raises `NotFound`."""
        async with self._database.transaction() as connection:
            done = await connection.execute(
                update(tenants)
                .where(tenants.c.name == tenant)
                .values(asdict(allowed))
                .returning(tenants.c.name)
            )
            known = done.first() is not None
            if known:
                await audit.record(connection, tenant, "tenant.limits", tenant, asdict(allowed))
        if not known:
            raise NotFound(
                f"there is no tenant {tenant!r}; its first key makes it: "
                f"knowledge-agent keys make {tenant}"
            )

    @to_its_end
    async def allowance(self, tenant: str) -> Allowance | None:
        """None where there is no such tenant."""
        async with self._database.reading() as connection:
            found = await connection.execute(select(tenants).where(tenants.c.name == tenant))
            row = found.one_or_none()
        return None if row is None else self._of(row)

    async def allowance_in(self, connection: AsyncConnection, tenant: str) -> Allowance:
        """The tenant stays locked until the transaction ends: its reservations are made one after
        the other."""
        found = await connection.execute(
            # `key_share`: rows that refer to the tenant lock it as well, and must not wait for us.
            select(tenants).where(tenants.c.name == tenant).with_for_update(key_share=True)
        )
        return self._of(found.one())

    def _of(self, row: object) -> Allowance:
        own = {name: getattr(row, name) for name in NAMES}
        return replace(
            self._default, **{name: value for name, value in own.items() if value is not None}
        )
