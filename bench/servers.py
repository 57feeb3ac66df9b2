"""The servers that are compared, each started on the servers' core."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from importlib.util import find_spec

from bench.dialects import Datasette, Dialect, FastApi, Ours
from bench.ini import has_caches, write_ini
from bench.loads import Load
from bench.peers.datasette_metadata import SETTINGS, write_metadata
from bench.places import Place
from bench.postgresql import Postgresql
from bench.prepare import peer_url_of, url_of
from bench.processes import Process, free_port

OURS = ("waitress", "granian")
PEERS = ("fastapi", "datasette")
SERVERS = (*OURS, *PEERS)
#: What throughput is compared with.
REFERENCE = "fastapi"

_PSERVE = ("-m", "pyramid.scripts.pserve")


@dataclass(slots=True)
class Server:
    """One server on one database.

    kept: the process that answers loads whose answers may be kept. cold: the one for the others;
    the same where there are no caches.
    """

    name: str
    database: str
    dialect: Dialect
    kept: Process
    cold: Process = field(init=False)

    def __post_init__(self) -> None:
        self.cold = self.kept

    @property
    def is_ours(self) -> bool:
        return self.name in OURS

    def process_for(self, load: Load) -> Process:
        return self.kept if load.kept else self.cold


def why_missing(name: str, database: str, postgresql: Postgresql | None) -> str:
    """Why this server cannot be measured on this database; empty if it can."""
    if database == "postgresql" and postgresql is None:
        return "PostgreSQL is not installed"
    if name == "datasette" and database != "sqlite":
        return "Datasette serves SQLite only"
    if name == "granian" and not _has_granian_runner():
        return "this version has no granian runner"
    package = {"fastapi": "uvicorn"}.get(name, name)
    return "" if find_spec(package) else f"the package {package} is not installed"


def _has_granian_runner() -> bool:
    """Whether the code has one, and the installed package says so to pserve."""
    runners = entry_points(group="paste.server_runner", name="granian")
    return any(
        find_spec(runner.module.rpartition(".")[0]) and find_spec(runner.module)
        for runner in runners
    )


@contextmanager
def serving(
    place: Place,
    postgresql: Postgresql | None,
    wanted: Sequence[tuple[str, str]],
    *,
    cold: bool = True,
) -> Iterator[list[Server]]:
    """The servers of these (name, database), listening; ended at the end.

    cold: whether loads come for which the service's caches are off.
    """
    with ExitStack() as stack:
        servers = []
        for name, database in wanted:
            server = _start(stack, place, postgresql, name, database)
            if cold and server.is_ours and has_caches():
                server.cold = _start_ours(
                    stack, place, postgresql, name, database, keep_answers=False
                )
            servers.append(server)
        for server in servers:
            server.kept.wait_until_listening()
            server.cold.wait_until_listening()
        yield servers


def _start(
    stack: ExitStack, place: Place, postgresql: Postgresql | None, name: str, database: str
) -> Server:
    if name in OURS:
        process = _start_ours(stack, place, postgresql, name, database, keep_answers=True)
        return Server(name, database, Ours(), process)
    if name == "datasette":
        dialect = Datasette(place.peer_sqlite.stem)
        return Server(name, database, dialect, _start_datasette(stack, place))
    url = peer_url_of(place, database, postgresql)
    return Server(name, database, FastApi(), _start_fastapi(stack, place, database, url))


def _start_datasette(stack: ExitStack, place: Place) -> Process:
    port = free_port()
    metadata = write_metadata(place.scratch("datasette.json"), place.peer_sqlite.stem)
    command = [sys.executable, "-m", "datasette", "serve"]
    command += ["--immutable", str(place.peer_sqlite), "--metadata", str(metadata)]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    for setting, value in SETTINGS.items():
        command += ["--setting", setting, value]
    return _run(stack, place, "datasette", command, port)


def _start_fastapi(stack: ExitStack, place: Place, database: str, url: str) -> Process:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.peers.fastapi_app:app", "--workers", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--no-access-log"]
    command += ["--loop", "uvloop", "--http", "httptools"]
    return _run(stack, place, f"fastapi-{database}", command, port, {"PEER_URL": url})


def _start_ours(
    stack: ExitStack,
    place: Place,
    postgresql: Postgresql | None,
    name: str,
    database: str,
    *,
    keep_answers: bool,
) -> Process:
    label = f"{name}-{database}{'' if keep_answers else '-cold'}"
    url = url_of(place, database, postgresql)
    ini = write_ini(place.scratch(f"{label}.ini"), url=url, keep_answers=keep_answers)
    port = free_port()
    command = [sys.executable, *_PSERVE]
    if name == "granian":
        command += ["--server-name", "granian"]
    return _run(stack, place, label, [*command, str(ini), f"http_port={port}"], port)


def _run(
    stack: ExitStack,
    place: Place,
    label: str,
    command: Sequence[str],
    port: int,
    environment: Mapping[str, str] | None = None,
) -> Process:
    process = Process(command, place.scratch(f"{label}.out"), port, environment or {})
    stack.callback(process.stop)
    return process
