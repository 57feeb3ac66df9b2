"""The settings of the production server: keys of ``[server:main]``."""

import ipaddress

from finance_api.runtime.settings import Setting, integer


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        raise ValueError("is not an IP address such as 127.0.0.1 or ::1") from None


SETTINGS = (
    Setting(
        "server.host",
        _address,
        "127.0.0.1",
        "IP address",
        "Where the service listens; 0.0.0.0 is every IPv4 address, :: every address.",
    ),
    Setting("server.port", integer(1, 65_535), "6543", "port", "The port there."),
    Setting(
        "server.workers",
        integer(1, 256),
        "1",
        "processes",
        "One for each core is a good start; more than one need "
        "finance_api.ratelimit.backend = redis.",
    ),
    Setting(
        "server.threads",
        integer(1, 1000),
        "8",
        "threads",
        "Requests that each process works on at once.",
    ),
    Setting(
        "server.backlog",
        integer(128, 65_535),
        "1024",
        "connections",
        "Connections of each process that wait to be accepted.",
    ),
    Setting(
        "server.backpressure",
        integer(1, 100_000),
        "1000",
        "connections",
        "Connections that each process has open at once; more wait in the backlog.",
    ),
    Setting(
        "server.header_seconds",
        integer(1, 60),
        "10",
        "seconds",
        "Time for the headers of a request; a connection may idle for as long between two.",
    ),
    Setting(
        "server.drain_seconds",
        integer(1, 1800),
        "25",
        "seconds",
        "Time for accepted requests after SIGTERM; what is left then is lost.",
    ),
)
