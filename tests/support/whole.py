"""Reads whole files, and converts them to the shape of the expected JSON files."""

import io
from dataclasses import asdict, dataclass, field
from typing import Any

from finance_api.cli.import_texts import text
from finance_api.importers.interface import (
    BankBalance,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    StatementAccount,
    StatementImporter,
    nothing_remembered,
)
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text, instant_text


@dataclass
class Whole:
    """A statement with its entries."""

    statement: Statement
    entries: list[Entry] = field(default_factory=list)

    @property
    def account(self) -> StatementAccount:
        return self.statement.account


def read_whole(
    importer: StatementImporter, data: str | bytes, remembered: Remembered = nothing_remembered
) -> list[Whole]:
    """Return the statements in the order of the file. Raises ImportRefused.

    Checks that the importer yields each statement once without an entry, before its entries.
    """
    found: dict[int, Whole] = {}
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    for statement, entry in _read(importer, stream, remembered):
        if entry is None:
            assert id(statement) not in found
            found[id(statement)] = Whole(statement)
        else:
            found[id(statement)].entries.append(entry)
    assert not stream.closed
    for whole in found.values():
        # As a command prints them.
        whole.statement.remarks = [text(remark) for remark in whole.statement.remarks]
    return list(found.values())


def _read(importer, stream, remembered):
    """Yield what the importer yields. Its refusals ask what the ledger asks if nothing is known."""
    try:
        yield from importer.read(stream, remembered)
    except ImportRefused as refused:
        refused.ask_for_currency([name for name, _ in refused.accounts])
        raise


def readable(whole: Whole) -> dict[str, Any]:
    """Convert a statement: dates and amounts as text, an opening balance only if there is one."""
    statement = whole.statement
    days = (statement.first_day, statement.last_day)
    opening = {"opening": _balance(statement.opening)} if statement.opening else {}
    return {
        "account": asdict(statement.account),
        "days": [day and date_text(day) for day in days],
        "as_of": statement.as_of and instant_text(statement.as_of),
        **opening,
        "closing": statement.closing and _balance(statement.closing),
        "skipped": statement.skipped,
        "remarks": statement.remarks,
        "entries": [_entry(entry) for entry in whole.entries],
    }


def _balance(balance: BankBalance) -> dict[str, str]:
    return {"amount": decimal_text(balance.amount), "date": date_text(balance.date)}


def _entry(entry: Entry) -> dict[str, Any]:
    """Convert an entry, without its empty values."""
    moment = instant_text(entry.date)
    values = {
        **entry._asdict(),
        "date": moment.removesuffix("T00:00:00Z"),
        "amount": decimal_text(entry.amount),
        "value_date": entry.value_date and date_text(entry.value_date),
        "original_amount": entry.original_amount and decimal_text(entry.original_amount),
    }
    return {name: value for name, value in values.items() if value}
