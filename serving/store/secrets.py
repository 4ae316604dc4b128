"""Secrets of the service: made once, the same for all replicas and after every restart."""

import secrets as random

from sqlalchemy import select

from serving.store.database import Database, to_its_end
from serving.store.tables import secrets

SECRET_BYTES = 32


class SecretStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @to_its_end
    async def get(self, name: str) -> bytes:
        """256 random bits, made where there are none of this name."""
        async with self._database.transaction() as connection:
            new = {"name": name, "value": random.token_hex(SECRET_BYTES)}
            await self._database.insert_new(connection, secrets, new)
            found = await connection.execute(select(secrets.c.value).where(secrets.c.name == name))
            return bytes.fromhex(found.scalar_one())
