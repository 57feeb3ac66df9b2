"""The keys of a server's section, read once at start."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar


class StartError(Exception):
    """The server cannot start; the text is the one line that the operator reads."""


@dataclass(frozen=True)
class ServerSettings:
    """How the server listens and what it allows a connection.

    host: an address or a name; of a name's addresses one is taken, IPv4 first. "*" is every IPv4
    address. port: 0 takes a free one.
    threads: requests worked on at once. connection_limit: open connections; more wait in the
    system's queue.
    drain_seconds: at the end, how long accepted requests may still take.
    header_seconds: from the first byte of a request to the end of its headers, and from connecting
    to the first byte. body_seconds: from there to the end of the body.
    """

    host: str = "127.0.0.1"
    port: int = 6543
    threads: int = 4
    drain_seconds: float = 25
    connection_limit: int = 1000
    header_seconds: float = 10
    body_seconds: float = 30


S = TypeVar("S", bound=ServerSettings)

# What "pserve x.ini http_port=7000" can say for once.
_OVERRIDDEN = ("host", "port", "workers")


def read_settings(
    global_conf: Mapping[str, str],
    section: Mapping[str, str],
    kind: type[S] = ServerSettings,  # type: ignore[assignment]  # python/mypy#3737
) -> S:
    """The section's settings, each key checked.

    ``http_host`` and ``http_port`` of global_conf, where ``pserve x.ini http_port=7000`` puts them,
    win over ``host`` and ``port`` of the section; empty ones count as not given.
    kind: which keys there are, and their defaults.
    Raises StartError, naming key and value.
    """
    known = [field.name for field in fields(kind)]
    unknown = sorted(set(section) - set(known))
    if unknown:
        raise StartError(f"server setting {unknown[0]}: unknown; known are {', '.join(known)}")
    given = {key: (key, value) for key, value in section.items()}
    for key in _OVERRIDDEN:
        if key not in known:
            continue
        override = global_conf.get(f"http_{key}", "")
        if override.strip():
            given[key] = (f"http_{key}", override)
    chosen: dict[str, Any] = {}
    for key, (name, value) in given.items():
        expected, read = _KINDS[key]
        try:
            chosen[key] = read(str(value).strip())
        except ValueError:
            raise StartError(f"server setting {name}: {value!r} is not {expected}") from None
    return kind(**chosen)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        # int() would also take "+1", "1_000" and other alphabets' digits.
        if not re.fullmatch("[0-9]{1,9}", value) or not low <= int(value) <= high:
            raise ValueError
        return int(value)

    return read


def _seconds(value: str) -> float:
    seconds = float(value)
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError
    return seconds


def _host(value: str) -> str:
    if not re.fullmatch(r"[^\s\[\]/]+|\[[^\s\[\]/]+\]", value):
        raise ValueError
    return value.strip("[]")


_SECONDS = ("a number of seconds above 0", _seconds)
_KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "host": ("an address or a host name", _host),
    "port": ("a port number (0 to 65535)", _whole(0, 65535)),
    "workers": ("a number of processes (1 to 256)", _whole(1, 256)),
    "threads": ("a number of threads (1 to 1000)", _whole(1, 1000)),
    "connection_limit": ("a number of connections (10 to 100000)", _whole(10, 100_000)),
    "drain_seconds": _SECONDS,
    "header_seconds": _SECONDS,
    "body_seconds": _SECONDS,
}
