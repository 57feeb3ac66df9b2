"""The cost of finding a token among few and among many, in the service's own storage."""

import hashlib
import random
import statistics
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, MetaData, Table, create_engine, insert, select

from bench import data
from bench.importing import MADE_AT
from bench.ini import context_of, sqlite_url, write_ini
from bench.postgresql import Postgresql
from bench.prepare import remove_sqlite, run_program
from bench.workspace import Workspace
from finance_api.auth.personal_tokens import issue_token
from finance_api.auth.user_accounts import make_user
from finance_api.cli.context import CliContext
from finance_api.storage.interface import Token

_LOOK_UPS = 400
_ROUNDS = 9
_CHUNK = 50_000


@dataclass(frozen=True, slots=True)
class TokenLookup:
    """tokens: how many tokens exist. microseconds: the median time of finding one."""

    tokens: int
    microseconds: float


def measure_lookups(
    workspace: Workspace, database: str, postgresql: Postgresql | None
) -> tuple[TokenLookup, TokenLookup]:
    """Measure lookups among few and among many tokens, in turn."""
    contexts = [
        _context_with(workspace, database, postgresql, count)
        for count in workspace.size.token_counts
    ]
    try:
        found: list[list[float]] = [[], []]
        for _ in range(_ROUNDS):
            for n, (cli, digests) in enumerate(contexts):
                found[n].append(_median_of(cli, digests))
    finally:
        for cli, _ in contexts:
            cli.close()
    few, many = (
        TokenLookup(count, statistics.median(rounds))
        for count, rounds in zip(workspace.size.token_counts, found, strict=True)
    )
    return few, many


def _median_of(cli: CliContext, digests: Sequence[str]) -> float:
    durations = []
    for sha256 in digests:
        begin = time.perf_counter()
        with cli.reading() as storage:
            token, _ = storage.users.get_owner(Token, sha256)
        durations.append(time.perf_counter() - begin)
        assert token.sha256 == sha256
    return statistics.median(durations) * 1e6


def _context_with(
    workspace: Workspace, database: str, postgresql: Postgresql | None, count: int
) -> tuple[CliContext, list[str]]:
    """Return the storage with this many tokens, and the digests of some of them."""
    name = f"tokens_{count}"
    if database == "sqlite":
        path = workspace.scratch(f"{name}.sqlite")
        remove_sqlite(path)
        url = sqlite_url(path)
    else:
        assert postgresql is not None
        postgresql.recreate(name)
        url = postgresql.url(name)
    ini = write_ini(workspace.scratch(f"{name}-{database}.ini"), url=url)
    run_program(ini, "db", "upgrade")
    cli = context_of(ini)
    with cli.writing() as storage:
        user = make_user(storage, "many@bench.example", premium=True, password=None, now=MADE_AT)
        issue_token(storage, user, name="bench", now=MADE_AT)
    engine = create_engine(url)
    with engine.begin() as connection:
        digests = _multiply(connection, count)
    engine.dispose()
    if postgresql is not None and database == "postgresql":
        postgresql.run_sql(name, "VACUUM ANALYZE tokens")
    return cli, digests


def _multiply(connection: Connection, count: int) -> list[str]:
    """Insert rows like the only row directly into the table; return the digests of some rows."""
    draw = random.Random(f"{data.SEED} tokens {count}")
    table = Table("tokens", MetaData(), autoload_with=connection)
    like = dict(connection.execute(select(table)).mappings().one())
    digests = [hashlib.sha256(draw.randbytes(32)).hexdigest() for _ in range(count - 1)]
    rows = (
        {**like, "id": str(uuid.UUID(int=draw.getrandbits(128), version=4)), "sha256": sha256}
        for sha256 in digests
    )
    for chunk in _chunks(rows):
        _insert(connection, table, chunk)
    return draw.sample(digests, min(_LOOK_UPS, len(digests)))


def _chunks(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    chunk: list[dict[str, Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    yield chunk


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    names = list(rows[0])
    raw: Any = connection.connection.driver_connection
    with raw.cursor() as cursor:
        quoted = ", ".join(f'"{name}"' for name in names)
        with cursor.copy(f'COPY "{table.name}" ({quoted}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row([row[name] for name in names])
