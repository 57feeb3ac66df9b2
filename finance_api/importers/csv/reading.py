"""How a table is read once everything is decided: its complete mapping."""

from collections import Counter, abc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.clauses import Clause, Says, Topic, clause
from finance_api.importers.csv.amounts import Amount, AmountReader
from finance_api.importers.csv.cells import SignWords, amount_cell, clean_text, money_text, text_of
from finance_api.importers.csv.dates import DateReader
from finance_api.importers.csv.guess.evidence import Kind
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.mapping import Columns
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.stated import Stated
from finance_api.importers.csv.table import Row
from finance_api.importers.interface import Choice, ImportRefused, stated_code
from finance_api.resources.currencies import Mark
from finance_api.values.time import DAY_SECONDS


@dataclass(frozen=True)
class Signs:
    """What the signs of amounts mean.

    rules: place of an amount -> sign (as `AmountColumns.add` returns it) -> 1 for money coming in,
    -1 for money going out. by_line: line -> 1 or -1, if the balances show it.
    """

    rules: abc.Mapping[int, abc.Mapping[int, int]]
    by_line: abc.Mapping[int, int] = field(default_factory=dict)

    def units(self, amount: Amount, place: int, line: int) -> int:
        """Return the amount in ten-thousandths, negative for money going out."""
        if self.by_line and line in self.by_line:
            return self.by_line[line] * abs(amount.units)
        sign = 2 * amount.side or (1 if amount.units > 0 else -1)
        return self.rules[place][sign] * abs(amount.units)

    def direction(self, kind: Kind) -> int:
        """Return 1 for money coming in, -1 for money going out, 0 for an amount of zero."""
        place, sign = kind
        return self.rules[place][sign] if sign else 0


@dataclass(frozen=True)
class Currencies:
    """The currencies of a file's rows, and the accounts of these currencies.

    If a file has several currencies, each account is divided: "NAME EUR", "NAME USD".
    given: the value of --currency. whole: the only currency of the file, stated once or beside the
    amounts. by_mark: whether each row's currency stands beside its amount.
    several: account -> its currencies, if the file has several. remembered: options saved from an
    earlier file. column: the name of the column that has each row's currency. mark: an ambiguous
    mark in the headings of the amounts.
    """

    given: str | None
    remembered: abc.Mapping[str, Any]
    whole: str | None = None
    several: abc.Mapping[str, Sequence[str]] = field(default_factory=dict)
    by_mark: bool = False
    column: str = ""
    mark: Mark | None = None

    @cached_property
    def option(self) -> str | None:
        """The currency of all rows that state none."""
        return self.given or self.whole

    @property
    def divided(self) -> str | None:
        """The account that an earlier file divided; --account names it, or one of its parts."""
        return self.remembered.get("account") if self.remembered.get("split") else None

    def of_row(self, text: str | None, mark: Mark | None, line: int) -> str | None:
        """Return a row's currency. Raises ImportRefused if the row states no valid currency, or
        contradicts --currency.
        """
        if text is not None:
            code = stated_code(text, "the currency", line)
            if self.given not in (None, code):
                said = self.option or ""
                all_ = Choice({"columns": {"currency": ("",)}}, clause(Says.ALL_IN, code=said))
                fact = clause(Topic.CURRENCY_AGAINST, code=code, said=said)
                raise ImportRefused(fact, line, (in_column(self.column), all_))
            return code
        if self.by_mark:
            if mark is None or mark.currency is None:
                fault = "the amount has no currency, and the other amounts have several"
                raise ImportRefused(fault, line)
            return mark.currency
        if self.several and self.given is None:
            name = self.column
            above = Choice({"fill_down": (name,)}, clause(Says.REPEATS_ABOVE, columns=(name,)))
            raise ImportRefused("the currency is empty", line, (above,) if name else ())
        return self.option

    def account_name(self, name: str, currency: str | None) -> tuple[str, bool]:
        """Return the account for rows in this currency, and whether it is part of a divided one."""
        is_split = bool(self.remembered.get("split"))
        is_first = not is_split and currency == self.remembered.get("accountCurrency")
        several = len(self.several.get(name, self.several.get("", ()))) > 1
        is_part = currency is not None and not is_first and (several or is_split)
        return (f"{name} {currency}" if is_part else name), is_part


def in_column(name: str) -> Choice:
    meaning = clause(Says.HAS_CURRENCIES, column=name)
    return Choice({"columns": {"currency": (name,)}, "currency": None}, meaning)


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
            if found is not None and found[0] and amount.units:
                raise ImportRefused(clause(Topic.BOTH_SIDES), line)
            if found is None or amount.units:
                found = (self.signs.units(amount, place, line), amount)
        assert found is not None
        return found

    def amount(self, name: str, line: int, cells: Sequence[str]) -> Amount | None:
        indexes = self.columns.get(name)
        text = money_text(cells[indexes[0]]) if indexes is not None else ""
        return self.amounts.read(text, line) if text else None

    def balance(self, line: int, cells: Sequence[str]) -> int | None:
        """Return the row's balance in ten-thousandths; None if its cell is empty."""
        amount = self.amount("balance", line, cells)
        return None if amount is None else amount.units

    def any_balance(self, line: int, cells: Sequence[str], *, is_debt: bool) -> int | None:
        """Return the balance in its column, or else in the columns of the amounts.

        is_debt: whether the column has what is owed.
        """
        if (units := self.balance(line, cells)) is not None:
            return -units if is_debt else units
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
            if text := money_text(cells[index]):
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


def movements(
    plan: Plan, selection: Selection, skipped: Counter[str] | None = None
) -> Iterator[Row]:
    """Yield the rows that are transactions, expanded by the profile if any. Count other rows."""
    rows = plan.table.rows(skipped)
    if selection.is_needed:
        rows = (row for row in rows if selection.keeps(*row, skipped))
    if plan.rows is None:
        return rows
    expand = plan.rows.begin(skipped)
    return ((line, found) for line, cells in rows for found in expand(line, cells))


@dataclass(frozen=True)
class TableReading:
    """The complete mapping of a table.

    reader: reads the cells of a row. selection: the rows that are transactions. stated: the
    balances that stand outside of the rows. remarks: decisions to report to the user.
    """

    plan: Plan
    reader: RowReader
    currencies: Currencies
    selection: Selection
    stated: Sequence[Stated]
    remarks: Sequence[Clause | str]
