"""Statements that a test makes, in place of a file."""

from collections.abc import Iterator
from typing import BinaryIO

from finance_api.importers.interface import (
    BankBalance,
    Entry,
    Remembered,
    Statement,
    StatementAccount,
    nothing_remembered,
)
from finance_api.values.time import DAY_SECONDS


class MadeStatements:
    """A `StatementImporter` that reads nothing."""

    def __init__(self, *entries: tuple[Statement, Entry | None], source: str = "made") -> None:
        self.source = source
        self._entries = entries

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        return iter(self._entries)


def statement(
    *entries: tuple[int, int],
    opening: tuple[int, int] | None = None,
    closing: tuple[int, int] | None = None,
    key: str = "1",
    name: str | None = None,
    source: str = "made",
) -> MadeStatements:
    """A statement in EUR. entries: day and amount of each; its id is its place among all of them.

    opening, closing: day and amount.
    """
    told = Statement(
        StatementAccount(key, name or f"account {key}", currency="EUR"),
        opening=_balance(opening),
        closing=_balance(closing),
    )
    made = [
        (told, Entry(line, day * DAY_SECONDS, amount, bank_id=f"{day}/{amount}/{line}"))
        for line, (day, amount) in enumerate(entries, 1)
    ]
    return MadeStatements((told, None), *made, source=source)


def _balance(told: tuple[int, int] | None) -> BankBalance | None:
    return None if told is None else BankBalance(told[1], told[0] * DAY_SECONDS)
