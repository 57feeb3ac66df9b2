"""The amounts and balances of the rows that are transactions, read with the decimal mark that is
decided or tried.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from heapq import merge

from finance_api.importers.csv.amounts import AmountReader
from finance_api.importers.csv.balances import BalanceRow, orders_of
from finance_api.importers.csv.cells import SignWords, amount_cell, money_text
from finance_api.importers.csv.guess.evidence import Survey
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.guess.totals import is_sum, net
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.reading import movements
from finance_api.importers.csv.table import Row
from finance_api.importers.interface import ImportRefused

#: Line -> the cells of its row.
CellsOf = Mapping[int, list[str]]


class MoneyRows:
    """amounts: reads the amounts. words: those of --sign."""

    amounts: AmountReader

    def __init__(
        self, plan: Plan, survey: Survey, selection: Selection, words: SignWords | None
    ) -> None:
        self._plan, self._survey, self._selection = plan, survey, selection
        self._words = words

    def money(self, line: int, cells: list[str]) -> dict[int, int]:
        """Return a row's amounts, each by its place."""
        cents = amount_cell(self._plan.columns, cells, self._words, line)
        return {place: self.amounts.read(text, line).units for place, text in cents}

    def with_balances(self) -> Iterator[Row]:
        """Yield the transactions, and the rows whose words say that they are balances."""
        balances = ((line, cells) for line, (_, cells) in sorted(self._selection.balances.items()))
        return merge(movements(self._plan, self._selection), balances)

    def balance_rows(self) -> tuple[list[BalanceRow], CellsOf]:
        """Return all rows and the cells of each line, if each row has a balance and there is one
        account; else no rows.
        """
        columns, survey = self._plan.columns, self._survey
        codes = survey.currencies
        counts = [len(survey.accounts), len(codes), *map(len, codes.values())]
        if "balance" not in columns or survey.footer or max(counts) > 1:
            return [], {}
        amounts = self.amounts
        (balance,) = columns["balance"]
        found, cells_of = [], {}
        for line, cells in movements(self._plan, self._selection):
            text = money_text(cells[balance])
            if not text:
                return [], {}
            cells_of[line] = cells
            cents = amount_cell(columns, cells, None, line)
            size = sum(abs(amounts.read(amount, line).units) for _, amount in cents)
            found.append((line, size, amounts.read(text, line).units))
        for line, (_, cells) in self._selection.balances.items():
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
        doubts, columns = self._selection.doubts, self._plan.columns
        whole = Counter[int]()
        below = [(line, [*cells]) for line, cells in self._survey.footer_rows]
        below = [row for row in below if len(row[1]) == self._plan.table.width]
        totals = [self.money(*row) for row in (*self._selection.totals.items(), *below)]
        rows: list[BalanceRow] = []
        for line, cells in movements(self._plan, self._selection):
            money = self.money(line, cells)
            if line in doubts:
                totals.append(money)
            else:
                whole.update(money)
            balance = money_text(cells[columns["balance"][0]]) if "balance" in columns else ""
            if balance:
                fees = (money_text(cells[index]) for index in columns.get("fee", ()))
                charged = sum(abs(self.amounts.read(fee, line).units) for fee in fees if fee)
                after = self.amounts.read(balance, line).units
                rows.append((line, net(money) - charged, after))
        runs = len(rows) > 2 and bool(orders_of(rows, int) or orders_of(rows, int.__neg__))
        return runs or any(is_sum(money, whole) for money in totals)
