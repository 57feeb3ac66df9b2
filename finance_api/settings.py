"""Every setting: its name, type, default, unit and meaning. Read once, at the start.

A setting stands in the ``[app:main]`` section of the ini file, one of the server in
``[server:main]`` without its prefix ``server.``; the environment variable ``FINANCE_API_<NAME>``
(without the prefix ``finance_api.``, dots as underscores, upper case) overrides it. A secret can be
in a file, too: named by this variable with ``_FILE`` at its end, or a credential of systemd.
"""

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finance_api.ratelimit.limits import parse_limits

ENVIRONMENT_PREFIX = "FINANCE_API_"
#: The setting that names the file of keys of JWTs.
JWT_KEYS = "finance_api.jwt.keys"
#: Variables of that prefix that are no settings.
_OTHER_VARIABLES = frozenset({"FINANCE_API_CONFIG"})
#: Settings of Pyramid itself, which are passed on to it.
_PASSED_ON = ("pyramid.",)


class SettingError(Exception):
    """A setting stops the start; the message names it and says why."""


@dataclass(frozen=True)
class Setting:
    """parse: text -> value, or ValueError with the reason. default: as in the ini file.

    secret: whether the value can hold a password, so that no message repeats any of it.
    """

    name: str
    parse: Callable[[str], Any]
    default: str
    unit: str
    meaning: str
    secret: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        short = self.name.removeprefix("finance_api.")
        return ENVIRONMENT_PREFIX + short.replace(".", "_").upper()

    @property
    def file_variable(self) -> str:
        """Of a secret: the environment variable that names a file with the value."""
        return f"{self.variable}_FILE"


def _text(text: str) -> str:
    return text.strip()


def _url(unescaped: str) -> Callable[[str], str]:
    """unescaped: what a user name or password cannot have as it is."""

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
        if port and not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
            raise ValueError("has a port that is not a whole number from 1 to 65535")
        return url

    return parse


def _required_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def _integer(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        digits = text.strip()
        if not (digits.isascii() and digits.isdigit()) or not low <= int(digits) <= high:
            raise ValueError(f"is not a whole number from {low} to {high}")
        return int(digits)

    return parse


def _boolean(text: str) -> bool:
    words = {"true": True, "false": False}
    if text.strip().lower() not in words:
        raise ValueError("is neither true nor false")
    return words[text.strip().lower()]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _required_words(text: str) -> tuple[str, ...]:
    if not _words(text):
        raise ValueError("must not be empty")
    return _words(text)


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.strip() not in choices:
            raise ValueError(f"is not {' or '.join(choices)}")
        return text.strip()

    return parse


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(word.lower() for word in _words(text))
    if not hosts:
        raise ValueError("must name the hosts under which the service is reached")
    return hosts


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        raise ValueError("is not an IP address such as 127.0.0.1 or ::1") from None


def _networks(text: str) -> frozenset[Any]:
    try:
        return frozenset(ipaddress.ip_network(word) for word in _words(text))
    except ValueError as error:
        raise ValueError(f"is not a list of addresses or networks: {error}") from None


def _origins(text: str) -> tuple[str, ...]:
    origins = _words(text)
    for origin in origins:
        scheme, _, rest = origin.partition("://")
        if origin != "*" and (scheme not in ("http", "https") or not rest or "/" in rest):
            raise ValueError(f"{origin} is not an origin such as https://app.example.org")
    return origins


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "finance_api.storage",
        _required_text,
        "sql",
        "sql, memory or a dotted name",
        "The storage of the data; a dotted name is a function of the settings that returns a "
        "StorageBackend.",
    ),
    Setting(
        "finance_api.storage.memory.load",
        _text,
        "",
        "path",
        "The file in the native format that the memory storage loads at start.",
    ),
    Setting(
        "finance_api.storage.memory.user",
        _text,
        "",
        "e-mail",
        "The user of the memory storage; with premium.",
    ),
    Setting(
        "finance_api.storage.memory.token_sha256",
        _text,
        "",
        "64 hexadecimal digits",
        "SHA-256 of the personal token that reads the memory storage.",
    ),
    Setting(
        "sqlalchemy.url",
        _url("@"),
        "",
        "SQLAlchemy URL",
        "The database of the sql storage: sqlite:///path or postgresql://user@host/name.",
        secret=True,
    ),
    Setting(
        "sqlalchemy.read_url",
        _url("@"),
        "",
        "URL",
        "A read replica of that database, for reading data; users and tokens are still read from "
        "the database itself.",
        secret=True,
    ),
    Setting(
        "sqlalchemy.pool_size",
        _integer(1, 1000),
        "8",
        "connections",
        "Database connections of a process for reading; at least the server's threads.",
    ),
    Setting(
        "sqlalchemy.statement_seconds",
        _integer(1, 3600),
        "5",
        "seconds",
        "The time limit for all that a request reads and computes; beyond it the response is 503.",
    ),
    Setting(
        "finance_api.allowed_hosts",
        _hosts,
        "localhost 127.0.0.1 [::1]",
        "host names",
        "Accepted values of the Host header, without port; * accepts any.",
    ),
    Setting(
        "finance_api.require_https",
        _boolean,
        "false",
        "true or false",
        "Whether requests over plain HTTP are refused with 403.",
    ),
    Setting(
        "finance_api.trusted_proxies",
        _networks,
        "",
        "addresses or networks",
        "Reverse proxies whose X-Forwarded-Proto and X-Forwarded-For are trusted.",
    ),
    Setting(
        "finance_api.cors.origins",
        _origins,
        "",
        "origins",
        "Web origins whose scripts may read the public API; * for any. Never with credentials.",
    ),
    Setting(
        "finance_api.wallet",
        _boolean,
        "true",
        "true or false",
        "Whether the public API is served below /wallet too, as clients of the hosted Wallet API "
        "know it.",
    ),
    Setting(
        "finance_api.wallet.older_names",
        _boolean,
        "true",
        "true or false",
        "Whether objects below /wallet have the names of earlier Wallet versions, too.",
    ),
    Setting(
        "finance_api.cache.max_bytes",
        _integer(0, 1 << 40),
        str(16 << 20),
        "bytes",
        "The approximate size of a process's response cache; 0 switches it off.",
    ),
    Setting(
        "finance_api.max_data_requests",
        _integer(1, 1000),
        "5",
        "requests",
        "Requests for data that a process works on or keeps waiting; with downloads fewer than the "
        "server's threads, so that health is still answered.",
    ),
    Setting(
        "finance_api.max_downloads",
        _integer(1, 1000),
        "2",
        "downloads",
        "Exports, and downloads of the settings pages, that a process sends at once, one of each "
        "user; uploads that it takes count as well.",
    ),
    Setting(
        "finance_api.imports.keep_days",
        _integer(1, 100_000),
        "400",
        "days",
        "How long what was there before an import or edit is kept, so that it can be taken back.",
    ),
    Setting(
        "finance_api.imports.max_upload_bytes",
        _integer(1, 900_000_000),
        str(20 << 20),
        "bytes",
        "The size of a file that is sent on the page Import; larger ones are refused with 413.",
    ),
    Setting(
        "finance_api.imports.upload_seconds",
        _integer(1, 3600),
        "300",
        "seconds",
        "The time limit for sending a file there; a slower upload is ended with 408.",
    ),
    Setting(
        "finance_api.imports.max_memory_mb",
        _integer(128, 1_000_000),
        "512",
        "MB",
        "Memory of the process that reads an uploaded file; a file that needs more is refused.",
    ),
    Setting(
        "finance_api.imports.max_cpu_seconds",
        _integer(1, 86_400),
        "60",
        "seconds",
        "Processor time of that process; a file that needs more is refused.",
    ),
    Setting(
        "finance_api.imports.max_seconds",
        _integer(1, 86_400),
        "120",
        "seconds",
        "Time that process may take in all, with waiting; a file that needs more is refused.",
    ),
    Setting(
        "finance_api.imports.profiles_directory",
        _text,
        "",
        "path",
        "The directory of your own profiles of CSV files, beside those that are there.",
    ),
    Setting(
        "finance_api.changes.keep_days",
        _integer(1, 100_000),
        "400",
        "days",
        "How long it is remembered what has changed: a mirror that was read before begins anew.",
    ),
    Setting(
        "finance_api.audit.keep_days",
        _integer(1, 100_000),
        "400",
        "days",
        "How long the audit log is kept: sign-ins, tokens, JWTs, password changes, imports, edits, "
        "exports.",
    ),
    Setting(
        "finance_api.users.api_access",
        _one_of("premium", "all"),
        "premium",
        "premium or all",
        "Who may use the public API: users with premium, or every enabled user.",
    ),
    Setting(
        "finance_api.tokens.last_used_seconds",
        _integer(1, 900),
        "60",
        "seconds",
        "The interval for writing when tokens were last used.",
    ),
    Setting(
        "finance_api.tokens.max_live",
        _integer(1, 10_000),
        "50",
        "tokens",
        "The personal tokens that a user can have, of those neither revoked nor expired.",
    ),
    Setting(
        "finance_api.transfers.link_by_number",
        _boolean,
        "false",
        "true or false",
        "Whether an import of statements links the records of a transfer of which one names the "
        "other's account by its number.",
    ),
    Setting(
        JWT_KEYS,
        _text,
        "",
        "path",
        "The file of the JWT keys; without it the internal API refuses all requests.",
    ),
    Setting(
        "finance_api.jwt.issuers",
        _required_words,
        "finance_api",
        "names",
        "Accepted values of the claim iss; JWTs issued here have the first one.",
    ),
    Setting(
        "finance_api.jwt.audience",
        _required_text,
        "finance_api",
        "name",
        "The required value of the claim aud.",
    ),
    Setting(
        "finance_api.jwt.subject",
        _one_of("uuid", "email"),
        "uuid",
        "uuid or email",
        "The meaning of the claim sub: the user's UUID; with email, the e-mail address as well.",
    ),
    Setting(
        "finance_api.jwt.ttl_seconds",
        _integer(1, 31_536_000),
        "3600",
        "seconds",
        "The default lifetime of a JWT.",
    ),
    Setting(
        "finance_api.jwt.max_ttl_seconds",
        _integer(1, 31_536_000),
        "2592000",
        "seconds",
        "The longest lifetime of a JWT; a longer one is refused.",
    ),
    Setting(
        "finance_api.jwt.max_live",
        _integer(1, 10_000),
        "50",
        "JWTs",
        "The JWTs issued here that a user can have, of those neither revoked nor expired.",
    ),
    Setting(
        "finance_api.jwt.leeway_seconds",
        _integer(0, 30),
        "5",
        "seconds",
        "The tolerance for other machines' clocks when the times in a JWT are checked.",
    ),
    Setting(
        "finance_api.ratelimit.public",
        parse_limits,
        "500/hour",
        "requests/unit",
        "Requests of a personal token, as a token bucket; units are second, minute, hour, day.",
    ),
    Setting(
        "finance_api.ratelimit.internal",
        parse_limits,
        "100/minute, 1000/hour",
        "requests/unit",
        "Requests of a user to the internal API, in sliding windows; all of them must pass.",
    ),
    Setting(
        "finance_api.ratelimit.free",
        _integer(1, 10_000),
        "20",
        "requests a second",
        "304s and requests for API usage of a token or user that cost nothing, as a token bucket "
        "of 5 seconds; past it they cost what others do.",
    ),
    Setting(
        "finance_api.ratelimit.failed_auth",
        parse_limits,
        "30/minute",
        "requests/unit",
        "Failed authentications of an address before it gets 429, as a token bucket.",
    ),
    Setting(
        "finance_api.ratelimit.sign_in_account_address",
        parse_limits,
        "10/hour",
        "requests/unit",
        "Failed sign-ins to the settings pages for an account from a client address, as a token "
        "bucket.",
    ),
    Setting(
        "finance_api.ratelimit.sign_in_account",
        parse_limits,
        "100/hour",
        "requests/unit",
        "Failed sign-ins for an account from all addresses together, as a token bucket.",
    ),
    Setting(
        "finance_api.ratelimit.sign_in_address",
        parse_limits,
        "30/hour",
        "requests/unit",
        "Failed sign-ins from a client address, as a token bucket.",
    ),
    Setting(
        "finance_api.ratelimit.sign_in_browser",
        parse_limits,
        "10/hour",
        "requests/unit",
        "Failed sign-ins of a browser that has signed in to the account before, as a token bucket; "
        "the three limits above do not count them.",
    ),
    Setting(
        "finance_api.ratelimit.password_change",
        parse_limits,
        "10/hour",
        "requests/unit",
        "Wrong current passwords of a session that changes the password, as a token bucket.",
    ),
    Setting(
        "finance_api.ratelimit.backend",
        _one_of("memory", "redis"),
        "memory",
        "memory or redis",
        "The place of the counters: each process, or a shared Redis.",
    ),
    Setting(
        "finance_api.ratelimit.redis_url",
        _url("@/#?"),
        "",
        "Redis URL",
        "The Redis of the backend redis: redis://host:6379/0.",
        secret=True,
    ),
    Setting(
        "finance_api.log.format",
        _one_of("text", "json"),
        "text",
        "text or json",
        "Whether the log has lines in the forms of the ini file, or one JSON object a line.",
    ),
    Setting(
        "finance_api.traces",
        _boolean,
        "false",
        "true or false",
        "Whether each request is a span of OpenTelemetry's; needs the extra otel, and an SDK.",
    ),
    Setting(
        "finance_api.metrics.clients",
        _networks,
        "",
        "addresses or networks",
        "Who may read /__metrics__; for others there is nothing at that path.",
    ),
)

#: Keys of ``[server:main]`` where granian serves.
SERVER_SETTINGS: tuple[Setting, ...] = (
    Setting(
        "server.host",
        _address,
        "127.0.0.1",
        "IP address",
        "Where the service listens; 0.0.0.0 is every IPv4 address, :: every address.",
    ),
    Setting("server.port", _integer(1, 65_535), "6543", "port", "The port there."),
    Setting(
        "server.workers",
        _integer(1, 256),
        "1",
        "processes",
        "One for each core is a good start; more than one need "
        "finance_api.ratelimit.backend = redis.",
    ),
    Setting(
        "server.threads",
        _integer(1, 1000),
        "8",
        "threads",
        "Requests that each process works on at once.",
    ),
    Setting(
        "server.backlog",
        _integer(128, 65_535),
        "1024",
        "connections",
        "Connections of each process that wait to be accepted.",
    ),
    Setting(
        "server.backpressure",
        _integer(1, 100_000),
        "1000",
        "connections",
        "Connections that each process has open at once; more wait in the backlog.",
    ),
    Setting(
        "server.header_seconds",
        _integer(1, 60),
        "10",
        "seconds",
        "Time for the headers of a request; a connection may idle for as long between two.",
    ),
    Setting(
        "server.drain_seconds",
        _integer(1, 1800),
        "25",
        "seconds",
        "Time for accepted requests after SIGTERM; what is left then is lost.",
    ),
)


class Settings(dict[str, Any]):
    """Checked values by their names, and what is Pyramid's own."""


def read_settings(
    given: Mapping[str, str],
    environment: Mapping[str, str],
    table: Iterable[Setting] = SETTINGS,
) -> Settings:
    """The values of all settings of the table. Raises SettingError for a wrong or unknown one."""
    names = {setting.name for setting in table}
    for name in given:
        if name not in names and not name.startswith(_PASSED_ON):
            raise SettingError(f"{name}: there is no such setting")
    everywhere = (*SETTINGS, *SERVER_SETTINGS)
    variables = {setting.variable for setting in everywhere} | _OTHER_VARIABLES
    variables |= {setting.file_variable for setting in everywhere if setting.secret}
    for variable in environment:
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in variables:
            raise SettingError(f"{variable}: there is no such setting")
    settings = Settings({k: v for k, v in given.items() if k.startswith(_PASSED_ON)})
    for setting in table:
        text = _from_environment(setting, environment)
        if text is None:
            text = given.get(setting.name, setting.default)
        try:
            settings[setting.name] = setting.parse(text)
        except ValueError as error:
            value = "the value" if setting.secret else repr(text)
            raise SettingError(f"{setting.name}: {value} {error}") from None
    return settings


def _from_environment(setting: Setting, environment: Mapping[str, str]) -> str | None:
    """The value that overrides the ini file's. Raises SettingError."""
    text = environment.get(setting.variable)
    if not setting.secret:
        return text
    path = environment.get(setting.file_variable)
    if path is None:
        # The folder of the credentials that systemd passes to a service, by their names.
        folder = environment.get("CREDENTIALS_DIRECTORY")
        if text is not None or not folder or not (Path(folder) / setting.name).exists():
            return text
        path = str(Path(folder) / setting.name)
    elif text is not None:
        raise SettingError(f"{setting.variable} and {setting.file_variable}: give one of them")
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise SettingError(f"{setting.name}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingError(f"{setting.name}: {path} is not UTF-8") from None
