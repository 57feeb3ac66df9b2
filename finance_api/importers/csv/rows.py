"""Turns rows of cells into entries, each with the statement of its account."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from finance_api.importers.clauses import Says, Topic, Units, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS, Amount, AmountReader
from finance_api.importers.csv.balances import BalanceCheck
from finance_api.importers.csv.cells import (
    AMOUNT,
    SignWords,
    account_of,
    amount_cell,
    clean_text,
    text_of,
)
from finance_api.importers.csv.dates import DateReader
from finance_api.importers.csv.guess.currency import Currencies
from finance_api.importers.csv.guess.direction import Signs
from finance_api.importers.csv.mapping import FEE_CATEGORY, LABEL_SEPARATOR, Columns
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.stated import Stated, owed, reconcile
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import (
    BankBalance,
    Choice,
    Entry,
    ImportRefused,
    Statement,
    StatementAccount,
    listed,
    quoted,
    stated_code,
)
from finance_api.resources import RECORDS
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.resources.currencies import Mark, decimals_of, smallest_units
from finance_api.resources.field import Kind
from finance_api.resources.records import STATED
from finance_api.values.text import amount_text, message
from finance_api.values.time import DAY_SECONDS

_OTHERS = frozenset(("valueDate", "counterpartyAccount", "originalAmount", "labels", "paymentType"))
#: Fields with any text -> attributes of an entry.
_TEXTS = {
    **{name: name for name in ("payee", "note", "category")},
    **{
        name: attribute
        for name, attribute in STATED.items()
        if RECORDS[name].kind is Kind.TEXT and name not in _OTHERS
    },
}
_ACCOUNTS = frozenset(("account", "accountNumber"))


@dataclass
class _AccountRows:
    """One account's statement, and what its rows have in common."""

    statement: Statement
    number: str | None
    first_line: int
    balances: BalanceCheck
    initial: int | None = None
    mark: Mark | None = None


@dataclass(frozen=True)
class RowReader:
    """Reads the cells of a row, following the decisions made for the whole file."""

    columns: Columns
    signs: Signs
    words: SignWords | None
    dates: DateReader
    value_dates: DateReader
    amounts: AmountReader
    fees_signed: Sequence[bool]

    def text(self, name: str, cells: Sequence[str]) -> str | None:
        indexes = self.columns.get(name)
        return None if indexes is None else clean_text(cells, indexes)

    def money(self, line: int, cells: Sequence[str]) -> tuple[int, Amount]:
        """Return the amount in ten-thousandths, negative for money going out, and as written."""
        found: tuple[int, Amount] | None = None
        for place, text in amount_cell(self.columns, cells, self.words, line):
            amount = self.amounts.read(text, line)
            if found is None or amount.units:
                found = (self.signs.units(amount, place, line), amount)
        assert found is not None
        return found

    def amount(self, name: str, line: int, cells: Sequence[str]) -> Amount | None:
        indexes = self.columns.get(name)
        text = cells[indexes[0]].strip() if indexes is not None else ""
        return self.amounts.read(text, line) if text else None

    def balance(self, line: int, cells: Sequence[str]) -> int | None:
        """Return the balance in its column, or else in the columns of the amounts."""
        amount = self.amount("balance", line, cells)
        if amount is not None:
            return amount.units
        for place, text in amount_cell(self.columns, cells, self.words, line):
            units = self.amounts.read(text, line).units
            return place * abs(units) if place else units * self.signs.rules[place].get(1, 1)
        return None

    def day(self, cells: Sequence[str]) -> int | None:
        """Return the row's day, in seconds; None if it has no valid date."""
        with suppress(ImportRefused):
            day = self.dates.read(text_of(cells, self.columns["recordDate"]), 0)
            return day - day % DAY_SECONDS
        return None

    def fee(self, line: int, cells: Sequence[str]) -> int:
        """Return the fee in ten-thousandths, negative for money going out."""
        fees = 0
        for index, signed in zip(self.columns["fee"], self.fees_signed, strict=True):
            if text := cells[index].strip():
                units = self.amounts.read(text, line).units
                if not signed and units < 0:
                    raise ImportRefused(clause(Topic.FEE_IS_SIGNED), line)
                fees += units if signed else -units
        return fees

    def original(self, line: int, cells: Sequence[str]) -> tuple[int | None, str | None]:
        """Return the amount before conversion and its currency; both None if either is missing."""
        amount = self.amount("originalAmount", line, cells)
        if amount is None:
            return None, None
        text = self.text("originalCurrencyCode", cells)
        if text is not None:
            return amount.units, stated_code(text, "the original currency", line)
        code = amount.mark.currency if amount.mark is not None else None
        return (None, None) if code is None else (amount.units, code)


class StatementBuilder:
    """Takes rows in the file's order, and makes an entry for each row, and another for its fee.

    left_out: COLUMN=VALUE of rows that --only left out, saved for the next file. reconciles:
    whether the file states balances outside of these rows. section: as in `Entry`, for the next
    rows: equal rows below different headings may be one transaction, downloaded twice.
    """

    def __init__(
        self,
        plan: Plan,
        reader: RowReader,
        currencies: Currencies,
        left_out: Sequence[str],
        *,
        reconciles: bool = False,
    ) -> None:
        mapping, columns = plan.mapping, reader.columns
        self.section = 1
        self._plan = plan
        self._reader = reader
        self._columns = columns
        self._currencies = currencies
        self._texts = _texts_digest(plan)
        self._remembered = plan.to_remember()
        if left_out:
            before = self._remembered.get("leave_out", ())
            self._remembered["leave_out"] = list(dict.fromkeys((*before, *left_out)))
        self._account = mapping.account
        if self._account is not None and currencies.divided is not None:
            self._account = currencies.divided
        separators = mapping.label_separator or LABEL_SEPARATOR
        self._separators = str.maketrans(dict.fromkeys(separators[1:], separators[0]))
        self._separator = separators[0]
        # The account column's name for the account of --account, and the first line with that name.
        self._other_name: tuple[str | None, int] | None = None
        self._rows: dict[tuple[str, str | None], _AccountRows] = {}
        self._last_line = 0
        self._has_balances = reconciles or "balance" in columns
        self._texts_of = [(a, columns[n]) for n, a in _TEXTS.items() if n in columns]
        self._has_others = not _OTHERS.isdisjoint(columns)
        self._has_accounts = self._account is None or not _ACCOUNTS.isdisjoint(columns)

    def without_rows(self) -> Iterator[tuple[Statement, None]]:
        """Yield a statement for --account if the file has no rows."""
        if not self._rows and self._account is not None:
            yield self._new(self._account, self._currencies.option, None, 0).statement, None

    def add(self, line: int, cells: Sequence[str]) -> Iterator[tuple[Statement, Entry | None]]:
        """Yield a row's entries, and each new statement. Raises ImportRefused with a line."""
        reader, columns = self._reader, self._columns
        units, amount = reader.money(line, cells)
        written = text_of(cells, columns["recordDate"])
        date, offset = reader.dates.read_with_offset(written, line)
        name, number = self._account or "", None
        if self._has_accounts:
            name, number = self._account_of_row(line, cells)
        code = reader.text("currency", cells) if "currency" in columns else None
        currency = self._currencies.of_row(code, amount.mark, line)
        rows = self._rows.get((name, currency))
        if rows is None:
            rows = self._new(name, currency, number, line)
            yield rows.statement, None
        elif number != rows.number:
            raise ImportRefused(
                clause(
                    Topic.ACCOUNT_NUMBERS,
                    number=number or "",
                    earlier=rows.number or "",
                    line=rows.first_line,
                ),
                line,
                choices=(Choice({"account": None}),),
            )
        if amount.mark is not None:
            _check_mark(rows, amount.mark, line)
        if not decimals_of(currency) and units % smallest_units(currency):
            raise ImportRefused(
                clause(Topic.NO_DECIMALS, amount=Units(units), currency=currency or ""),
                line,
                choices=tuple(
                    Choice({"decimal": mark})
                    for mark in DECIMAL_MARKS
                    if self._plan.mapping.decimal not in (None, mark)
                ),
            )
        if "opening" in columns and cells[columns["opening"][0]]:
            rows.initial = (rows.initial or 0) + units
        else:
            bank_id = reader.text("id", cells) if "id" in columns else None
            fingerprint = ""
            if bank_id is not None:
                fingerprint = sha256("\x1f".join(cells).encode()).hexdigest()[:32]
            values: dict[str, Any] = {f: clean_text(cells, i) for f, i in self._texts_of}
            if self._has_others:
                values |= self._others(line, cells)
            values["section"] = self.section if bank_id is None else None
            entry = Entry(
                line, date, units, bank_id, fingerprint=fingerprint, offset=offset, **values
            )
            yield rows.statement, entry
            if "fee" in columns and (fee := reader.fee(line, cells)):
                yield rows.statement, self._fee(entry, fee)
                units += fee
        if self._has_balances:
            self._last_line = line
            balance = reader.amount("balance", line, cells)
            rows.balances.add(line, date, units, None if balance is None else balance.units)

    def _fee(self, entry: Entry, fee: int) -> Entry:
        return Entry(
            entry.line,
            entry.date,
            fee,
            None if entry.bank_id is None else f"{entry.bank_id}/fee",
            entry.payee,
            entry.note,
            self._plan.mapping.fee_category or FEE_CATEGORY,
            value_date=entry.value_date,
            fingerprint=entry.fingerprint,
        )

    def _others(self, line: int, cells: Sequence[str]) -> dict[str, Any]:
        """Read the fields of an entry for which most files have no columns."""
        reader = self._reader
        day = reader.text("valueDate", cells)
        other_account = reader.text("counterpartyAccount", cells)
        original, original_currency = reader.original(line, cells)
        payment_type = reader.text("paymentType", cells)
        if payment_type is not None and payment_type.lower() not in PAYMENT_TYPES:
            raise ImportRefused(
                f"the payment type {quoted(payment_type)} is not one of {', '.join(PAYMENT_TYPES)}",
                line,
            )
        return {
            "labels": self._labels(cells),
            "payment_type": payment_type and payment_type.lower(),
            "value_date": day and reader.value_dates.read(day, line) // DAY_SECONDS * DAY_SECONDS,
            "counterparty_account": other_account and "".join(other_account.split()),
            "original_amount": original,
            "original_currency": original_currency,
        }

    def has_debts(self) -> bool | None:
        """Return whether any balances are what is owed; None if there are no balances.

        Raises ImportRefused if the balances do not fit.
        """
        checks = [rows.balances for rows in self._rows.values() if rows.balances.closing()]
        return any(check.is_debt for check in checks) if checks else None

    def finish(
        self, rows_stating: Mapping[int, tuple[str, list[str]]], beside: Sequence[Stated]
    ) -> list[Statement]:
        """Return the complete statements, in the order in which the accounts appear.

        rows_stating: line -> kind and cells of a row that states a balance. beside: the balances
        that are stated outside of the rows.
        """
        unused = list(beside)
        for rows in self._rows.values():
            statement = rows.statement
            statement.initial = rows.initial
            if not self._has_balances:
                continue
            opening, closing = rows.balances.ends()
            if opening is not None and rows.initial:
                # Rows that make up `initial` are not entries: the opening balance is after them.
                opening = BankBalance(opening.amount + rows.initial, opening.date)
            if len(self._rows) == 1 and rows.balances.rows:
                own = self._beside(rows, beside)
                unused = [each for each in beside if each.text not in {other.text for other in own}]
                stated = [*self._in_rows(rows_stating, rows.first_line), *own]
                (opening, closing), others = reconcile(rows.balances, (opening, closing), stated)
                unused += others
            statement.opening, statement.closing = opening, closing
        statements = [rows.statement for rows in self._rows.values()]
        if unused and statements:
            texts = listed(dict.fromkeys(each.text for each in unused))
            remark = f"not used, for its day is unclear: the balance {texts}"
            statements[0].remarks.append(message(remark))
        return statements

    def _in_rows(
        self, rows: Mapping[int, tuple[str, list[str]]], first_line: int
    ) -> Iterator[Stated]:
        """Yield the balances in rows above ``first_line``, or below all other rows: others, such as
        those carried to the next page, are not the file's first or last.
        """
        for line, (kind, cells) in rows.items():
            # The file's cells are not followed by cells that a profile derives.
            row = [*cells, *("" for _ in self._columns)]
            units = self._reader.balance(line, row)
            if units is not None and not first_line < line < self._last_line:
                day = self._reader.day(row)
                yield Stated(kind, day, message(amount_text(units)), units, line)

    def _beside(self, rows: _AccountRows, stated: Sequence[Stated]) -> list[Stated]:
        reader, currency = self._reader, rows.statement.account.currency
        found = []
        for each in stated:
            with suppress(ImportRefused):
                amount = reader.amounts.read(each.text, 1)
                if amount.mark is None or currency is None or amount.mark.fits(currency):
                    found.append(replace(each, units=amount.units))
        way = reader.signs.rules.get(AMOUNT, {}).get(1, 1)
        return found if way > 0 else owed(found, rows.balances.total)

    def _new(self, name: str, currency: str | None, number: str | None, line: int) -> _AccountRows:
        stored_name, is_part = self._currencies.account_name(name, currency)
        own = {"account": self._account, "split": is_part or None, "accountCurrency": currency}
        options = self._remembered | {n: value for n, value in own.items() if value is not None}
        account = StatementAccount(
            key=stored_name, name=stored_name, currency=currency, number=number
        )
        profile = None if self._plan.any_profile is None else self._plan.any_profile.name
        statement = Statement(account, texts=self._texts, options=options, profile=profile)
        check = BalanceCheck(self._plan.balance)
        rows = _AccountRows(statement, number, line, check)
        self._rows[name, currency] = rows
        return rows

    def _account_of_row(self, line: int, cells: Sequence[str]) -> tuple[str, str | None]:
        """Return the name of the row's account, and the bank's number for it."""
        name, number = account_of(self._reader.columns, cells)
        if self._account is None:
            if name is None and number is None:
                raise ImportRefused("the account is empty", line)
            return name or number or "", number
        if self._other_name is None:
            self._other_name = (name, line)
        elif name != self._other_name[0]:
            raise ImportRefused(
                clause(
                    Topic.ACCOUNT_NAMES,
                    account=name or "",
                    earlier=self._other_name[0] or "",
                    line=self._other_name[1],
                ),
                line,
                choices=(
                    Choice({"account": None}, clause(Says.ACCOUNTS_OF_FILE)),
                    Choice(
                        {"columns": {"account": ("",)}},
                        clause(Says.EVERY_ROW, account=self._account),
                    ),
                ),
            )
        return self._account, number

    def _labels(self, cells: Sequence[str]) -> tuple[str, ...]:
        text = self._reader.text("labels", cells) or ""
        names = (name.strip() for name in text.translate(self._separators).split(self._separator))
        return tuple(dict.fromkeys(name for name in names if name))


def _texts_digest(plan: Plan) -> str:
    """Return a digest of the columns of payee and note, and of the profile's name and version."""
    headings, profile = plan.headings.texts, plan.profile
    names: list[Any] = [
        [index if headings is None else folded(headings[index]) for index in indexes]
        for indexes in (plan.columns.get(field, ()) for field in ("payee", "note"))
    ]
    if profile is not None:
        names.append([profile.name, profile.version])
    return sha256(json.dumps(names).encode()).hexdigest()[:16]


def _check_mark(rows: _AccountRows, mark: Mark, line: int) -> None:
    """Refuse an amount that is not in the currency of the account or of its earlier amounts."""
    statement = rows.statement
    currency = statement.account.currency
    if currency is not None:
        if not mark.fits(currency):
            raise ImportRefused(
                f"the amount is in {mark.text}, but its account is in {currency}", line
            )
        return
    if rows.mark is not None and mark != rows.mark:
        raise ImportRefused(
            clause(Topic.CURRENCIES_OF_ACCOUNT, mark=mark.text, earlier=rows.mark.text),
            line,
            needs=("columns",),
        )
    rows.mark = mark
    statement.currency_mark, statement.possible_currencies = mark.text, mark.possible
