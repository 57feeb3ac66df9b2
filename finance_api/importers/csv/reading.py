"""How a table is read once everything is decided: its complete mapping."""

from collections import Counter, abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.clauses import Clause, Says, Topic, clause
from finance_api.importers.csv.cells import RowReader
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.stated import Stated
from finance_api.importers.csv.table import Row
from finance_api.importers.interface import Choice, ImportRefused, stated_code
from finance_api.resources.currencies import Mark


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
