"""Transactions of a QIF file, each with the account whose register contains it.

A record consists of lines with a letter and a value. A line with ``^`` ends it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.sentences import count_text

#: Maximum number of fields in a record: the whole record is in memory.
MAX_FIELDS = 100_000


#: The kind of register after ``!Type:``, in lower case without blanks -> account type.
ACCOUNT_TYPES = {
    "bank": "CurrentAccount",
    "cash": "Cash",
    "ccard": "CreditCard",
    "otha": "General",
    "othl": "Loan",
}
_INVESTMENTS = frozenset(("invst", "port", "mutual", "401(k)", "401(k)/403(b)"))
_LISTS = {
    "cat": "categories",
    "class": "classes",
    "tag": "tags",
    "memorized": "memorized transactions",
    "security": "securities",
    "prices": "prices",
    "budget": "budgets",
}
_ACCOUNT = "account"
_SWITCHES = ("option", "clear")
#: Payees that mark a register's first transaction as its opening balance. The account which that
#: transaction names is the register's own.
_OPENING = frozenset(
    (
        *("opening balance", "initial balance", "anfangssaldo", "eröffnungssaldo"),
        *("solde initial", "solde d'ouverture", "saldo inicial", "saldo iniziale"),
        *("beginsaldo", "openingssaldo", "ingående saldo"),
    )
)
#: _ONCE: the fields a transaction has once. _OF_SPLIT: a split's category, memo, amount and share.
_ONCE = frozenset("DTUCNPL")
_OF_SPLIT = frozenset("SE$%")
_TRANSFER = re.compile(r"\[([^\[\]]*)\](?:/(.*))?")


class Header(NamedTuple):
    """A line that begins with ``!``. text: the rest of the line."""

    line: int
    text: str


class Field(NamedTuple):
    """A line of a record."""

    line: int
    code: str
    text: str


Record = tuple[Field, ...]


def read_records(lines: Iterable[str]) -> Iterator[tuple[Header, Record | None]]:
    """Yield each header with None, then with each of its records. Raises ImportRefused."""
    header: Header | None = None
    fields: list[Field] = []
    for number, whole in enumerate(lines, 1):
        text = whole.strip()
        if not text:
            continue
        if text.startswith("!"):
            if fields:
                raise _unfinished(fields[0].line, f"before line {number}")
            header = Header(number, text[1:].strip())
            yield header, None
        elif header is None:
            if not text.startswith("#"):
                raise ImportRefused(f"{quoted(text)} comes before the first line with !", number)
        elif text != "^":
            if len(fields) >= MAX_FIELDS:
                raise ImportRefused(
                    f"the entry that begins here has more than {count_text(MAX_FIELDS)} lines: a "
                    "line with ^ is missing, or the file is damaged",
                    fields[0].line,
                )
            fields.append(Field(number, text[0], text[1:].strip()))
        elif fields:
            yield header, tuple(fields)
            fields = []
    if fields:
        raise _unfinished(fields[0].line, "at the end of the file")


def _unfinished(line: int, where: str) -> ImportRefused:
    return ImportRefused(
        f"the entry that begins here has no closing line with ^ {where}: the file is cut short or "
        f"damaged, download it again",
        line,
    )


class Account(NamedTuple):
    """An account of the file. name: None if not stated. kind: a key of ACCOUNT_TYPES."""

    name: str | None
    kind: str


class Category(NamedTuple):
    """The value of L or S: a category or a transfer's other account, and a class as label."""

    name: str = ""
    other_account: str = ""
    label: str = ""


class Transaction(NamedTuple):
    """A transaction. line: its first line. note: its memos, one a line.

    fields: the fields that a transaction has once, by code. splits: the fields of each split.
    """

    line: int
    note: str
    fields: dict[str, Field]
    splits: list[dict[str, Field]]

    @property
    def amounts(self) -> list[Field]:
        """Return the fields T and U, which both have the amount."""
        return [self.fields[code] for code in "TU" if self.text(code)]

    def text(self, code: str) -> str:
        return self.fields[code].text if code in self.fields else ""


@dataclass
class Passed:
    """Parts of the file that are not imported.

    investments: number of investment transactions. lists: number of entries by kind of list.
    codes: codes of fields.
    """

    investments: int = 0
    lists: Counter[str] = field(default_factory=Counter)
    codes: set[str] = field(default_factory=set)

    def listed(self) -> list[str]:
        return [f"{what} ({count})" for what, count in self.lists.items()]


def read_registers(
    lines: Iterable[str], passed: Passed
) -> Iterator[tuple[Account, Transaction | None]]:
    """Yield each account with None, then with its transactions; again for each of its registers.

    Raises ImportRefused.
    """
    listed: list[str] = []
    account: Account | None = None
    kind, is_first = "", True
    for header, record in read_records(lines):
        if record is None:
            if kind in ACCOUNT_TYPES and account is None:
                # A register without transactions.
                yield Account(None, kind), None
            kind, account, is_first = _kind(header), None, True
            if kind == _ACCOUNT:
                listed = []
            elif kind in ACCOUNT_TYPES and listed:
                account = Account(_only(listed, header), kind)
                yield account, None
        elif kind in ACCOUNT_TYPES:
            transaction = _transaction(record, passed)
            own = _take_own_name(transaction) if is_first else None
            is_first = False
            if account is None:
                account = Account(own, kind)
                yield account, None
            yield account, transaction
        elif kind == _ACCOUNT:
            listed += [field.text for field in record if field.code == "N" and field.text]
        elif kind in _INVESTMENTS:
            passed.investments += 1
        elif kind in _LISTS:
            passed.lists[_LISTS[kind]] += 1
    if kind in ACCOUNT_TYPES and account is None:
        yield Account(None, kind), None


def _take_own_name(transaction: Transaction) -> str | None:
    """Return the own account that an opening balance names in its field L; delete the field."""
    if folded(transaction.text("P")) not in _OPENING:
        return None
    own = category_of(transaction.text("L")).other_account
    if own:
        del transaction.fields["L"]
    return own or None


def _kind(header: Header) -> str:
    name, _, kind = header.text.lower().partition(":")
    if name.strip() == _ACCOUNT:
        return _ACCOUNT
    if name in _SWITCHES:
        return ""
    kind = "".join(kind.split())
    if name != "type" or kind not in (*ACCOUNT_TYPES, *_INVESTMENTS, *_LISTS):
        raise ImportRefused(
            f"{quoted('!' + header.text)} is an unknown section: transactions come below "
            f"!Type:Bank, Cash, CCard, Oth A or Oth L",
            header.line,
        )
    return kind


def _only(listed: list[str], header: Header) -> str:
    if len(set(listed)) > 1:
        raise ImportRefused(
            f"{len(listed)} accounts are listed before {quoted('!' + header.text)}, but nothing "
            f"says which account's transactions follow: export one account alone",
            header.line,
        )
    return listed[0]


def _transaction(record: Record, passed: Passed) -> Transaction:
    once: dict[str, Field] = {}
    notes: list[str] = []
    splits: list[dict[str, Field]] = []
    for part in record:
        code = part.code
        if code == "S":
            splits.append({code: part})
        elif code == "M":
            notes.append(part.text)
        elif code == "D" and splits and "$" not in splits[-1]:
            passed.codes.add("D of a split")
        elif code in _OF_SPLIT:
            if not splits or code in splits[-1]:
                raise ImportRefused(
                    f"{quoted(code + part.text)} does not belong to a split", part.line
                )
            splits[-1][code] = part
        elif code not in _ONCE:
            passed.codes.add(code)
        elif code in once:
            raise ImportRefused(
                f"the transaction of line {record[0].line} has both {quoted(once[code].text)} and "
                f"{quoted(part.text)} as {code}: a line with ^ is missing between two transactions",
                part.line,
            )
        else:
            once[code] = part
    return _complete(Transaction(record[0].line, "\n".join(filter(None, notes)), once, splits))


def _complete(transaction: Transaction) -> Transaction:
    """Return the transaction. Raises ImportRefused if it lacks a date or an amount."""
    if not transaction.text("D"):
        raise ImportRefused("the transaction has no date (D)", transaction.line)
    if not transaction.amounts:
        raise ImportRefused("the transaction has no amount (T)", transaction.line)
    for split in transaction.splits:
        if "$" not in split or not split["$"].text:
            raise ImportRefused("the split has no amount ($)", split["S"].line)
    return transaction


def category_of(text: str) -> Category:
    transfer = _TRANSFER.fullmatch(text)
    if transfer is not None:
        return Category(other_account=transfer[1].strip(), label=(transfer[2] or "").strip())
    name, _, label = text.partition("/")
    return Category(name=name.strip(), label=label.strip())
