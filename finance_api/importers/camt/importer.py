"""Reads camt files."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from finance_api.importers.camt.entry import BOOKED, NOT_BOOKED, entries_of, status_of
from finance_api.importers.camt.markup import Found, entries_in
from finance_api.importers.camt.signature import NOTIFICATIONS, STATEMENTS, message_of
from finance_api.importers.camt.statement import account_of, balances_of, days_of, made_at
from finance_api.importers.camt.values import signed_amount_of
from finance_api.importers.interface import (
    HEAD_BYTES,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    StatementAccount,
    nothing_remembered,
)
from finance_api.importers.sections import Section, Sections


class CamtImporter:
    """Reads camt.052, camt.053 or camt.054.

    source: which of them, as `message_of` says.
    """

    def __init__(self, source: str) -> None:
        self.source = source

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "CamtImporter":
        """The reader of this file, which is at its start. Raises ImportRefused."""
        source = message_of(stream.read(HEAD_BYTES))
        stream.seek(0)
        if source is None:
            raise ImportRefused("the file is not a camt.052, camt.053 or camt.054 file")
        return cls(source)

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `StatementImporter`."""
        # Notifications are of one event each; reports of a day repeat what an earlier one had.
        sections = Sections(repeat=self.source != NOTIFICATIONS)
        section = None
        for found in entries_in(stream):
            if section is None:
                account = self._account_of(found)
                opening = balances_of(found.statement).opening
                section, is_new = sections.begin(account, opening)
                if is_new:
                    yield section.statement, None
            if found.entry is None:
                _end(section, found)
                section = None
            elif (status := status_of(found.entry)) != BOOKED:
                section.statement.skipped[NOT_BOOKED[status]] += 1
            else:
                assert account.currency is not None
                for entry in entries_of(found.entry, account.currency, section.number):
                    section.take(entry)
                    yield section.statement, entry
        if sections.is_empty:
            raise ImportRefused(
                f"the {self.source} file holds no statement: download another period"
            )

    def _account_of(self, found: Found) -> StatementAccount:
        """The account of a statement of which the first entry is found, or the end."""
        statement = found.statement
        if STATEMENTS[statement.name] != self.source:
            raise statement.refused(f"does not belong into a {self.source} file")
        currency = balances_of(statement).currency
        if currency is None and found.entry is not None:
            currency = signed_amount_of(found.entry)[1]
        account = account_of(statement, currency)
        if currency not in (None, account.currency):
            raise statement.refused(
                f"is of an account in {account.currency}, but its amounts are in {currency}"
            )
        return account


def _end(section: Section, found: Found) -> None:
    balances = balances_of(found.statement)
    section.end(
        balances.opening,
        balances.closing,
        days=days_of(found.statement),
        as_of=made_at(found.message, found.statement),
        line=found.statement.line,
    )
    if not balances.is_own:
        section.statement.opening = section.statement.closing = None
