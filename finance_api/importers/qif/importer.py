"""Reads QIF files: the entries of all registers, or a refusal that says why there are none."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, BinaryIO

from finance_api.importers.csv.amounts import AmountColumns, AmountReader
from finance_api.importers.csv.dates import DateColumn, DateReader
from finance_api.importers.decoding import TextFile, open_text
from finance_api.importers.interface import (
    NAME,
    Answer,
    Entry,
    ImportRefused,
    Questions,
    Remembered,
    Statement,
    StatementAccount,
    listed,
    nothing_remembered,
)
from finance_api.importers.qif.register import (
    ACCOUNT_TYPES,
    Account,
    Field,
    Passed,
    Transaction,
    category_of,
    read_registers,
)
from finance_api.values.sentences import amount_text
from finance_api.values.text import clean_or_none

#: A date with a short year, such as 1/2'26; `_AROUND_SEPARATORS` first removes blanks (1/2' 6).
_SHORT_YEAR = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})(?:'|\2)([0-9]{1,4})")
_AROUND_SEPARATORS = re.compile(r"\s{0,3}([/.'-])\s{0,3}")
_STATES = {"*": "cleared", "c": "cleared", "x": "reconciled", "r": "reconciled"}


class QifImporter:
    """Reads one file.

    options: the user's options for anything the file leaves open: account, currency, date_format,
    decimal, thousands, encoding, force_encoding; as in `Layout` of CSV.
    """

    source = "qif"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "QifImporter":
        return cls(given)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `StatementImporter`. Reads all lines twice, as the CSV importer does."""
        options, questions = self._options, Questions()
        force = bool(options.get("force_encoding"))
        text = open_text(stream, options.get("encoding"), force=force, questions=questions)
        file = _File(options, text)
        file.decide(questions, remembered)
        statements: dict[str | None, Statement] = {}
        for account, transaction in read_registers(text.lines(), Passed()):
            statement = statements.get(account.name)
            if statement is None:
                statement = statements[account.name] = file.statement(account)
                yield statement, None
            if transaction is not None:
                for entry in file.entries(transaction):
                    yield statement, entry
        first = next(iter(statements.values()))
        first.encoding = text.codec
        file.add_remarks(first)


class _File:
    """What a first pass over the whole file finds out. Raises ImportRefused."""

    def __init__(self, options: Mapping[str, Any], text: TextFile) -> None:
        self._account, self._currency = options.get("account"), options.get("currency")
        self._passed = Passed()
        form = options.get("date_format")
        self._dates = DateColumn(None if form is None else form.replace("'", "/"))
        self._amounts = AmountColumns(options.get("decimal"), options.get("thousands"))
        self._says_cleared = False
        # By account name (None: not stated): the line of the account's first transaction.
        self._first: dict[str | None, int | None] = {}
        for account, transaction in read_registers(text.lines(), self._passed):
            self._first.setdefault(account.name, None)
            if transaction is not None:
                self._first[account.name] = self._first[account.name] or transaction.line
                self._add(transaction)

    def _add(self, transaction: Transaction) -> None:
        day = transaction.fields["D"]
        self._dates.add(_date_text(day.text), day.line)
        for amount in (*transaction.amounts, *(split["$"] for split in transaction.splits)):
            self._amounts.add(amount.text, amount.line)
        self._says_cleared |= bool(transaction.text("C"))

    def decide(self, questions: Questions, remembered: Remembered) -> None:
        """Ask about everything the file leaves open. Call it before `entries`."""
        if not self._first:
            held = self._passed.listed()
            if self._passed.investments:
                held.append(f"transactions of investments ({self._passed.investments})")
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
        if None in self._first and self._account is None:
            questions.ask(
                "the file does not say which account it belongs to",
                Answer(("--account", NAME)),
                how=f": give --account {NAME}",
            )
        self._date_reader = DateReader(self._dates.decide(questions))
        self._amount_reader = AmountReader(self._amounts.decide(questions))
        if questions.asked and self._currency is None:
            names = [self._account] if self._account else [name for name in self._first if name]
            new = remembered.new_accounts([(name, None) for name in names])
            questions.ask_for_currency(new if names else None)
        questions.put()

    def statement(self, account: Account) -> Statement:
        mark = next(iter(self._amounts.marks), None)
        name = account.name and clean_or_none(account.name)
        statement = Statement(
            StatementAccount(
                key=name,
                name=name,
                account_type=ACCOUNT_TYPES[account.kind],
                currency=self._currency or (mark.currency if mark is not None else None),
            )
        )
        if mark is not None:
            statement.currency_mark, statement.possible_currencies = mark.text, mark.possible
        return statement

    def add_remarks(self, statement: Statement) -> None:
        """Add remarks and counts about the parts of the file that are not imported."""
        passed = self._passed
        if passed.investments:
            statement.skipped["transaction of investments"] += passed.investments
        if passed.lists:
            statement.remarks.append(f"skipped lists: {', '.join(passed.listed())}")
        if passed.codes:
            statement.remarks.append(
                f"fields that are not imported: {listed(sorted(passed.codes))}"
            )

    def entries(self, transaction: Transaction) -> Iterator[Entry]:
        """Yield the transaction's entry; if one of its splits is a transfer, one for each split."""
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
        parts = [
            _classified(entry._replace(amount=amount), split["S"].text, _note(transaction, split))
            for split, amount in zip(transaction.splits, amounts, strict=True)
        ]
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
        return amount.side * abs(amount.units) if amount.side else amount.units


def _note(transaction: Transaction, split: dict[str, Field]) -> str:
    memo = split["E"].text if "E" in split else ""
    return " ".join(dict.fromkeys(filter(None, (transaction.note, memo))))


def _classified(entry: Entry, category: str, note: str) -> Entry:
    """Return the entry with the note, and the category, class or other account of L or S."""
    name, other_account, label = map(_clean, category_of(category))
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
