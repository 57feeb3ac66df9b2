"""One user's data in a storage: imports, what is stored, and checks of consistency."""

import io
import itertools
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from finance_api.auth.user_accounts import make_user
from finance_api.importers.interface import StatementImporter
from finance_api.ledger.balances import settled_account
from finance_api.ledger.changing import changing
from finance_api.ledger.dump import dump
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder, ImportReport, StatementOptions
from finance_api.ledger.session import UserRows
from finance_api.ledger.splits import is_kept
from finance_api.ledger.undo import UndoReport, undo
from finance_api.resources import (
    ACCOUNTS,
    CATEGORIES,
    LABELS,
    PUBLIC_RESOURCES,
    RECORDS,
    RESOURCES,
    SPLITS,
)
from finance_api.resources.field import Resource
from finance_api.serialization.rows import change_key
from finance_api.storage.interface import HistoryEntry, StorageBackend, User, reading, unit_of_work
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS
from support.clock import HeldClock
from support.service import native_line

_numbers = itertools.count(1)
_BY_NAME = {resource.name: resource for resource in PUBLIC_RESOURCES}
#: The settings that `make_order` reads.
IMPORT_SETTINGS = {
    "finance_api.imports.keep_days": 400,
    "finance_api.imports.profiles_directory": "",
    "finance_api.transfers.link_by_number": False,
}


class Change(NamedTuple):
    revision: int
    name: str
    row_id: str
    is_deletion: bool

    @property
    def resource(self) -> Resource:
        return _BY_NAME[self.name]


def an_id(number: int) -> str:
    """Return an id. Ids sort by their numbers."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def units(text: str) -> int:
    """Convert ``-12.5`` to stored units (1/10,000)."""
    return int(Decimal(text).scaleb(4))


def account(number: int = 1, **values: Any) -> dict[str, Any]:
    return document(
        "Account", number, **{"name": f"account {number}", "currencyCode": "EUR", **values}
    )


def record(number: int, **values: Any) -> dict[str, Any]:
    made = {"reserved_model_type": "Record", "id": an_id(number), "accountId": an_id(1)}
    return {**made, "amount": Decimal("-1.50"), "recordDate": "2026-01-31", **values}


def document(model_type: str, number: int, **values: Any) -> dict[str, Any]:
    return {"reserved_model_type": model_type, "id": an_id(number), "name": "a name", **values}


class Person:
    """A new user of ``backend``, without data and with a unique e-mail address."""

    def __init__(self, backend: StorageBackend, clock: HeldClock | None = None) -> None:
        self.backend = backend
        self.clock = clock or HeldClock()
        self.user: User = self.change(
            lambda storage: make_user(
                storage,
                f"person{next(_numbers)}@example.org",
                premium=True,
                password=None,
                now=self.clock.now(),
            )
        )

    def change(self, work: Any) -> Any:
        with unit_of_work(self.backend) as storage:
            return work(storage)

    def look(self, work: Any) -> Any:
        with reading(self.backend) as storage:
            return work(storage)

    # -- imports

    def file(
        self,
        data: bytes | str,
        importer: StatementImporter | None = None,
        *,
        dry_run: bool = False,
        **options: Any,
    ) -> ImportReport:
        """options: see `StatementOptions`."""
        return import_file(
            self.backend,
            ImportOrder(
                self.user.email,
                io.BytesIO(data.encode() if isinstance(data, str) else data),
                importer,
                now=self.clock.now(),
                options=StatementOptions(**options),
                dry_run=dry_run,
            ),
        )

    def statement(self, importer: StatementImporter, **options: Any) -> ImportReport:
        """Import statements that a test makes."""
        return self.file(b"", importer, **options)

    def undo(self, number: int | None = None, **options: bool) -> UndoReport:
        """Undo an entry, by default the newest that is not undone."""
        if number is None:
            number = next(e.number for e in reversed(self.history()) if e.undone_at is None)
        with changing(self.backend, self.user.email, self.clock.now(), action=None) as session:
            return undo(session, number, **options)

    def history(self) -> list[HistoryEntry]:
        return list(self.look(lambda s: s.ledger.list_entries(self.user.id)))

    def everything(self) -> dict[str, list[Row]]:
        """Return all rows of every resource, hidden columns included."""
        return {resource.name: self.rows(resource) for resource in RESOURCES}

    def native(self, *rows: dict[str, Any]) -> ImportReport:
        """Import native rows. Decimal values are written exactly."""
        return self.file("".join(native_line(row) for row in rows))

    def ofx(self, data: bytes | str, **options: Any) -> ImportReport:
        from finance_api.importers.ofx.importer import OfxImporter

        return self.file(data, OfxImporter(options), **options)

    def bank_file(self, data: bytes | str, **options: Any) -> ImportReport:
        """Import a camt or MT940 file."""
        from support.bank_files import reader_of

        data = data.encode() if isinstance(data, str) else data
        return self.file(data, reader_of(data), **options)

    def csv(self, text: str, **options: Any) -> ImportReport:
        from finance_api.importers.csv import CsvImporter, Mapping

        return self.file(text, CsvImporter(Mapping(**options)))

    # -- stored data

    def changes(self, since: int = 0) -> list[Change]:
        """Return the changes after a revision."""
        start = (since + 1, "", "")
        after: dict[str, Any] = {"rows_after": start, "deletions_after": start, "limit": 100_000}
        found = self.look(lambda s: s.data.list_changes(self.user.id, PUBLIC_RESOURCES, **after))
        return [Change(*change_key(line), b'"op":"delete"' in line) for line in found.lines]

    def deleted(self) -> set[tuple[Resource, str, int]]:
        """Return resource, id and revision of each deletion."""
        return {(c.resource, c.row_id, c.revision) for c in self.changes() if c.is_deletion}

    @property
    def revision(self) -> int:
        return int(self.look(lambda s: s.data.get_state(self.user.id)).revision)

    def dump(self) -> bytes:
        return b"".join(self.look(lambda s: list(dump(s, self.user.id))))

    def check_dump(self) -> None:
        """Check that a new user who imports the dump has the same."""
        if data := self.dump():
            other = Person(self.backend)
            other.file(data)
            other.audit()
            assert other.dump() == data

    def rows(self, resource: Resource) -> list[Row]:
        """Return all rows of a resource, ordered by id."""
        return list(self.look(lambda s: s.data.scan_rows(self.user.id, resource)))

    def row(self, resource: Resource, row_id: str | int) -> Row:
        wanted = an_id(row_id) if isinstance(row_id, int) else row_id
        return self.look(lambda s: s.data.get_rows(self.user.id, resource, [wanted]))[wanted]

    def only(self, resource: Resource) -> Row:
        (row,) = self.rows(resource)
        return row

    def balance(self, number: int = 1) -> str:
        return decimal_text(self.row(ACCOUNTS, number)["balance"])

    def snapshot(self) -> tuple[int, bytes]:
        """Return the state that must stay the same if an import changes nothing."""
        return self.revision, self.dump()

    def audit(self) -> None:
        """Check that all derived values agree with the rows they are derived from."""
        accounts, categories, labels, records = (
            {row["id"]: row for row in self.rows(resource)}
            for resource in (ACCOUNTS, CATEGORIES, LABELS, RECORDS)
        )
        balances = {row_id: row["initialBalance"] for row_id, row in accounts.items()}
        counts = dict.fromkeys(accounts, 0)
        last_days: dict[str, int | None] = dict.fromkeys(accounts)
        for row in records.values():
            of = accounts[row["accountId"]]
            counts[of["id"]] += 1
            day = row["recordDate"] - row["recordDate"] % DAY_SECONDS
            last = last_days[of["id"]]
            last_days[of["id"]] = day if last is None else max(last, day)
            if row["recordState"] != "void":
                balances[of["id"]] += row["amount"]
            assert row["accountName"] == of["name"]
            assert row["currencyCode"] == of["currencyCode"]
            category = row["categoryId"] and categories[row["categoryId"]]["name"]
            assert row["category"] == category
            assert row["labels"] == tuple(labels[i]["name"] for i in row["labelIds"])
            assert row["recordType"] == ("expense" if row["amount"] < 0 else "income")
        wholes = {row["id"]: row for row in self.rows(SPLITS)}
        rest = {row_id: whole["amount"] for row_id, whole in wholes.items()}
        for row in records.values():
            assert row["id"] not in wholes
            if row["splitId"] is not None:
                whole = wholes[row["splitId"]]
                rest[row["splitId"]] -= row["amount"]
                for name in ("accountId", "recordDate"):
                    assert row[name] == whole[name]
                assert (row["recordState"] == "void") is (whole["recordState"] == "void")
        split_ids = {row["splitId"] for row in records.values()} - {None}
        assert not any(rest[split_id] for split_id in split_ids)
        # A whole without parts is a deleted record.
        assert all(is_kept(wholes[row_id]) for row_id in wholes.keys() - split_ids)
        assert {whole["accountId"] for whole in wholes.values()} <= accounts.keys()
        assert {i: row["balance"] for i, row in accounts.items()} == balances
        assert {i: row["recordCount"] for i, row in accounts.items()} == counts
        assert {i: row["lastRecordDate"] for i, row in accounts.items()} == last_days
        self.look(self._audit_settled)

    def _audit_settled(self, storage: Any) -> None:
        """Check that initial balances are what statements say."""
        owned = UserRows(storage, self.user)
        for account_id, row in owned.accounts.rows.items():
            assert settled_account(owned, account_id) == row


def ofx_statement(
    transactions: Iterable[tuple[str, str, str, str] | tuple[str, str, str, str, str]],
    *,
    balance: tuple[str, str] | None = None,
    number: str = "100",
    currency: str = "EUR",
) -> str:
    """Make a statement. transactions: date, amount, FITID, payee, note. balance: amount, date."""
    lines = []
    for date, amount, fitid, payee, *note in transactions:
        memo = f"<MEMO>{note[0]}</MEMO>" if note else ""
        lines.append(
            f"<STMTTRN><TRNTYPE>OTHER</TRNTYPE><DTPOSTED>{date}</DTPOSTED>"
            f"<TRNAMT>{amount}</TRNAMT><FITID>{fitid}</FITID><NAME>{payee}</NAME>{memo}</STMTTRN>"
        )
    ledger = (
        f"<LEDGERBAL><BALAMT>{balance[0]}</BALAMT><DTASOF>{balance[1]}</DTASOF></LEDGERBAL>"
        if balance
        else ""
    )
    return (
        f"<STMTTRNRS><STMTRS><CURDEF>{currency}</CURDEF><BANKACCTFROM><BANKID>20</BANKID>"
        f"<ACCTID>{number}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM><BANKTRANLIST>"
        + "".join(lines)
        + f"</BANKTRANLIST>{ledger}</STMTRS></STMTTRNRS>"
    )


def ofx_file(*statements: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><?OFX OFXHEADER="200" VERSION="211"?>'
        "<OFX><BANKMSGSRSV1>" + "".join(statements) + "</BANKMSGSRSV1></OFX>"
    )
