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
    Setting("server.port", integer(1, 65_535), "6543", "port", "The port to listen on."),
    Setting(
        "server.workers",
        integer(1, 256),
        "1",
        "processes",
        "Number of processes. One per core is a good start; more than one need "
        "finance_api.ratelimit.backend = redis.",
    ),
    Setting(
        "server.threads",
        integer(1, 1000),
        "8",
        "threads",
        "Number of requests that each process handles at a time.",
    ),
    Setting(
        "server.backlog",
        integer(128, 65_535),
        "1024",
        "connections",
        "Maximum number of connections that wait to be accepted, for each process.",
    ),
    Setting(
        "server.backpressure",
        integer(1, 100_000),
        "1000",
        "connections",
        "Maximum number of open connections of each process; more wait in the backlog.",
    ),
    Setting(
        "server.header_seconds",
        integer(1, 60),
        "10",
        "seconds",
        "Time limit for receiving a request's headers, and for an idle connection between two "
        "requests.",
    ),
    Setting(
        "server.drain_seconds",
        integer(1, 1800),
        "25",
        "seconds",
        "Time that running requests have to finish after SIGTERM; then they are cut off.",
    ),
)
