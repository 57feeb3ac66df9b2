"""The client's address and scheme: X-Forwarded-* headers count only from trusted proxies."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from finance_api.http.requests import Request

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def is_https(request: Request) -> bool:
    """Whether the client's connection is encrypted, as far as is known."""
    environ = request.environ
    if environ["wsgi.url_scheme"] == "https":
        return True
    forwarded = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip().lower()
    return forwarded == "https" and _is_trusted(request)


def client_address(request: Request) -> Address | None:
    """The nearest hop that is not a trusted proxy; None without an IP address.

    Each proxy appends its client to X-Forwarded-For; entries before the first hop that is not
    trusted can be forged.
    """
    environ, trusted = request.environ, request.registry.settings["finance_api.trusted_proxies"]
    address, is_trusted = _hop(environ.get("REMOTE_ADDR", ""), trusted)
    if not is_trusted:
        return address
    for hop in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
        found, is_trusted = _hop(hop.strip(), trusted)
        address = found or address
        if not is_trusted:
            return address
    return address


def is_known_directly(request: Request) -> bool:
    """Whether `client_address` is certain: no untrusted proxy has forwarded the request."""
    return "X-Forwarded-For" not in request.headers or _is_trusted(request)


def _is_trusted(request: Request) -> bool:
    trusted = request.registry.settings["finance_api.trusted_proxies"]
    return _hop(request.environ.get("REMOTE_ADDR", ""), trusted)[1]


@lru_cache(maxsize=1_024)
def _hop(text: str, trusted: frozenset[Network]) -> tuple[Address | None, bool]:
    """An address, and whether it is a trusted proxy's."""
    address = _address(text)
    return address, address is not None and any(address in network for network in trusted)


def _address(text: str) -> Address | None:
    """Parses an address; some servers and proxies add a port or a zone."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
