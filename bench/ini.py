"""Ini files like production.ini, except for the database and the rate limit."""

import configparser
from pathlib import Path

from bench.workspace import PROJECT
from finance_api.cli.context import CliContext

APPLICATION = "app:main"
#: The maximum in `finance_api.ratelimit.interface`: quotas are counted, but never used up.
_MANY = "1000000000/hour"
_CACHE_BYTES = "finance_api.cache.max_bytes"


def write_ini(
    path: Path,
    *,
    url: str,
    cached: bool = True,
    server: str = "granian",
    threads: int = 1,
    port: int = 0,
    plain: bool = False,
    project: Path = PROJECT,
    statement_seconds: int = 5,
) -> Path:
    """Write an ini file like production.ini that serves ``url`` and logs to a file beside it.

    server: granian, with one worker and this many threads; or waitress, with 20 threads.
    plain: whether to leave out the read model. project: the checkout with the ini files to start
    from. statement_seconds: the time limit of a request; a longer one does not end requests on a
    busy machine.
    """
    ini = _read(project / "production.ini")
    application = ini[APPLICATION]
    application["sqlalchemy.url"] = url
    application["finance_api.allowed_hosts"] = "127.0.0.1 localhost"
    application["finance_api.require_https"] = "false"
    application["finance_api.jwt.keys"] = ""
    application["sqlalchemy.statement_seconds"] = str(statement_seconds)
    application["finance_api.ratelimit.public"] = _MANY
    if plain:
        application["finance_api.storage"] = "bench.plain_storage.open_plain"
    if not cached:
        application[_CACHE_BYTES] = "0"
    if server == "waitress":
        ini["server:main"] = _read(project / "development.ini")["server:main"]
        # More than the number of connections; otherwise slow searches would be refused.
        ini["server:main"]["threads"] = "20"
        application["finance_api.max_data_requests"] = "17"
    else:
        ini["server:main"].update({"workers": "1", "threads": str(threads)})
    ini.remove_option("server:main", "get port")
    ini["server:main"].update({"host": "127.0.0.1", "port": str(port)})
    ini["handler_console"]["class"] = "FileHandler"
    ini["handler_console"]["args"] = repr((str(path.with_suffix(".log")), "w"))
    with open(path, "w", encoding="utf-8") as file:
        ini.write(file)
    return path


def _read(path: Path) -> configparser.ConfigParser:
    # With another name for its defaults, configparser treats [DEFAULT] as a plain section.
    ini = configparser.ConfigParser(interpolation=None, default_section="no defaults")
    ini.optionxform = str  # type: ignore[method-assign,assignment]
    ini.read(path, encoding="utf-8")
    return ini


def context_of(ini: Path) -> CliContext:
    """Open the storage of an ini file as the commands do."""
    context = CliContext()
    context.config = str(ini)
    return context


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"
