"""The settings of the production server: keys of ``[server:main]``."""

import ipaddress

from finance_api.runtime.settings import Setting, integer


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        raise ValueError("is not an IP address such as 127.0.0.1 or ::1") from None


SETTINGS = (
    Setting("server.host", _address, "127.0.0.1"),
    Setting("server.port", integer(1, 65_535), "6543"),
    Setting("server.workers", integer(1, 256), "1"),
    Setting("server.threads", integer(1, 1000), "8"),
    Setting("server.backlog", integer(128, 65_535), "1024"),
    Setting("server.backpressure", integer(1, 100_000), "1000"),
    Setting("server.header_seconds", integer(1, 60), "10"),
    Setting("server.drain_seconds", integer(1, 1800), "25"),
)
