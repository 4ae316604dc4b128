"""What keeps tenants' prefixes apart in the engine's cache: vLLM's `cache_salt`.

Without it, a tenant could find out by the time of a first token whether another one had sent the
same prompt. Replicas that share the secret share the cache.
"""

import base64
import hashlib
import hmac


class CacheSalts:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, tenant: str) -> str:
        """43 characters; nobody without the secret can guess them."""
        salt = hmac.digest(self._secret, tenant.encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(salt).decode().rstrip("=")
