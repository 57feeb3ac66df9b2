"""Who is at the other end: what a reverse proxy says counts only if the proxy is a trusted one."""

from ipaddress import ip_address

from pyramid.request import Request


def is_https(request: Request) -> bool:
    """Whether the client's connection is encrypted, as far as can be known."""
    if request.scheme == "https":
        return True
    forwarded = request.headers.get("X-Forwarded-Proto", "").split(",")[-1].strip().lower()
    return forwarded == "https" and _is_trusted(request)


def _is_trusted(request: Request) -> bool:
    try:
        address = ip_address(request.environ.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    networks = request.registry.settings["finance_api.trusted_proxies"]
    return any(address in network for network in networks)
