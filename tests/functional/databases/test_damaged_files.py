"""Responses to readers if pages of the database file have been overwritten."""

import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from psycopg.errors import (
    AdminShutdown,
    ConnectionFailure,
    DataCorrupted,
    IndexCorrupted,
    InternalError_,
)
from sqlalchemy import create_engine

from finance_api.http import errors
from finance_api.http.errors import DAMAGED, DAMAGED_RETRY_SECONDS
from finance_api.ledger.checking import find_faults
from finance_api.storage.errors import StorageDamaged, StorageUnavailable
from finance_api.storage.interface import NO_VALUE, START, Fault, reading
from finance_api.storage.sql.connections.failures import raise_unavailable
from support.native_rows import household, record, uid
from support.nightly import count
from support.service import Service

PAGE_BYTES = 8_192
SECTOR_BYTES = 512

REQUESTS = (
    ("records", {}),
    ("records", {"offset": 700, "limit": 100}),
    ("records", {"note": "contains.Note 9", "sortBy": "-amount"}),
    ("records/summary", {"groupBy": "category"}),
    ("records/by-id", {"id": uid("Record", 500)}),
    ("accounts", {}),
    ("accounts/balances", {}),
    ("budgets", {}),
    ("categories", {}),
    ("standing-orders", {}),
    ("changes", {}),
)


class Damaged:
    """A service over a SQLite file that the tests overwrite between requests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Keep nothing that was read: no responses and, because the file is closed each time, no
        # pages.
        settings = {"sqlalchemy.url": f"sqlite:///{path}", "finance_api.cache.max_bytes": "0"}
        self.service = Service("sqlite", settings)
        self.service.backend.upgrade()
        self.client = self.service.client()
        many = (
            record(n, note=f"Note {n}", amount=-n, recordDate=f"2026-{n % 12 + 1:02}-01")
            for n in range(100, 1_000)
        )
        self.client.load(*household(), *many)
        self.older = self.content()
        self.client.load(*(record(n, note="later") for n in range(1_000, 1_200)))
        self.whole = self.content()
        self.expected = self.ask()

    def settle(self) -> None:
        """Write everything into the one file, and close all connections to it."""
        self.service.backend.close()
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def content(self) -> bytes:
        self.settle()
        return self.path.read_bytes()

    def write(self, content: bytes) -> None:
        """Put another file in its place; programs that have the old one open do not interfere."""
        self.service.backend.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        self.path.write_bytes(content)

    def ask(self) -> list[tuple[int, bytes]]:
        answers = [self.client.get(path, **query) for path, query in REQUESTS]
        return [(answer.status_int, answer.body) for answer in answers]

    def is_found(self) -> bool:
        """Whether `finance-api check` would find the damage."""
        backend, now = self.service.backend, self.service.clock.now()
        try:
            if list(backend.find_faults()):
                return True
            with reading(backend) as storage:
                users = storage.users.list_all()
            return any(list(find_faults(backend, u, now=now, repair=False)) for u in users)
        except NO_VALUE:
            return True


def spoil(kind: str, whole: bytes, older: bytes, chance: random.Random) -> bytes:
    """Return the file with damage at one place after its first page."""
    at = chance.randrange(1, len(whole) // PAGE_BYTES) * PAGE_BYTES
    sector = at + chance.randrange(PAGE_BYTES // SECTOR_BYTES) * SECTOR_BYTES
    match kind:
        case "a page of zeros":
            new = bytes(PAGE_BYTES)
        case "a page of noise":
            new = chance.randbytes(PAGE_BYTES)
        case "another page":
            other = chance.randrange(1, len(whole) // PAGE_BYTES) * PAGE_BYTES
            new = whole[other : other + PAGE_BYTES]
        case "an older page":
            new = older[at : at + PAGE_BYTES] or bytes(PAGE_BYTES)
        case "a sector of zeros":
            at, new = sector, bytes(SECTOR_BYTES)
        case "a sector of noise":
            at, new = sector, chance.randbytes(SECTOR_BYTES)
        case _:
            at += chance.randrange(PAGE_BYTES)
            new = bytes([whole[at] ^ chance.randrange(1, 256)])
    return whole[:at] + new + whole[at + len(new) :]


KINDS = (
    "a page of zeros",
    "a page of noise",
    "another page",
    "an older page",
    "a sector of zeros",
    "a sector of noise",
    "a byte",
)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Damaged:
    return Damaged(tmp_path_factory.mktemp("damaged") / "finance.sqlite")


@pytest.mark.nightly
def test_what_readers_get_of_damage_check_finds(damaged: Damaged) -> None:
    """Whenever a response differs from the undamaged file's, `check` finds the damage."""
    chance = random.Random(0)
    print()
    for kind in KINDS:
        answers: Counter[str] = Counter()
        found = harmful = 0
        for _ in range(count(1, 100)):
            damaged.write(spoil(kind, damaged.whole, damaged.older, chance))
            got = damaged.ask()
            named = [
                "same" if g == e else "wrong" if g[0] == e[0] else str(g[0])
                for g, e in zip(got, damaged.expected, strict=True)
            ]
            answers.update(named)
            is_harmful = set(named) != {"same"}
            is_found = damaged.is_found()
            harmful += is_harmful
            found += is_found
            assert is_found or not is_harmful, (kind, named)
        print(f"{kind}: {dict(answers)}, harmful {harmful}, found {found}")
        if kind in ("a page of zeros", "a page of noise"):
            assert not set(answers) - {"same", "503"}, kind


def test_damage_is_503_with_its_own_words_and_logged_once(
    damaged: Damaged, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damages the pages with the records' JSON; other data is served as before."""
    with closing(sqlite3.connect(damaged.path)) as connection:
        pages = connection.execute("SELECT pageno FROM dbstat WHERE name = 'records_by_date'")
        numbers = [number for (number,) in pages]
    content = bytearray(damaged.whole)
    for number in numbers:
        content[(number - 1) * PAGE_BYTES : number * PAGE_BYTES] = bytes(PAGE_BYTES)
    damaged.write(bytes(content))
    # Make the process forget that it has logged damage.
    monkeypatch.setattr(errors, "_told_damage", set())
    for _ in range(2):
        answer = damaged.client.get("records")
        assert answer.status_int == 503
        assert answer.json["detail"] == DAMAGED
        assert int(answer.headers["Retry-After"]) == DAMAGED_RETRY_SECONDS
    assert damaged.client.get("accounts").status_int == 200
    (line,) = [r.getMessage() for r in caplog.records if r.name == "finance_api.http.errors"]
    assert "finance-api check" in line
    damaged.write(damaged.whole)
    assert damaged.client.get("records").status_int == 200


def test_noise_in_what_is_shown_is_503(damaged: Damaged) -> None:
    """Damages the text of a row, which SQLite does not check."""
    at = damaged.whole.index(b'"note":"Note 999"')
    for noise in (b"\xff\xfe\xfd", b"\0\0\0"):
        content = damaged.whole.replace(damaged.whole[at : at + 11], b'"note":"' + noise)
        damaged.write(content)
        page = {"recordDate": "gte.2026-01-01", "note": "contains.Note 999"}
        assert damaged.client.get("records", **page).status_int == 503, noise
        changes = damaged.client.get("changes", types="records", limit=1_000)
        assert changes.status_int == 503, noise


def test_what_postgresql_says_of_damage() -> None:
    """Tests only how errors are understood: PostgreSQL's pages are in the server's folder."""
    dialect = create_engine("postgresql+psycopg://").dialect
    for failure in (DataCorrupted("invalid page"), IndexCorrupted("x")):
        with pytest.raises(StorageDamaged, match="finance-api check"):
            raise_unavailable(failure, dialect, is_disconnect=False)
    # Citus reports a lost connection to another server by one of the last two.
    for failure in (AdminShutdown("x"), InternalError_("x"), ConnectionFailure("x")):
        with pytest.raises(StorageUnavailable) as raised:
            raise_unavailable(failure, dialect, is_disconnect=False)
        assert not isinstance(raised.value, StorageDamaged)
        assert Fault.unreadable(raised.value).command == START
