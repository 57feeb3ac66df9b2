"""Imports every user's file into the service's own storage, in one process.

``python -m bench.importing INI SIZE`` prints a `Measured` as JSON. It runs in a separate process,
so that only the import's memory is measured.
"""

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import data
from bench.ini import context_of
from bench.processes import peak_bytes
from bench.sizes import SIZES
from bench.workspace import Workspace
from finance_api.auth.personal_tokens import SCOPES, START_CHARACTERS, digest
from finance_api.auth.user_accounts import make_user
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.storage.interface import StorageBackend, Token
from finance_api.values.ids import new_id

#: The time at which users and tokens are made, in seconds: 2026-07-01.
MADE_AT = 1_782_864_000


@dataclass(frozen=True, slots=True)
class Measured:
    """seconds: time of the import alone. peak_bytes: the process's largest resident set."""

    records: int
    seconds: float
    peak_bytes: int

    @property
    def records_per_second(self) -> float:
        return self.records / self.seconds


def import_everybody(ini: Path, workspace: Workspace) -> Measured:
    """Store users, tokens and data in an empty database with tables."""
    cli = context_of(ini)
    people = data.prepare(workspace)
    try:
        with cli.writing() as storage:
            for person in people:
                user = make_user(storage, person.email, premium=True, password=None, now=MADE_AT)
                storage.users.add_owned(_token(person, user.id))
        begin = time.perf_counter()
        for person in people:
            _import_one(cli.backend, person, data.file_of(workspace, person.number))
        seconds = time.perf_counter() - begin
    finally:
        cli.close()
    records = sum(person.records for person in people)
    return Measured(records, seconds, peak_bytes(os.getpid()))


def _token(person: data.Person, user_id: int) -> Token:
    """Return the token that was drawn with the data, so that all databases have the same tokens."""
    return Token(
        id=new_id(),
        user_id=user_id,
        name="bench",
        sha256=digest(person.token),
        start=person.token[:START_CHARACTERS],
        scopes=SCOPES,
        created_at=MADE_AT,
    )


def _import_one(backend: StorageBackend, person: data.Person, path: Path) -> None:
    with open(path, "rb") as stream:
        import_file(backend, ImportOrder(person.email, stream, now=MADE_AT))


if __name__ == "__main__":
    print(json.dumps(asdict(import_everybody(Path(sys.argv[1]), Workspace(SIZES[sys.argv[2]])))))
