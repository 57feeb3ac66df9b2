"""The interface of importers: `StatementImporter`, its `Statement`s, and `ImportRefused`.

Two shapes of input exist. The native format brings whole rows of every type
(`finance_api.importers.native`). Statement formats (OFX, CSV and those that join later) bring
what a bank writes: a `Statement` per account with its entries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol


class ImportRefused(Exception):
    """The file is not imported; nothing of it is stored.

    reason: one sentence that names the fault and, where there is one, the option that decides it.
    line: the line of the file, from 1; None if the fault is not in one line.
    file: filled in by whoever knows the file's name.
    """

    def __init__(self, reason: str, line: int | None = None, file: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.file = file

    def __str__(self) -> str:
        place = ", ".join(
            part for part in (self.file, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.reason}" if place else self.reason


@dataclass(frozen=True)
class StatementAccount:
    """The account that a statement is about.

    key: what identifies it within the source, e.g. bank and account number; None if the file
        does not say and the user has to (``--account``).
    name: a name to give it if it is new.
    account_type: one of ACCOUNT_TYPES.
    currency: ISO 4217 code, None if the file does not say.
    number: the bank's account number.
    """

    key: str | None
    name: str | None
    account_type: str = "General"
    currency: str | None = None
    number: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One movement of money, as the bank wrote it.

    line: where it begins in the file, from 1.
    date: seconds of 00:00:00Z of the calendar date the bank wrote.
    amount: ten-thousandths; money going out is negative.
    source_id: recognises the entry when it is imported again; unique within the file and source.
    category: the file's own category name, if it has one.
    labels: the file's own label names.
    payment_type: one of PAYMENT_TYPES, None if the file does not say.
    """

    line: int
    date: int
    amount: int
    source_id: str
    payee: str | None = None
    note: str | None = None
    category: str | None = None
    labels: tuple[str, ...] = ()
    payment_type: str | None = None


@dataclass(frozen=True)
class LedgerBalance:
    """The balance at the end of a day, as the bank states it.

    amount: ten-thousandths. date: seconds of that day's 00:00:00Z.
    """

    amount: int
    date: int


@dataclass(frozen=True)
class Statement:
    """One account's part of a statement file.

    skipped: what the file has and no record can hold (e.g. "position"), and how many of each;
        an entry that the file repeats word for word counts here too ("duplicate").
    """

    account: StatementAccount
    entries: tuple[Entry, ...]
    balance: LedgerBalance | None = None
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownAccount:
    """An account that the user has already.

    key: what its rows' source ids are made from, also after it was renamed. currency: its own.
    """

    key: str
    currency: str


#: The key of a statement's account -> the user's account that it goes to; None if it is new.
KnownAccounts = Callable[[str], KnownAccount | None]


def no_accounts(key: str) -> None:
    """The known accounts of a user without accounts."""


def joined_key(*parts: str) -> str:
    """The parts with slashes between them; a slash within a part is told from those."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


class StatementImporter(Protocol):
    """A reader of one statement format.

    source: the name under which its rows are recognised again, e.g. ``ofx``.
    """

    source: str

    def read(
        self, stream: BinaryIO, known_accounts: KnownAccounts = no_accounts
    ) -> Sequence[Statement]:
        """The statements of the file, or ImportRefused."""
