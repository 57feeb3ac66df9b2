"""Declarations of settings: name, type and default; and parsers of their values.

Each part of the application declares its settings in its own module ``settings``. docs/settings.md
describes all settings.
"""

import ipaddress
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ENVIRONMENT_PREFIX = "FINANCE_API_"


#: A host name, an IPv4 address, or an IPv6 address in brackets, as a Host header has it.
_LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9a-f.]*:[0-9a-f.:]+\]")


class SettingError(Exception):
    """The application cannot start because of a setting. The message names it and says why."""


@dataclass(frozen=True)
class Setting:
    """parse: turns a text into a value; raises ValueError with the reason. default: as a text.

    secret: whether the value can contain a password, so that no message repeats any part of it.
    """

    name: str
    parse: Callable[[str], Any]
    default: str
    secret: bool = False

    @property
    def variable(self) -> str:
        """Return the environment variable that overrides the ini file."""
        short = self.name.removeprefix("finance_api.")
        return ENVIRONMENT_PREFIX + short.replace(".", "_").upper()

    @property
    def file_variable(self) -> str:
        """Return the environment variable that names a file with the value of a secret."""
        return f"{self.variable}_FILE"


class Settings(dict[str, Any]):
    """Checked values by name, and Pyramid's own settings."""


def any_text(text: str) -> str:
    return text.strip()


def url(unescaped: str) -> Callable[[str], str]:
    """Return a parser of URLs. unescaped: characters that must be escaped in credentials."""

    def parse(text: str) -> str:
        url = text.strip()
        credentials, _, place = url.partition("://")[2].rpartition("@")
        if url.startswith("sqlite"):
            return url
        for sign in unescaped:
            if sign in credentials:
                raise ValueError(
                    f"has an unescaped {sign} in its user name or password: percent-encode it: "
                    f"%{ord(sign):02X} (%%{ord(sign):02X} in an ini file)"
                )
        port = place.split("/")[0].rpartition("]")[2].partition(":")[2].partition("?")[0]
        if "," in port:
            raise ValueError("names the ports of several hosts: write ?host=a:5432&host=b:5432")
        if port and not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
            raise ValueError("has a port that is not a whole number from 1 to 65535")
        return url

    return parse


def required_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def integer(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        digits = text.strip()
        if not (digits.isascii() and digits.isdigit()) or not low <= int(digits) <= high:
            raise ValueError(f"is not a whole number from {low} to {high}")
        return int(digits)

    return parse


def boolean(text: str) -> bool:
    words = {"true": True, "false": False}
    if text.strip().lower() not in words:
        raise ValueError("is neither true nor false")
    return words[text.strip().lower()]


def words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def required_words(text: str) -> tuple[str, ...]:
    if not words(text):
        raise ValueError("must not be empty")
    return words(text)


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.strip() not in choices:
            raise ValueError(f"is not {' or '.join(choices)}")
        return text.strip()

    return parse


def networks(text: str) -> frozenset[Any]:
    try:
        return frozenset(ipaddress.ip_network(word) for word in words(text))
    except ValueError as error:
        raise ValueError(f"is not a list of addresses or networks: {error}") from None


def hosts(text: str) -> tuple[str, ...]:
    if not words(text):
        raise ValueError("must list the host names of this service")
    for host in words(text.lower()):
        if host != "*" and not _HOST.fullmatch(host):
            raise ValueError(
                f"has {host}, which is no host name such as nas.example.org, 192.168.1.5 or [::1]: "
                "write it without quotes, scheme, port and path"
            )
    return words(text.lower())


def origins(text: str) -> tuple[str, ...]:
    for origin in words(text):
        scheme, _, rest = origin.partition("://")
        if origin != "*" and (scheme not in ("http", "https") or not rest or "/" in rest):
            raise ValueError(f"{origin} is not an origin such as https://app.example.org")
    return words(text)


def address(text: str) -> str:
    """Return the address of a service, without a slash at its end, or an empty text."""
    found = origins(text.strip().removesuffix("/"))
    if len(found) > 1 or "*" in found:
        raise ValueError("is not one address such as https://finance.example.org")
    return "".join(found)


def issuers_by_kid(text: str) -> dict[str, str]:
    """Return issuers by kid. A kid can contain a =, an issuer cannot."""
    parts = [word.rpartition("=") for word in words(text)]
    if not all(kid and issuer for kid, _, issuer in parts):
        raise ValueError("is not a list of KID=ISSUER")
    issuers = {kid: issuer for kid, _, issuer in parts}
    if len(issuers) < len(parts):
        raise ValueError("has the same KID twice")
    return issuers


def made_by_name(
    name: str, settings: Mapping[str, Any], known: Mapping[str, str], kind: type
) -> Any:
    """Pass all settings to the function that a setting names, and return the ``kind`` it makes.

    known: dotted names of functions, by short names that the setting can use instead.
    Raises SettingError, and what the function raises.
    """
    named = settings[name]
    try:
        factory = pkgutil.resolve_name(known.get(named, named))
    except (ImportError, AttributeError, ValueError) as error:
        if named in known and isinstance(error, ImportError):
            raise SettingError(
                f"{name}: {named} needs the package {error.name}; "
                f"install finance-api with its extra {named}"
            ) from None
        raise SettingError(
            f"{name}: {named!r} is neither {' nor '.join(known)} nor a dotted name that can be "
            f"imported: {error}"
        ) from None
    try:
        made = factory(settings)
    except TypeError as error:
        raise SettingError(
            f"{name}: {named!r} cannot be called with the settings: {error}"
        ) from None
    if not isinstance(made, kind):
        raise SettingError(f"{name}: {named!r} does not return a {kind.__name__}")
    return made
