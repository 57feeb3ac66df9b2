"""The servers that are compared, each started on the servers' core."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec

from bench.competitors.datasette_metadata import SETTINGS, write_metadata
from bench.dialects import Datasette, Dialect, FastApi, Ours
from bench.ini import write_ini
from bench.loads import Load
from bench.postgresql import Postgresql
from bench.prepare import competitors_url_of, url_of
from bench.processes import Process, free_port
from bench.workspace import Workspace

#: waitress on the storage without its read model.
PLAIN = "plain"
OURS = ("waitress", PLAIN, "granian")
#: waitress is the development server: reported, without targets.
WITH_TARGETS = ("granian",)
COMPETITORS = ("fastapi", "datasette")
SERVERS = (*OURS, *COMPETITORS)
#: The competitor that ratios compare with.
REFERENCE = "fastapi"

#: The default number of threads.
_THREADS = 8

_PSERVE = ("-m", "pyramid.scripts.pserve")
#: The production server runs as in deploy/finance-api@.service.
_UNIT_COMMAND = ("chrt", "--batch", "0")
_UNIT_ENVIRONMENT = {"MALLOC_ARENA_MAX": "1"}


@dataclass(slots=True)
class Server:
    """One server on one database.

    cached: the process for loads that may use the response cache. uncached: the process for other
    loads; the same process if the server has no cache.
    """

    name: str
    database: str
    dialect: Dialect
    cached: Process
    uncached: Process = field(init=False)

    def __post_init__(self) -> None:
        self.uncached = self.cached

    @property
    def is_ours(self) -> bool:
        return self.name in OURS

    def process_for(self, load: Load) -> Process:
        return self.cached if load.cached else self.uncached


def why_missing(name: str, database: str, postgresql: Postgresql | None) -> str:
    """Return why this server cannot be measured on this database; "" if it can."""
    if database == "postgresql" and postgresql is None:
        return "PostgreSQL is not installed"
    if name == "datasette" and database != "sqlite":
        return "Datasette serves SQLite only"
    package = {"fastapi": "uvicorn", PLAIN: "waitress"}.get(name, name)
    return "" if find_spec(package) else f"the package {package} is not installed"


@contextmanager
def serving(
    workspace: Workspace, postgresql: Postgresql | None, wanted: Sequence[tuple[str, str]]
) -> Iterator[list[Server]]:
    """Yield listening servers for these (name, database) pairs, and end them afterwards."""
    with ExitStack() as stack:
        servers = []
        for name, database in wanted:
            server = _start(stack, workspace, postgresql, name, database)
            if server.is_ours:
                server.uncached = _start_ours(
                    stack, workspace, postgresql, name, database, cached=False
                )
            servers.append(server)
        for server in servers:
            server.cached.wait_until_listening()
            server.uncached.wait_until_listening()
        yield servers


@contextmanager
def serving_exports(
    workspace: Workspace, postgresql: Postgresql | None, database: str
) -> Iterator[Server]:
    """Yield the production server with its usual number of threads, which exports need."""
    with ExitStack() as stack:
        process = _start_ours(
            stack, workspace, postgresql, "granian", database, cached=False, threads=_THREADS
        )
        process.wait_until_listening()
        yield Server("granian", database, Ours(), process)


def _start(
    stack: ExitStack, workspace: Workspace, postgresql: Postgresql | None, name: str, database: str
) -> Server:
    if name in OURS:
        process = _start_ours(stack, workspace, postgresql, name, database, cached=True)
        return Server(name, database, Ours(), process)
    if name == "datasette":
        dialect = Datasette(workspace.competitors_sqlite.stem)
        return Server(name, database, dialect, _start_datasette(stack, workspace))
    url = competitors_url_of(workspace, database, postgresql)
    return Server(name, database, FastApi(), _start_fastapi(stack, workspace, database, url))


def _start_datasette(stack: ExitStack, workspace: Workspace) -> Process:
    port = free_port()
    metadata = write_metadata(
        workspace.scratch("datasette.json"), workspace.competitors_sqlite.stem
    )
    command = [sys.executable, "-m", "datasette", "serve"]
    command += ["--immutable", str(workspace.competitors_sqlite), "--metadata", str(metadata)]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    for setting, value in SETTINGS.items():
        command += ["--setting", setting, value]
    return _run(stack, workspace, "datasette", command, port)


def _start_fastapi(stack: ExitStack, workspace: Workspace, database: str, url: str) -> Process:
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "bench.competitors.fastapi_app:app",
        "--workers",
        "1",
    ]
    command += ["--host", "127.0.0.1", "--port", str(port), "--no-access-log"]
    command += ["--loop", "uvloop", "--http", "httptools"]
    return _run(stack, workspace, f"fastapi-{database}", command, port, {"COMPETITOR_URL": url})


def _start_ours(
    stack: ExitStack,
    workspace: Workspace,
    postgresql: Postgresql | None,
    name: str,
    database: str,
    *,
    cached: bool,
    threads: int = 1,
) -> Process:
    label = f"{name}-{database}{'' if cached else '-uncached'}{f'-{threads}' * (threads != 1)}"
    plain = name == PLAIN
    url = url_of(workspace, database, postgresql, plain=plain)
    port = free_port()
    ini = write_ini(
        workspace.scratch(f"{label}.ini"),
        url=url,
        cached=cached,
        server="waitress" if plain else name,
        threads=threads,
        port=port,
        plain=plain,
    )
    command = [sys.executable, *_PSERVE, str(ini)]
    if name in WITH_TARGETS:
        return _run(stack, workspace, label, [*_UNIT_COMMAND, *command], port, _UNIT_ENVIRONMENT)
    return _run(stack, workspace, label, command, port)


def _run(
    stack: ExitStack,
    workspace: Workspace,
    label: str,
    command: Sequence[str],
    port: int,
    environment: Mapping[str, str] | None = None,
) -> Process:
    process = Process(command, workspace.scratch(f"{label}.out"), port, environment or {})
    stack.callback(process.stop)
    return process
