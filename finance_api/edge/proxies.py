"""The client's address and scheme: X-Forwarded-* headers count only from trusted proxies."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from finance_api.requests import Request

Address = IPv4Address | IPv6Address


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
    address = _address(request.environ.get("REMOTE_ADDR", ""))
    if address is None or not _is_trusted_address(request, address):
        return address
    for hop in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
        found = _address(hop.strip())
        if found is None:
            return address
        address = found
        if not _is_trusted_address(request, address):
            return address
    return address


def is_known_directly(request: Request) -> bool:
    """Whether `client_address` is certain: no untrusted proxy has forwarded the request."""
    return "X-Forwarded-For" not in request.headers or _is_trusted(request)


def _is_trusted(request: Request) -> bool:
    address = _address(request.environ.get("REMOTE_ADDR", ""))
    return address is not None and _is_trusted_address(request, address)


def _is_trusted_address(request: Request, address: Address) -> bool:
    networks = request.registry.settings["finance_api.trusted_proxies"]
    return any(address in network for network in networks)


@lru_cache(maxsize=1_024)
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
