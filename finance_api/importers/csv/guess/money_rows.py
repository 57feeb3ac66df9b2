"""The amounts and balances of the rows that are transactions, read with the decimal mark that is
decided or tried.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import merge

from finance_api.importers.csv.amounts import AmountReader
from finance_api.importers.csv.balances import BalanceRow, orders_of
from finance_api.importers.csv.cells import SignWords, amount_cell, money_text
from finance_api.importers.csv.guess.evidence import Survey
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.guess.totals import Money, MoneyRow, is_sum
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.reading import movements
from finance_api.importers.csv.table import Row
from finance_api.importers.interface import ImportRefused

#: Line -> the cells of its row.
CellsOf = Mapping[int, list[str]]


@dataclass
class MoneyRows:
    """words: those of --sign. amounts: reads the amounts; it is set once it is known."""

    plan: Plan
    survey: Survey
    selection: Selection
    words: SignWords | None
    amounts: AmountReader = field(init=False)

    def money(self, line: int, cells: list[str]) -> Money:
        """Return a row's amounts, each by its place."""
        cents = amount_cell(self.plan.columns, cells, self.words, line)
        return {place: self.amounts.read(text, line).units for place, text in cents}

    def read(self, *others: Iterable[Row]) -> Iterator[MoneyRow]:
        """Yield the transactions with their amounts, and other rows, each in its place."""
        rows = movements(self.plan, self.selection)
        for line, cells in merge(rows, *others) if others else rows:
            yield MoneyRow(line, cells, self.money(line, cells))

    def with_balances(self) -> Iterator[MoneyRow]:
        """Yield the transactions, and the rows whose words say that they are balances."""
        balances = sorted(self.selection.balances.items())
        return self.read((line, cells) for line, (_, cells) in balances)

    def balance_rows(self) -> tuple[list[BalanceRow], CellsOf]:
        """Return all rows and the cells of each line, if each row has a balance and there is one
        account; else no rows.
        """
        columns, survey = self.plan.columns, self.survey
        codes = survey.currencies
        counts = [len(survey.accounts), len(codes), *map(len, codes.values())]
        if "balance" not in columns or survey.footer or max(counts) > 1:
            return [], {}
        amounts = self.amounts
        (balance,) = columns["balance"]
        found, cells_of = [], {}
        for line, cells in movements(self.plan, self.selection):
            text = money_text(cells[balance])
            if not text:
                return [], {}
            cells_of[line] = cells
            cents = amount_cell(columns, cells, None, line)
            size = sum(abs(amounts.read(amount, line).units) for _, amount in cents)
            found.append((line, size, amounts.read(text, line).units))
        for line, (_, cells) in self.selection.balances.items():
            if text := money_text(cells[balance]):
                found.append((line, 0, amounts.read(text, line).units))
        return sorted(found), cells_of

    def fits_totals(self, reader: AmountReader) -> bool:
        """Return whether all amounts add up to a total, or the balances change by them."""
        self.amounts = reader
        with suppress(ImportRefused):
            return self._add_up()
        return False

    def _add_up(self) -> bool:
        doubts, columns = self.selection.doubts, self.plan.columns
        whole = Counter[int]()
        below = [(line, [*cells]) for line, cells in self.survey.footer_rows]
        below = [row for row in below if len(row[1]) == self.plan.table.width]
        totals = [self.money(*row) for row in (*self.selection.totals.items(), *below)]
        rows: list[BalanceRow] = []
        for row in self.read():
            line, cells = row.line, row.cells
            if line in doubts:
                totals.append(row.money)
            else:
                whole.update(row.money)
            balance = money_text(cells[columns["balance"][0]]) if "balance" in columns else ""
            if balance:
                fees = (money_text(cells[index]) for index in columns.get("fee", ()))
                charged = sum(abs(self.amounts.read(fee, line).units) for fee in fees if fee)
                after = self.amounts.read(balance, line).units
                rows.append((line, row.net - charged, after))
        runs = len(rows) > 2 and bool(orders_of(rows, int) or orders_of(rows, int.__neg__))
        return runs or any(is_sum(money, whole) for money in totals)
