"""When a proxy of the environment may be used."""

import ipaddress
from urllib.parse import urlsplit


def uses_proxy(url: str) -> bool:
    """Never for a server of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
