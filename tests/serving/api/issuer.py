"""An identity provider: it signs tokens and serves its keys."""

import base64
import json
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER = "https://login.example.org/"
AUDIENCE = "knowledge-agent"


@dataclass
class Key:
    """Of RSA, or of an elliptic curve."""

    id: str
    algorithm: str = "RS256"
    private: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey = field(init=False)

    def __post_init__(self) -> None:
        self.private = (
            ec.generate_private_key(ec.SECP256R1())
            if self.algorithm.startswith("ES")
            else rsa.generate_private_key(65_537, 2_048)
        )

    @property
    def jwk(self) -> dict[str, Any]:
        public = self.private.public_key()
        made = (
            ECAlgorithm.to_jwk(public, as_dict=True)
            if isinstance(public, ec.EllipticCurvePublicKey)
            else RSAAlgorithm.to_jwk(public, as_dict=True)
        )
        return {**made, "kid": self.id, "use": "sig", "alg": self.algorithm}

    @property
    def pem(self) -> bytes:
        return self.private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )

    def token(self, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A good one, but for what is given: times in seconds from now, None to leave it out."""
        headers = {"kid": self.id, **(header or {})}
        return jwt.encode(_claims(claims), self.private, self.algorithm, headers)


def _claims(given: dict[str, Any]) -> dict[str, Any]:
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "김 and co", "iat": 0, "exp": 600}
    claims = {**good, "tenant": "acme", "scope": "openid ask", **given}
    for name in ("iat", "nbf", "exp"):
        if isinstance(claims.get(name), int):
            claims[name] += int(time.time())
    return {name: value for name, value in claims.items() if value is not None}


def unsigned(header: dict[str, Any], signature: bytes = b"", **claims: Any) -> str:
    """A token that no library would make."""
    parts = [json.dumps(header).encode(), json.dumps(_claims(claims)).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
