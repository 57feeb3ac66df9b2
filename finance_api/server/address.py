"""Where a server listens."""

import socket
from typing import Any

from finance_api.server.settings import ServerSettings, StartError


def address_of(settings: ServerSettings) -> tuple[Any, ...]:
    """Family, kind, protocol and address of the socket. Raises OSError, UnicodeError."""
    host = "0.0.0.0" if settings.host == "*" else settings.host  # noqa: S104
    found = socket.getaddrinfo(
        host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    return family, kind, protocol, address


def url_of(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def cannot_listen(settings: ServerSettings, error: Exception) -> StartError:
    reason = getattr(error, "strerror", None) or str(error)
    return StartError(
        f"cannot listen on {settings.host}:{settings.port}: {reason[:1].lower()}{reason[1:]}"
    )
