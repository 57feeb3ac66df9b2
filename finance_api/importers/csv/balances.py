"""Checks the balances beside the amounts, each row against the row before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from finance_api.importers.interface import Answer, BankBalance, ImportRefused
from finance_api.values.text import amount_text
from finance_api.values.time import DAY_SECONDS


@dataclass
class BalanceCheck:
    """The balances of one account, row by row, with the oldest or the newest row first.

    Rows without a balance are added up until the next row that has one. answers: offers to read the
    file without balances. rows, total: number and sum of all rows. first_day, last_day: their
    earliest and latest day.

    _faults: row order that the balances contradict (False: oldest first) -> the line of the first
    row that does not fit, the balance expected there, and the stated balance.
    _first, _last: the first and the last row with a balance, each as (balance, total of all rows up
    to and including this one, this row's own money).
    """

    answers: tuple[Answer, ...] = ()
    rows: int = 0
    total: int = 0
    first_day: int = 0
    last_day: int = 0
    _top_day: int = 0
    _bottom_day: int = 0
    _faults: dict[bool, tuple[int, int, int]] = field(default_factory=dict)
    _first: tuple[int, int, int] | None = None
    _last: tuple[int, int, int] = (0, 0, 0)

    def add(self, line: int, day: int, money: int, balance: int | None) -> None:
        """Add a row. money: its amount and fee. Raises ImportRefused if neither order fits."""
        day -= day % DAY_SECONDS
        if not self.rows:
            self.first_day = self._top_day = day
        self.first_day = min(day, self.first_day)
        self.last_day = max(day, self.last_day) if self.rows else day
        self._bottom_day = day
        self.rows += 1
        self.total += money
        if balance is None:
            return
        row = (balance, self.total, money)
        if self._first is None:
            self._first = row
        else:
            self._compare(line, *row)
        self._last = row

    def _compare(self, line: int, balance: int, total: int, money: int) -> None:
        last, total_before, last_money = self._last
        since = total - total_before
        expected = {False: last + since, True: last - last_money - since + money}
        for newest_first, should in expected.items():
            if balance != should:
                self._faults.setdefault(newest_first, (line, should, balance))
        if len(self._faults) == len(expected):
            # Report the order whose first fault comes later; on a tie, the order of the days.
            by_days = self._top_day > self._bottom_day
            order = max(self._faults, key=lambda order: (self._faults[order][0], order == by_days))
            at, should, is_ = self._faults[order]
            raise ImportRefused(
                f"the balance is {amount_text(is_)}, but after the row before it should be "
                f"{amount_text(should)}: a row is missing, changed or moved; download the file "
                "again",
                at,
                answers=self.answers,
                how=", or ignore the balances with --ignore" if self.answers else "",
            )

    def ends(self) -> tuple[BankBalance | None, BankBalance | None]:
        """Return the opening and closing balance; both None if no row has a balance or the order
        is unclear.
        """
        fitting = [order for order in (False, True) if order not in self._faults]
        if self._first is None:
            return None, None
        if len(fitting) == 2 and self.rows > 1:
            if self._top_day == self._bottom_day:
                return None, None
            fitting = [self._top_day > self._bottom_day]
        # Extend the first and the last balance over the rows beyond them, which have none.
        (first, until_first, first_money), (last, until_last, last_money) = self._first, self._last
        if fitting[0]:
            opening = last - last_money - (self.total - until_last)
            closing = first + until_first - first_money
        else:
            opening, closing = first - until_first, last + self.total - until_last
        return (
            BankBalance(opening, self.first_day - DAY_SECONDS),
            BankBalance(closing, self.last_day),
        )

    def reconcile(
        self,
        opening: BankBalance | None,
        closing: BankBalance | None,
        stated: Sequence[tuple[int, int] | None],
    ) -> tuple[BankBalance | None, BankBalance | None]:
        """Return both balances, each from the rows if they have it, else as stated. Raises
        ImportRefused if rows and stated balances disagree.

        stated: (line, amount) of the opening and of the closing balance; None if no row states it.
        """
        first, last = stated
        if first is not None and opening is None:
            opening = BankBalance(first[1], self.first_day - DAY_SECONDS)
            last = last or (first[0], first[1] + self.total)
        if last is not None and closing is None:
            closing = BankBalance(last[1], self.last_day)
        for row, balance in ((first, opening), (last, closing)):
            if row is not None and balance is not None and row[1] != balance.amount:
                raise ImportRefused(
                    f"the row states a balance of {amount_text(row[1])}, but from the other rows "
                    f"it is {amount_text(balance.amount)}: a row is missing or changed; download "
                    "the file again",
                    row[0],
                )
        if first is not None and last is not None and first[1] + self.total != last[1]:
            raise ImportRefused(
                f"the opening balance of {amount_text(first[1])} and the rows make "
                f"{amount_text(first[1] + self.total)}, but the closing balance is "
                f"{amount_text(last[1])}: a row is missing or changed; download the file again",
                last[0],
            )
        return opening, closing


#: A row's line, the size of its amount, and the balance after it.
BalanceRow = tuple[int, int, int]


def steps(rows: Sequence[BalanceRow], *, newest_first: bool) -> list[BalanceRow]:
    """Return the line, the amount's size and the balance's change for each row but the oldest."""
    pairs = pairwise(rows[::-1] if newest_first else rows)
    return [(line, size, after - before) for (_, _, before), (line, size, after) in pairs]


def orders_of(rows: Sequence[BalanceRow]) -> list[bool]:
    """Return the orders (False: oldest first) in which the balance changes by each amount."""
    return [
        newest_first
        for newest_first in (False, True)
        if all(size == abs(step) for _, size, step in steps(rows, newest_first=newest_first))
    ]


def ways_of(rows: Sequence[BalanceRow]) -> dict[int, int] | None:
    """Return the sign of each line that the balances show: 1 for money in, -1 for money out.

    The oldest row is left out, because no balance precedes it. Returns None if neither order fits,
    or both fit but disagree.
    """
    found = [
        {line: 1 if step > 0 else -1 for line, _, step in steps(rows, newest_first=newest_first)}
        for newest_first in orders_of(rows)
    ]
    return found[0] if found and found[0] == found[-1] else None
