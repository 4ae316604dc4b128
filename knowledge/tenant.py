"""Names of tenants: part of paths, and of the names of collections."""

import re

from graph.errors import InputError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")


def check_tenant(tenant: str) -> str:
    if not _NAME.fullmatch(tenant):
        raise InputError(
            f"{tenant!r} is no tenant name: up to 48 of a-z, 0-9, _ and -, a letter or digit first"
        )
    return tenant
