"""Where a file and the stored records that it may meet are compared: a private database.

It lies in memory as far as its cache goes, and in a temporary file beyond: a file of any size takes
the same memory.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from finance_api.importers.interface import Entry, Statement
from finance_api.ledger.matching.stated import hash_of
from finance_api.values.text import fold
from finance_api.values.time import DAY_SECONDS

_CACHE_KIB = 24 * 1024
_BATCH = 1_000
# Days are numbers since 1970-01-01. text and content are hashes, see `stated.Content`; content is
# without the time. So are payee and note of what is stored. batch is what an entry is a part of.
# stored.entry numbers the entries of a record by their places in `stated`; mine: of this file's
# source; covered, inner: by this file.
_TABLES = """
CREATE TABLE entries (
    n INTEGER PRIMARY KEY, account INT, statement INT, line INT, day INT, time INT, amount INT,
    text INT, content INT, bank_id TEXT, fingerprint TEXT, payee TEXT, note TEXT, category TEXT,
    labels TEXT, payment_type TEXT, value_date INT, counterparty_account TEXT, reference TEXT,
    original_amount INT, original_currency TEXT, corrects TEXT, deletes INT, batch TEXT,
    section INT, record_state TEXT, outcome INT, k INT, number INT);
CREATE TABLE stored (
    k INTEGER PRIMARY KEY, record TEXT, entry INT, account INT, mine INT, source TEXT,
    bank_id TEXT, other_id TEXT, day INT, time INT, amount INT, text INT, content INT, as_of INT,
    any_text INT, covered INT, inner INT, void INT, batch TEXT, taken INT, payee INT, note INT);
CREATE TABLE earlier (
    k INT, account INT, bank_id TEXT, is_alias INT, content INT, time INT, day INT);
CREATE TABLE pairs (n INTEGER PRIMARY KEY, k INT);
"""
_ENTRY = f"INSERT INTO entries VALUES ({','.join('?' * 29)})"
_STORED = f"INSERT INTO stored VALUES ({','.join('?' * 22)})"
_EARLIER = "INSERT INTO earlier VALUES (?, ?, ?, ?, ?, ?, ?)"


#: The sum of amounts in two halves: SQLite's own fails beyond 64 bits. See `total`.
SUM = "sum(amount >> 32) AS high, sum(amount & 4294967295) AS low"


def total(sums: sqlite3.Row) -> int:
    """What `SUM` found."""
    return int((sums["high"] or 0) << 32) + int(sums["low"] or 0)


class Outcome(IntEnum):
    """What becomes of an entry; NULL: not decided yet."""

    #: It is the stored record.
    SAME = 1
    #: It is the stored record, by its content alone.
    SAME_CONTENT = 2
    #: The file has it already.
    DUPLICATE = 3
    #: It is the stored record, and says something else of it.
    CORRECTION = 4
    #: It is the stored record, which a later statement has told already.
    OLDER = 5
    #: It is the record of another source.
    MATCHED = 6
    #: As MATCHED, of several records together: beyond the first one nothing is said of them.
    MATCHED_PARTS = 7
    #: It takes the stored record back.
    VOIDS = 8
    #: It corrects or takes back another entry, and waits for it.
    WAITING = 9
    #: A new record.
    NEW = 10


class StoredEntry(NamedTuple):
    """A row of the table of entries."""

    n: int
    account: int
    statement: int
    line: int
    day: int
    time: int
    amount: int
    text: int
    content: int
    bank_id: str | None
    fingerprint: str
    payee: str | None
    note: str | None
    category: str | None
    labels: str | None
    payment_type: str | None
    value_date: int | None
    counterparty_account: str | None
    reference: str | None
    original_amount: int | None
    original_currency: str | None
    corrects: str | None
    deletes: int | None
    batch: str | None
    section: int | None
    record_state: str | None
    outcome: int | None
    k: int | None
    number: int


class Workspace:
    """The entries of one file and what is stored, each with an account by its number.

    source: of the file's entries. statements: of the file, complete when it is read.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.statements: list[Statement] = []
        self._numbers: dict[int, int] = {}
        self._batch: list[tuple[Any, ...]] = []
        self._count = 0
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.create_function("hash_of", 1, hash_of, deterministic=True)
        self.database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
            f"PRAGMA cache_size = -{_CACHE_KIB}; {_TABLES} BEGIN"
        )

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    # -- what is put there

    def read(self, entries: Iterable[tuple[Statement, Entry | None]]) -> None:
        """Puts the entries of a file there. Raises ImportRefused."""
        for statement, entry in entries:
            number = self._numbers.get(id(statement))
            if number is None:
                number = self._numbers[id(statement)] = len(self.statements)
                self.statements.append(statement)
            if entry is not None:
                self._add(number, entry)
        self._flush()

    def _add(self, statement: int, entry: Entry) -> None:
        # As `Content` has them; there are many.
        day, time = divmod(entry.date, DAY_SECONDS)
        text = hash((fold(entry.payee or ""), fold(entry.note or "")))
        correction = entry.correction
        self._count += 1
        self._batch.append(
            (
                self._count,
                statement,
                statement,
                entry.line,
                day,
                time,
                entry.amount,
                text,
                hash((day, entry.amount, text)),
                entry.bank_id,
                entry.fingerprint,
                entry.payee,
                entry.note,
                entry.category,
                json.dumps(entry.labels) if entry.labels else None,
                entry.payment_type,
                entry.value_date,
                entry.counterparty_account,
                entry.reference,
                entry.original_amount,
                entry.original_currency,
                None if correction is None else correction.bank_id,
                None if correction is None else correction.deletes,
                entry.batch,
                entry.section,
                entry.record_state,
                None,
                None,
                1,
            )
        )
        if len(self._batch) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        self.database.executemany(_ENTRY, self._batch)
        self._batch.clear()

    def add_stored(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self.database.executemany(_STORED, rows)

    def add_earlier(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self.database.executemany(_EARLIER, rows)

    def join_accounts(self, accounts: list[int]) -> None:
        """accounts: of the statements; by itself each has one of its own."""
        if accounts != list(range(len(accounts))):
            self.run("CREATE TABLE joined (statement INTEGER PRIMARY KEY, account INT)")
            self.database.executemany("INSERT INTO joined VALUES (?, ?)", enumerate(accounts))
            self.run(
                "UPDATE entries SET account = joined.account FROM joined "
                "WHERE joined.statement = entries.statement"
            )

    # -- what is read from there

    def rows(self, sql: str, *values: Any) -> Iterator[sqlite3.Row]:
        """What a statement finds, by the names of the columns; read as it is asked for."""
        cursor = self.database.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(sql, values)

    def entries(self, condition: str, order: str = "n") -> Iterator[StoredEntry]:
        """Whole entries, read as they are asked for."""
        columns = ", ".join(StoredEntry._fields)
        sql = f"SELECT {columns} FROM entries WHERE {condition} ORDER BY {order}"
        return map(StoredEntry._make, self.database.execute(sql))

    def one(self, sql: str, *values: Any) -> sqlite3.Row | None:
        return next(self.rows(sql, *values), None)

    def number(self, sql: str, *values: Any) -> int:
        found = self.database.execute(sql, values).fetchone()[0]
        return int(found or 0)

    def run(self, sql: str, *values: Any) -> int:
        """How many rows it changed."""
        return self.database.execute(sql, values).rowcount

    @property
    def has_undecided(self) -> bool:
        return self.one("SELECT 1 FROM entries WHERE outcome IS NULL LIMIT 1") is not None

    @property
    def has_stored(self) -> bool:
        return self.one("SELECT 1 FROM stored LIMIT 1") is not None

    # -- pairing

    def pair(
        self,
        keys: str,
        outcome: Outcome,
        *,
        entries: str = "1",
        stored: str = "mine",
        bank_id: str = "bank_id",
    ) -> int:
        """Pairs undecided entries with stored ones that nothing is paired with, one to one.

        keys: the columns that are equal in both; the n-th of equal ones goes with the n-th.
        entries, stored: which of them. bank_id: the column of the stored ones' bank ids.
        """
        self.run("DELETE FROM pairs")
        keys = f"account, {keys}"
        own_keys = keys.replace("bank_id", bank_id)
        named = keys.replace("bank_id", f"{bank_id} AS bank_id")
        found = self.run(
            f"""
            INSERT INTO pairs SELECT e.n, s.k FROM (
                SELECT n, {keys}, row_number() OVER (PARTITION BY {keys} ORDER BY n) AS nth
                FROM entries WHERE outcome IS NULL AND ({entries})
            ) AS e JOIN (
                SELECT k, {named}, row_number() OVER (PARTITION BY {own_keys} ORDER BY k) AS nth
                FROM stored WHERE NOT taken AND ({stored})
            ) AS s USING ({keys}, nth)
            """
        )
        if found:
            self.take_pairs(outcome)
        return found

    def take_pairs(self, outcome: Outcome) -> None:
        """Decides what stands in the table of pairs."""
        self.run(
            "UPDATE entries SET outcome = ?, k = pairs.k FROM pairs WHERE pairs.n = entries.n",
            outcome,
        )
        self.run("UPDATE stored SET taken = 1 WHERE k IN (SELECT k FROM pairs)")

    def decide(self, n: int, outcome: Outcome | None, k: int | None) -> None:
        self.run("UPDATE entries SET outcome = ?, k = ? WHERE n = ?", outcome, k, n)
        if k is not None:
            self.run("UPDATE stored SET taken = ? WHERE k = ?", outcome is not None, k)
