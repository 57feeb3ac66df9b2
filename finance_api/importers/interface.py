"""The interface of importers: `StatementImporter`, its `Statement`s, and `ImportRefused`.

Two shapes of input exist. The native format brings whole rows of every type
(`finance_api.importers.native`). Statement formats (OFX, CSV and those that join later) bring
what a bank writes: a `Statement` per account, and its entries one by one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, BinaryIO, NamedTuple, Protocol

#: The format of a file is detected from this much of its beginning.
HEAD_BYTES = 4_096


class Answer(NamedTuple):
    """Words to add to a command line, if the person means them.

    words: options and their values. instead_of: names of options, or "--map FIELD" or another one
    with its value, that were given and do not go with these. meaning: what it makes of the file, a
    clause to choose by.
    """

    words: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    meaning: str = ""


class Question(NamedTuple):
    """Something that a file leaves open.

    answers: only one where nothing else can be meant, and none where no option helps.
    """

    reason: str
    line: int | None = None
    answers: tuple[Answer, ...] = ()


class Command(NamedTuple):
    """A command line to copy. meaning: what it makes of the file; "" if it is the only one."""

    line: str
    meaning: str = ""


#: At most this many command lines are shown; questions beyond them are asked the next time.
MOST_COMMANDS = 12


class ChangeRefused(Exception):
    """A change of a user's data is refused; nothing of it is stored.

    reason: one sentence that names the fault and, where there is one, the option that decides it.
    line: the line of a file, from 1; None if the fault is not in one line.
    file: filled in by whoever knows the file's name.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.file: str | None = None

    def __str__(self) -> str:
        place = ", ".join(
            part for part in (self.file, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.reason}" if place else self.reason


class ImportRefused(ChangeRefused):
    """The file is not imported.

    questions: what is open, each by itself. commands: with the answers to all of them, filled in by
    whoever knows the command.
    """

    def __init__(
        self,
        reason: str,
        line: int | None = None,
        answers: tuple[Answer, ...] = (),
        questions: tuple[Question, ...] = (),
    ) -> None:
        super().__init__(reason, line)
        self.questions = questions or (Question(reason, line, answers),)
        self.commands: list[Command] = []

    @property
    def answers(self) -> list[Answer]:
        """An answer to all that is open for each way in which the single ones go together."""
        asked: list[tuple[Answer, ...]] = []
        lines = 1
        for question in self.questions:
            if lines * len(question.answers) <= MOST_COMMANDS:
                lines *= len(question.answers)
                asked.append(question.answers)
        decided = [len(answers) == 1 for answers in asked]
        return [
            Answer(
                tuple(word for answer in chosen for word in answer.words),
                tuple(name for answer in chosen for name in answer.instead_of),
                ", ".join(
                    answer.meaning
                    for answer, is_decided in zip(chosen, decided, strict=True)
                    if answer.meaning and not is_decided
                ),
            )
            for chosen in product(*asked)
        ]


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
class Correction:
    """Says that an entry corrects an earlier one of the same account and source.

    bank_id: the earlier one's. deletes: whether that one is void, and this one no entry itself.
    """

    bank_id: str
    deletes: bool = False


class Entry(NamedTuple):
    """One movement of money, as the bank wrote it.

    line: where it begins in the file, from 1.
    date: the booking date as the bank wrote it: seconds of its 00:00:00Z, plus the time of day
        where the file gives one.
    amount: ten-thousandths; money going out is negative.
    bank_id: the bank's own id, which need not be unique; None if the file gives none.
    category: the file's own category name, if it has one.
    labels: the file's own label names.
    payment_type: one of PAYMENT_TYPES, None if the file does not say.
    value_date: the second date: seconds of that day's 00:00:00Z.
    counterparty_account: IBAN or number of the other side, without blanks.
    reference: end-to-end id, payment reference, check number.
    original_amount, original_currency: before conversion; both or neither.
    fingerprint: of the whole row where content alone does not tell it from another with its id.
    batch: of a part of one entry of the account: an id that its parts share; they sum to it.
    section: which of the file's statements it stands in, where two of them can tell the same: what
        another section repeats is one transaction; what one section repeats are two. None: an
        entry with the id and content of another is that one.
    record_state: one of RECORD_STATES; None: what a bank lists is cleared.
    offset: seconds by which the time of ``date`` is ahead of UTC; None if the file does not say.
    """

    line: int
    date: int
    amount: int
    bank_id: str | None = None
    payee: str | None = None
    note: str | None = None
    category: str | None = None
    labels: tuple[str, ...] = ()
    payment_type: str | None = None
    value_date: int | None = None
    counterparty_account: str | None = None
    reference: str | None = None
    original_amount: int | None = None
    original_currency: str | None = None
    fingerprint: str = ""
    correction: Correction | None = None
    batch: str | None = None
    section: int | None = None
    record_state: str | None = None
    offset: int | None = None


@dataclass(frozen=True)
class BankBalance:
    """The balance at the end of a day, as the bank states it.

    amount: ten-thousandths. date: seconds of that day's 00:00:00Z.
    """

    amount: int
    date: int


@dataclass
class Statement:
    """One account's part of a statement file, without its entries.

    It is complete when the file has been read to its end.
    first_day, last_day: the days that it says to cover: seconds of their 00:00:00Z; None: from its
        first to its last entry.
    as_of: when the bank made it, in seconds; None if the file does not say.
    opening: the balance before the first entry, at the end of the day before. closing: after the
        last one.
    initial: what the account had before all entries that it ever has, where the file has a row of
        that.
    texts: tells how payee and note were made of the file's texts, where that is a matter of
        options: entries with other ``texts`` cannot be compared by them.
    profile: the name of what the file was read by, where it was recognised. encoding: of a text
    file whose format leaves it open.
    options: what was given (or remembered) for reading this account's files, for the next time.
    currency_mark: the symbol beside the amounts, where it leaves the currency open ("$");
        possible_currencies: the codes that it can stand for, none: any.
    skipped: what the file has and no record can hold (e.g. "position"), and how many of each.
    remarks: sentences for the one who imports, such as which columns were not imported.
    """

    account: StatementAccount
    first_day: int | None = None
    last_day: int | None = None
    as_of: int | None = None
    opening: BankBalance | None = None
    closing: BankBalance | None = None
    initial: int | None = None
    texts: str = ""
    profile: str | None = None
    encoding: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    currency_mark: str = ""
    possible_currencies: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Remembered:
    """The stored data that reading a file needs.

    options: a digest of a file's heading row, and the name of the account that was given or None ->
        the `Statement.options` of the last file of these, or None.
    new_accounts: accounts of a file, each the name that it has or that was given, and the bank's
        number if it has one -> the names of those that an import would make.
    last_year: no date of a file can be later.
    """

    options: Callable[[str, str | None], Mapping[str, Any] | None]
    new_accounts: Callable[[Collection[tuple[str, str | None]]], list[str]]
    last_year: int = 9998


#: The `Remembered` of a user without imports.
nothing_remembered = Remembered(
    lambda heading, account: None, lambda accounts: [name for name, _ in accounts]
)


def joined_key(*parts: str) -> str:
    """The parts with slashes between them; a slash within a part is escaped."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


class StatementImporter(Protocol):
    """A reader of one statement format.

    source: the name under which its entries are recognised again, e.g. ``ofx``.
    """

    source: str

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """The entries of the file in its order, each with its statement.

        A statement comes once with None, before its entries. Raises ImportRefused at any time.
        """
