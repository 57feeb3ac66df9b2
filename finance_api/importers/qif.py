"""Reads QIF files (Quicken Interchange Format): the registers of accounts, line by line.

A record consists of lines with a letter and a value; a line with ``^`` ends it. Dates and amounts
are read as in CSV files. The format: https://en.wikipedia.org/wiki/Quicken_Interchange_Format
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.cards import CardSigns
from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.amounts import AmountColumns
from finance_api.importers.csv.dates import DateColumn, DateReader
from finance_api.importers.csv.vocabulary import CLOSING, OPENING, kind_of
from finance_api.importers.decoding import open_text
from finance_api.importers.interface import (
    BankBalance,
    Choice,
    Entries,
    Entry,
    ImportRefused,
    Questions,
    Remembered,
    Statement,
    StatementAccount,
    listed,
    nothing_remembered,
    quoted,
)
from finance_api.values.text import amount_text, clean_or_none, count_text
from finance_api.values.time import DAY_SECONDS

#: Maximum number of fields in a record: the whole record is in memory.
MAX_FIELDS = 100_000

#: The kind of register after ``!Type:``, in lower case without blanks -> account type.
_ACCOUNT_TYPES = {
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
_ACCOUNT, _SWITCHES = "account", ("option", "clear")
#: A line that states the order of day and month -> the first letter of forms in this order.
_ORDERS = {"OPTION:MDY": "M", "OPTION:DMY": "D"}
#: _ONCE: codes that a transaction has once. _OF_SPLIT: a split's category, memo, amount and share.
_ONCE, _OF_SPLIT = frozenset("DTUCNPL"), frozenset("SE$%")
_TRANSFER = re.compile(r"\[([^\[\]]*)\](?:/(.*))?")
#: A date with a short year, such as 1/2'26; `_AROUND_SEPARATORS` first removes blanks (1/2' 6).
_SHORT_YEAR = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})(?:'|\2)([0-9]{1,4})")
_AROUND_SEPARATORS = re.compile(r"\s{0,3}([/.'-])\s{0,3}")
_STATES = {"*": "cleared", "c": "cleared", "x": "reconciled", "r": "reconciled"}


class Field(NamedTuple):
    """A line of a record: its number, its first character (a letter or ``!``), and the rest."""

    line: int
    code: str
    text: str


#: An account's name (None: not stated), and the kind of its register.
_Account = tuple[str | None, str]


class Transaction(NamedTuple):
    """A transaction. line: its first line. note: its memos, one per line.

    fields: the fields that a transaction has once, by code. splits: the fields of each split.
    balance: OPENING or CLOSING for a balance of its own account, which is no movement of money.
    """

    line: int
    note: str
    fields: dict[str, Field]
    splits: list[dict[str, Field]]
    balance: str | None = None

    @property
    def amounts(self) -> list[Field]:
        """Return the fields T and U, which both have the amount."""
        return [self.fields[code] for code in "TU" if self.text(code)]

    def text(self, code: str) -> str:
        return self.fields[code].text if code in self.fields else ""


@dataclass
class _Register:
    """The transactions of an account that were read so far.

    days: the sum of the transactions, by day. balances: the entries of stated balances.
    """

    statement: Statement
    days: Counter[int] = field(default_factory=Counter)
    balances: list[tuple[str, Entry]] = field(default_factory=list)

    def end(self) -> Iterator[Entry]:
        """Set the stated balances; yield those that are movements of money after all.

        Raises ImportRefused if a closing balance does not fit the transactions.
        """
        statement, first = self.statement, min(self.days, default=None)
        closings = [entry for kind, entry in self.balances if kind == CLOSING]
        for entry in (entry for kind, entry in self.balances if kind == OPENING):
            day = entry.date - entry.date % DAY_SECONDS
            if not entry.counterparty_account and first is not None and day > first:
                self.days[day] += entry.amount
                yield entry
            elif entry.amount:
                statement.initial = (statement.initial or 0) + entry.amount
                statement.initial_day = day
        initial = statement.initial
        for entry in sorted(closings, key=lambda each: each.date):
            day = entry.date - entry.date % DAY_SECONDS
            total = sum(units for at, units in self.days.items() if at <= day)
            initial = entry.amount - total if initial is None else initial
            if initial + total != entry.amount:
                raise ImportRefused(
                    f"the closing balance is {amount_text(entry.amount)}, but the transactions "
                    f"until then make {amount_text(initial + total)}: a transaction is missing or "
                    "changed; export the account again",
                    entry.line,
                )
            statement.closing = BankBalance(entry.amount, day)
            statement.skipped[str(entry.payee)] += 1


class QifImporter:
    """Reads one file, in two passes: the first pass finds out what the file leaves open.

    options: the user's options that decide it: account, currency, date_format, decimal, thousands,
    encoding, force_encoding, positive; as in `Layout` of CSV.
    """

    source = "qif"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "QifImporter":
        return cls(given)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._says_cleared = False
        # The orders of day and month that lines such as !Option:MDY state.
        self._orders: set[str] = set()
        # By account name (None: not stated): the line of the account's first transaction.
        self._first: dict[str | None, int | None] = {}
        self._card = CardSigns()
        # Not imported: counts of investment transactions and list entries, and codes of fields.
        self._investments, self._lists = 0, Counter[str]()
        self._codes: set[str] = set()

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        options, questions = self._options, Questions()
        force = bool(options.get("force_encoding"))
        text = open_text(stream, options.get("encoding"), force=force, questions=questions)
        self._survey(text.lines(), remembered.last_year)
        self._decide(questions)
        registers: dict[str | None, _Register] = {}
        for (name, kind), transaction in self._registers(text.lines()):
            register = registers.get(name)
            if register is None:
                register = registers[name] = _Register(self._statement(name, kind))
                yield register.statement, None
            for entry in () if transaction is None else self._entries(transaction):
                if transaction is not None and transaction.balance is not None:
                    register.balances.append((transaction.balance, entry))
                else:
                    register.days[entry.date - entry.date % DAY_SECONDS] += entry.amount
                    yield register.statement, entry
        for register in registers.values():
            yield from ((register.statement, entry) for entry in register.end())
        first = next(iter(registers.values())).statement
        first.encoding = text.codec
        first.remarks += questions.remarks
        if self._investments:
            first.skipped["transaction of investments"] += self._investments
        if self._lists:
            first.remarks.append(f"skipped lists: {', '.join(self._listed())}")
        if self._codes:
            first.remarks.append(f"fields that are not imported: {listed(sorted(self._codes))}")

    def _survey(self, lines: Iterable[str], last_year: int) -> None:
        form = self._options.get("date_format")
        form = None if form is None else form.replace("'", "/")
        self._dates = DateColumn(form, last_year=last_year)
        self._amounts = AmountColumns(self._options.get("decimal"), self._options.get("thousands"))
        for (name, kind), transaction in self._registers(lines):
            self._first.setdefault(name, None)
            if transaction is None:
                continue
            self._first[name] = self._first[name] or transaction.line
            day = transaction.fields["D"]
            self._dates.add(_date_text(day.text), day.line)
            for amount in (*transaction.amounts, *(split["$"] for split in transaction.splits)):
                self._amounts.add(amount.text, amount.line)
            self._says_cleared |= bool(transaction.text("C"))
            if kind == "ccard":
                texts = (transaction.text("P"), transaction.note)
                has_minus = transaction.amounts[0].text.startswith("-")
                self._card.add(transaction.line, texts, has_minus=has_minus)

    def _decide(self, questions: Questions) -> None:
        """Ask about everything the file leaves open. Raises ImportRefused."""
        if not self._first:
            held = self._listed()
            if self._investments:
                held.append(f"transactions of investments ({self._investments})")
            has = f": it has {', '.join(held)}, which are not imported" if held else ""
            raise ImportRefused(
                f"the file has no transactions of an account{has}; export the transactions of a "
                "bank, cash or card account"
            )
        if None in self._first and len(self._first) > 1:
            raise ImportRefused(
                "other registers of this file name their account, but this one does not: export "
                "one account alone",
                self._first[None],
            )
        if len(self._amounts.marks) > 1:
            marks = (mark.text for mark in self._amounts.marks)
            raise ImportRefused(
                f"the amounts are in {listed(marks)}, but an account has only one currency",
                max(self._amounts.marks.values()),
            )
        account = self._options.get("account")
        if None in self._first and account is None:
            questions.ask(clause(Topic.ACCOUNT), Choice({}, needs=("account",)))
        if len(self._first) == 1 and self._options.get("positive") is None:
            self._card.ask(questions)
        stated = [f for f in self._dates.readings() if {f.name[:1]} == self._orders]
        form = stated[0] if len(stated) == 1 else self._dates.decide(questions)
        self._date_reader = DateReader(form)
        self._amount_reader = self._amounts.decide(questions)
        names = [account] if account else [name for name in self._first if name]
        questions.accounts = [(name, None) for name in names]
        questions.codes = () if self._options.get("currency") is None else None
        questions.put()

    def _listed(self) -> list[str]:
        return [f"{what} ({count})" for what, count in self._lists.items()]

    def _statement(self, name: str | None, kind: str) -> Statement:
        mark = next(iter(self._amounts.marks), None)
        name = name and clean_or_none(name)
        currency = self._options.get("currency") or (mark.currency if mark is not None else None)
        statement = Statement(StatementAccount(name, name, _ACCOUNT_TYPES[kind], currency))
        if mark is not None:
            statement.currency_mark, statement.possible_currencies = mark.text, mark.possible
        return statement

    def _entries(self, transaction: Transaction) -> Iterator[Entry]:
        """Yield the transaction's entry, or an entry for each split if any split is a transfer."""
        total, *further = map(self._units, transaction.amounts)
        if further and further[0] != total:
            raise ImportRefused(
                f"the amount is {amount_text(total)} in T but {amount_text(further[0])} in U",
                transaction.amounts[1].line,
            )
        day = transaction.fields["D"]
        # If any transaction has a cleared status (C), transactions without one are uncleared.
        state = _STATES.get(transaction.text("C").lower(), "uncleared")
        entry = Entry(
            line=transaction.line,
            date=self._date_reader.read(_date_text(day.text), day.line),
            amount=total,
            payee=_clean(transaction.text("P")),
            reference=_clean(transaction.text("N")),
            record_state=state if self._says_cleared else None,
        )
        if not transaction.splits:
            yield _classified(entry, transaction.text("L"), transaction.note)
            return
        amounts = [self._units(split["$"]) for split in transaction.splits]
        if sum(amounts) != total:
            raise ImportRefused(
                f"the splits add up to {amount_text(sum(amounts))}, but the transaction's amount "
                f"is {amount_text(total)}",
                transaction.amounts[0].line,
            )
        parts = []
        for split, amount in zip(transaction.splits, amounts, strict=True):
            memo = split["E"].text if "E" in split else ""
            note = " ".join(dict.fromkeys(filter(None, (transaction.note, memo))))
            parts.append(_classified(entry._replace(amount=amount), split["S"].text, note))
        if len(parts) == 1:
            yield parts[0]
        elif any(part.counterparty_account for part in parts):
            # Half of a transfer cannot be a part, so each split becomes a record.
            batch = sha256(repr(transaction).encode()).hexdigest()[:32]
            yield from (part._replace(batch=batch) for part in parts)
        else:
            values = tuple((p.amount, p.note, p.category, p.labels) for p in parts)
            yield entry._replace(note=_clean(transaction.note), parts=values)

    def _units(self, field: Field) -> int:
        amount = self._amount_reader.read(field.text, field.line)
        way = -1 if self._options.get("positive") == "out" else 1
        return amount.side * abs(amount.units) if amount.side else way * amount.units

    def _registers(self, lines: Iterable[str]) -> Iterator[tuple[_Account, Transaction | None]]:
        """Yield each register's account, first with None, then with each of its transactions."""
        self._investments, self._lists = 0, Counter[str]()
        names: list[str] = []
        account: _Account | None = None
        kind, header = "", Field(1, "", "")
        for record in _records(lines):
            if record[0].code == "!":
                if kind in _ACCOUNT_TYPES and account is None and not names:
                    # The previous register had no transactions.
                    yield (None, kind), None
                header = record[0]
                kind, account = _kind(header), None
                order = "".join(header.text.upper().split())
                self._orders |= {_ORDERS[order]} if order in _ORDERS else set()
                if kind == _ACCOUNT:
                    names = []
                elif kind in _ACCOUNT_TYPES and len(set(names)) == 1:
                    account = (names[0], kind)
                    yield account, None
            elif kind in _ACCOUNT_TYPES:
                transaction = self._transaction(record)
                own = _own_name(transaction)
                if account is None:
                    account = (_one_of(names, own, header), kind)
                    yield account, None
                balance = _balance_of(transaction, account[0])
                yield account, transaction._replace(balance=balance)
            elif kind == _ACCOUNT:
                names += [field.text for field in record if field.code == "N" and field.text]
                self._codes |= {"$ of an account" for field in record if field.code == "$"}
            elif kind in _INVESTMENTS:
                self._investments += 1
            elif kind in _LISTS:
                self._lists[_LISTS[kind]] += 1
        if kind in _ACCOUNT_TYPES and account is None:
            yield (None, kind), None

    def _transaction(self, record: list[Field]) -> Transaction:
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
                self._codes.add("D of a split")
            elif code in _OF_SPLIT:
                if not splits or code in splits[-1]:
                    raise ImportRefused(
                        f"{quoted(code + part.text)} does not belong to a split", part.line
                    )
                splits[-1][code] = part
            elif code in _ONCE and code in once:
                raise ImportRefused(
                    f"the transaction of line {record[0].line} has both "
                    f"{quoted(once[code].text)} and {quoted(part.text)} as {code}: a line with ^ "
                    "is missing between two transactions",
                    part.line,
                )
            elif code in _ONCE:
                once[code] = part
            else:
                self._codes.add(code)
        # Quicken writes blank lines between the parts of a split.
        splits = [s for s in splits if any(f.text.strip("0.,") for c, f in s.items() if c != "%")]
        note = "\n".join(filter(None, notes))
        transaction = Transaction(record[0].line, note, once, splits)
        _check(transaction)
        return transaction


def _check(transaction: Transaction) -> None:
    if not transaction.text("D"):
        raise ImportRefused("the transaction has no date (D)", transaction.line)
    if not transaction.amounts:
        raise ImportRefused("the transaction has no amount (T)", transaction.line)
    for split in transaction.splits:
        if "$" not in split or not split["$"].text:
            raise ImportRefused("the split has no amount ($)", split["S"].line)


def _records(lines: Iterable[str]) -> Iterator[list[Field]]:
    """Yield the fields of each record, and each line with ``!``. Raises ImportRefused."""
    has_header = False
    fields: list[Field] = []
    for number, whole in enumerate(lines, 1):
        text = whole.strip()
        if not text:
            continue
        field = Field(number, text[0], text[1:].strip())
        if field.code == "!":
            if fields:
                raise _unfinished(fields[0].line, f"before line {number}")
            has_header = True
            yield [field]
        elif not has_header:
            if field.code != "#":
                raise ImportRefused(f"{quoted(text)} comes before the first line with !", number)
        elif text != "^":
            if len(fields) >= MAX_FIELDS:
                raise ImportRefused(
                    f"the entry that begins here has more than {count_text(MAX_FIELDS)} lines: a "
                    "line with ^ is missing, or the file is damaged",
                    fields[0].line,
                )
            fields.append(field)
        elif fields:
            yield fields
            fields = []
    if fields:
        raise _unfinished(fields[0].line, "at the end of the file")


def _unfinished(line: int, where: str) -> ImportRefused:
    return ImportRefused(
        f"the entry that begins here has no closing line with ^ {where}: the file is cut short or "
        "damaged, download it again",
        line,
    )


def _own_name(transaction: Transaction) -> str | None:
    """Return the account in field L of an opening balance: most often the register's own."""
    is_opening = kind_of(transaction.text("P")) == OPENING
    return (is_opening and _category(transaction.text("L"))[1]) or None


def _balance_of(transaction: Transaction, account: str | None) -> str | None:
    """Return whether a transaction states an OPENING or CLOSING balance of its account.

    One with a category, or with another account, is a movement of money.
    """
    kind = kind_of(transaction.text("P"))
    category, other, _ = _category(transaction.text("L"))
    is_own = not category and (not other or account in (None, other))
    return kind if is_own and kind in (OPENING, CLOSING) and not transaction.splits else None


def _kind(header: Field) -> str:
    name, _, kind = header.text.lower().partition(":")
    if name.strip() == _ACCOUNT:
        return _ACCOUNT
    if name in _SWITCHES:
        return ""
    kind = "".join(kind.split())
    if name != "type" or kind not in (*_ACCOUNT_TYPES, *_INVESTMENTS, *_LISTS):
        raise ImportRefused(
            f"{quoted('!' + header.text)} is an unknown section: transactions come below "
            f"!Type:Bank, Cash, CCard, Oth A or Oth L",
            header.line,
        )
    return kind


def _one_of(names: list[str], own: str | None, header: Field) -> str | None:
    """Return the account of a register. names: the listed accounts. own: see `_own_name`."""
    if names and own not in names:
        raise ImportRefused(
            f"{len(names)} accounts are listed before {quoted('!' + header.text)}, but nothing "
            f"says which account's transactions follow: export one account alone",
            header.line,
        )
    return own


def _category(text: str) -> tuple[str, str, str]:
    """Split the value of L or S into a category, a transfer's other account, and a class."""
    transfer = _TRANSFER.fullmatch(text)
    if transfer is not None:
        return "", transfer[1].strip(), (transfer[2] or "").strip()
    name, _, label = text.partition("/")
    return name.strip(), "", label.strip()


def _classified(entry: Entry, category: str, note: str) -> Entry:
    """Return the entry with the note, and with the category, class or other account of L or S."""
    name, other_account, label = map(_clean, _category(category))
    return entry._replace(
        payee=entry.payee or other_account,
        note=_clean(note),
        category=name,
        labels=() if label is None else (label,),
        payment_type=None if other_account is None else "transfer",
        counterparty_account=other_account,
    )


def _clean(text: str) -> str | None:
    return clean_or_none((clean_or_none(text) or "").strip())


def _date_text(text: str) -> str:
    """Return the date with one kind of separator, and at least two digits in a short year."""
    text = _AROUND_SEPARATORS.sub(r"\1", text)
    short = _SHORT_YEAR.fullmatch(text)
    return text if short is None else f"{short[1]}{short[2]}{short[3]}{short[2]}{short[4]:0>2}"
