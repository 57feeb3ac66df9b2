"""Statements as an importer of some format would return them."""

import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from finance_api.importers.interface import (
    BankBalance,
    Correction,
    Entry,
    Remembered,
    Statement,
    StatementAccount,
    nothing_remembered,
)
from finance_api.ledger.importing import Step, import_file, nothing_more
from finance_api.ledger.orders import ImportOrder, ImportReport, StatementOptions
from finance_api.resources import RECORDS
from finance_api.values.time import DAY_SECONDS, parse_date
from support.ledger import Person, units

OFX_ACCOUNT = StatementAccount(key="20/100", name="Checking 100", currency="EUR", number="100")
CSV_ACCOUNT = StatementAccount(key="Giro", name="Giro", currency="EUR")


def day(text: str) -> int:
    """Parse a date; one or two digits are a day of January 2026."""
    return parse_date(f"2026-01-{int(text):02}" if len(text) < 3 else text)


def entry(
    date: str,
    amount: str,
    payee: str | None = "Shop",
    bank_id: str | None = None,
    *,
    corrects: str | None = None,
    deletes: bool = False,
    time: int = 0,
    line: int = 1,
    **values: Any,
) -> Entry:
    return Entry(
        line=line,
        date=day(date) + time,
        amount=units(amount),
        payee=payee,
        bank_id=bank_id,
        correction=None if corrects is None else Correction(corrects, deletes),
        **values,
    )


class Reader:
    """An importer that ignores the file, and returns the statements it was made with."""

    def __init__(self, source: str, *parts: tuple[Statement, Sequence[Entry]]) -> None:
        self.source = source
        self._parts = parts

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        for statement, entries in self._parts:
            yield statement, None
            for each in entries:
                yield statement, each


def statement(
    *entries: tuple[int, int],
    opening: tuple[int, int] | None = None,
    closing: tuple[int, int] | None = None,
    key: str = "1",
    name: str | None = None,
    source: str = "made",
) -> Reader:
    """Make a statement in EUR. entries: day since 1970 and amount; ids are made of these.

    opening, closing: day and amount of the balance.
    """
    told = Statement(
        StatementAccount(key, name or f"account {key}", currency="EUR"),
        opening=_balance(opening),
        closing=_balance(closing),
    )
    made = [
        Entry(line, number * DAY_SECONDS, amount, bank_id=f"{number}/{amount}/{line}")
        for line, (number, amount) in enumerate(entries, 1)
    ]
    return Reader(source, (told, made))


def _balance(told: tuple[int, int] | None) -> BankBalance | None:
    return None if told is None else BankBalance(told[1], told[0] * DAY_SECONDS)


class Bank:
    """A user's files of one account in one format.

    account: the account that the statements name.
    """

    def __init__(
        self, person: Person, source: str = "ofx", account: StatementAccount | None = None
    ) -> None:
        self.person = person
        self.source = source
        self.account = account or (CSV_ACCOUNT if source == "csv" else OFX_ACCOUNT)

    def file(
        self,
        *entries: Entry,
        data: str | None = None,
        dry_run: bool = False,
        days: tuple[str, str] | None = None,
        as_of: int | None = None,
        texts: str = "",
        closing: Any = None,
        begin: Step = nothing_more,
        **options: Any,
    ) -> ImportReport:
        """Import a file. data: the file's content; by default it depends on the statement."""
        statement = Statement(
            self.account,
            first_day=None if days is None else day(days[0]),
            last_day=None if days is None else day(days[1]),
            as_of=as_of,
            texts=texts,
            closing=closing,
        )
        content = data if data is not None else repr((self.source, entries, days, as_of))
        return import_file(
            self.person.backend,
            ImportOrder(
                self.person.user.email,
                io.BytesIO(content.encode()),
                Reader(self.source, (statement, entries)),
                now=self.person.clock.now(),
                options=StatementOptions(**options),
                name="file",
                answers={name: value for name, value in options.items() if name == "ids"},
                dry_run=dry_run,
            ),
            begin=begin,
        )


def kept(person: Person) -> list[tuple[int, int, str | None]]:
    """Return day of January 2026, amount in cents and payee of records that are not void."""
    first = parse_date("2026-01-01")
    return sorted(
        ((r["recordDate"] - first) // 86_400 + 1, r["amount"] // 100, r["payee"] or "")
        for r in person.rows(RECORDS)
        if r["recordState"] != "void"
    )
