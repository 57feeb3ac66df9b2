"""Memory, time and size for many users with the same number of records, on PostgreSQL.

python -m bench.capacity USERS RECORDS      prints a row of the table in docs/scaling.md

A few users are imported. The others are copies of them, inserted below the service with all indexes
in place. Requests and imports are from users all over the table, without a server. Their cost is
the processor time of the process and of PostgreSQL together. The data is removed at the end.
"""

import argparse
import io
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path

from bench import data
from bench.importing import MADE_AT, import_everybody
from bench.ini import context_of, write_ini
from bench.micro.application import opened
from bench.postgresql import OURS, Postgresql, running
from bench.prepare import run_program
from bench.processes import anonymous_bytes
from bench.sizes import PAGE, Size
from bench.workspace import Workspace, exclusive
from finance_api.auth.personal_tokens import digest, new_token
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.storage.sql.indexes import metadata
from finance_api.values.ids import new_id

_IMPORTED = 20
_ASKED = 200
_REQUESTS = 1_000
_IMPORTS = 20
_RECORDS_IN_FILE = 30
_PATH = f"/v1/api/records?limit={PAGE}&recordDate=gte.{data.SINCE}"
#: Values in which copied rows differ from their originals: {0} is the number of imported users.
_CHANGED = {
    "user_id": "t.user_id + n * {0}",
    "users.id": "t.id + n * {0}",
    "users.uuid": "gen_random_uuid()::text",
    "users.email": "n || '-' || t.email",
    "tokens.id": "gen_random_uuid()::text",
    "tokens.sha256": "encode(sha256((n || t.sha256)::bytea), 'hex')",
}
#: Settings for loading only: if a crash loses data, the data is loaded again.
_LOADING = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}


def _load(server: Postgresql, workspace: Workspace, ini: Path, users: int) -> None:
    run_program(ini, "db", "upgrade")
    # Use another process, whose memory does not count.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(import_everybody, ini, workspace).result()
    for table in metadata.sorted_tables:
        if table.name not in ("users", "tokens") and "user_id" not in table.primary_key.columns:
            continue
        names = [column.name for column in table.columns]
        values = [
            _CHANGED.get(f"{table.name}.{name}", _CHANGED.get(name, f't."{name}"')).format(
                workspace.size.users
            )
            for name in names
        ]
        listed = ", ".join(f'"{name}"' for name in names)
        server.run_sql(
            OURS,
            # Copy without foreign keys. The only effect of the offset of 0 is that PostgreSQL
            # inserts one copy of the table after the other.
            "SET session_replication_role = replica;"
            f"INSERT INTO {table.name} ({listed}) SELECT {', '.join(values)} "
            f"FROM generate_series(1, {users // workspace.size.users - 1}) n, "
            f"LATERAL (SELECT * FROM {table.name} OFFSET 0 * n) t",
        )
    server.run_sql(OURS, "VACUUM ANALYZE")


def _some_people(server: Postgresql, workspace: Workspace, users: int) -> list[data.Person]:
    """Return users from all over the table, with new tokens."""
    imported, found, changes = data.prepare(workspace), [], []
    for user_id in random.Random(data.SEED).sample(range(1, users + 1), min(_ASKED, users)):
        copy, place = divmod(user_id - 1, len(imported))
        person, token = imported[place], new_token()
        email = f"{copy}-{person.email}" if copy else person.email
        changes.append(f"UPDATE tokens SET sha256 = '{digest(token)}' WHERE user_id = {user_id}")
        found.append(data.Person(person.number, email, token, person.records, ()))
    server.run_sql(OURS, ";".join(changes))
    return found


def _milliseconds(server: Postgresql, calls: int, call: Callable[[int], object]) -> float:
    """Return the processor time of a call, including PostgreSQL's."""
    begin, served = time.process_time(), server.busy_seconds()
    for number in range(calls):
        call(number)
    return (time.process_time() - begin + server.busy_seconds() - served) / calls * 1_000


def new_records(workspace: Workspace, person: data.Person) -> bytes:
    """Return a native file of records that are new to this user, on the user's accounts."""
    lines = data.file_of(workspace, person.number).read_bytes().splitlines(keepends=True)
    head = b'{"reserved_model_type":"Record","id":"'
    old = [line for line in lines if line.startswith(head)][:_RECORDS_IN_FILE]
    return b"".join(head + new_id().encode() + line[len(head) + 36 :] for line in old)


def _measure(server: Postgresql, workspace: Workspace, ini: Path, users: int) -> list[str]:
    people = _some_people(server, workspace, users)
    with opened(ini, people) as application:

        def ask(number: int) -> None:
            status, _, body = application.respond(application.environ(_PATH))
            assert status.startswith("200"), status
            assert len(body) > PAGE

        _milliseconds(server, len(people), ask)
        page = _milliseconds(server, _REQUESTS, ask)
        memory = anonymous_bytes(os.getpid()), server.memory_bytes()
    cli = context_of(ini)
    files = [new_records(workspace, person) for person in people[: _IMPORTS + 1]]

    def bring(number: int) -> None:
        order = ImportOrder(people[number].email, io.BytesIO(files[number]), now=MADE_AT)
        import_file(cli.backend, order)

    bring(len(files) - 1)
    imported = _milliseconds(server, len(files) - 1, bring)
    cli.close()
    return [f"{page:.2f} ms", f"{1_000 / page:,.0f}", f"{imported:.0f} ms"] + [
        f"{used / 1e6:,.0f} MB" for used in memory
    ]


@contextmanager
def _server(workspace: Workspace) -> Iterator[Postgresql]:
    """Yield a server with an empty database; remove all files at the end."""
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, workspace.directory, ignore_errors=True)
        stack.callback(lambda: shutil.rmtree(server.directory))
        server = stack.enter_context(running(workspace))
        if server is None:
            raise SystemExit("PostgreSQL is not installed")
        server.recreate(OURS)
        yield server


def _main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("users", type=int, help=f"a multiple of {_IMPORTED}")
    parser.add_argument("records", type=int, help="of each user")
    users, records = vars(parser.parse_args()).values()
    name = f"capacity-{users}-{records}"
    size = Size(name, _IMPORTED, records, _IMPORTED - 2, records, records)
    workspace = Workspace(size)
    with exclusive(), _server(workspace) as server:
        ini = write_ini(workspace.scratch("capacity.ini"), url=server.url(OURS), cached=False)
        for name, value in _LOADING.items():
            server.run_sql("postgres", f"ALTER SYSTEM SET {name} = {value}")
        server.run_sql("postgres", "SELECT pg_reload_conf()")
        begin = time.perf_counter()
        _load(server, workspace, ini, users)
        seconds = time.perf_counter() - begin
        total = int(server.run_sql(OURS, f"SELECT pg_database_size('{OURS}')"))
        for name in _LOADING:
            server.run_sql("postgres", f"ALTER SYSTEM RESET {name}")
        server.run_sql("postgres", "SELECT pg_reload_conf()")
        row = [f"{users:,} × {records:,}", f"{total / 1e9:.1f} GB"]
        row += [f"{total / users / records / 1e3:.2f} kB", f"{seconds:,.0f} s"]
        print(f"| {' | '.join([*row, *_measure(server, workspace, ini, users)])} |")


if __name__ == "__main__":
    _main()
