"""What a call carries of its tenant to the engine: fields that vLLM alone knows.

Without a `cache_salt`, a tenant could find out by the time of a first token whether another one had
sent the same prompt. Replicas that share the secret share the cache.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Any


class CacheSalts:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, tenant: str) -> str:
        """43 characters; nobody without the secret can guess them."""
        salt = hmac.digest(self._secret, tenant.encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(salt).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Tenancy:
    """`priorities` are for a vLLM that schedules by them; another one refuses them."""

    cache_salts: CacheSalts | None = None
    priorities: bool = False

    def fields(self, tenant: str, priority: int) -> dict[str, Any]:
        """Of the request's body; a call outside the service has no tenant and no salt."""
        salt = self.cache_salts.of(tenant) if self.cache_salts and tenant else None
        return {
            **({"cache_salt": salt} if salt else {}),
            **({"priority": priority} if self.priorities and priority else {}),
        }


NO_TENANTS = Tenancy()
