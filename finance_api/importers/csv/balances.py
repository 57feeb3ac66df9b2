"""A column of balances: every row is checked against the one before it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from finance_api.importers.interface import Answer, BankBalance, ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS


@dataclass
class BalanceCheck:
    """The balances of one account, row by row, in whichever order they run.

    Rows without a balance are added up until the next one that has one. answers: how to read the
    file without them.

    _faults: order of rows that the balances do not follow (False: the oldest first) -> the line of
    the first one that does not fit, what it should be, and what it is.
    """

    answers: tuple[Answer, ...] = ()
    _faults: dict[bool, tuple[int, int, int]] = field(default_factory=dict)
    _first: tuple[int, int] | None = None
    _last: int = 0
    # Money since the last balance: without and with that row's own.
    _since: int = 0
    _last_own: int = 0
    _before: int = 0
    _first_day: int = 0
    _last_day: int = 0
    _earliest: int = 0
    _latest: int = 0
    _rows: int = 0

    def add(self, line: int, day: int, money: int, balance: int | None) -> None:
        """day: seconds. money: all that the row moves. Raises ImportRefused if no order fits."""
        day -= day % DAY_SECONDS
        self._earliest = day if not self._rows else min(self._earliest, day)
        self._latest = day if not self._rows else max(self._latest, day)
        self._rows += 1
        self._last_day = day
        if self._rows == 1:
            self._first_day = day
        if balance is None:
            self._since += money
            if self._first is None:
                self._before += money
            return
        if self._first is None:
            self._first = (balance, money)
        else:
            self._compare(line, money, balance)
        self._last, self._last_own, self._since = balance, money, 0

    def _compare(self, line: int, money: int, balance: int) -> None:
        expected = {
            False: self._last + self._since + money,
            True: self._last - self._last_own - self._since,
        }
        for newest_first, should in expected.items():
            if balance != should:
                self._faults.setdefault(newest_first, (line, should, balance))
        if len(self._faults) == len(expected):
            # Report the order that held for longer, or that the days have.
            by_days = self._first_day > self._last_day
            order = max(self._faults, key=lambda order: (self._faults[order][0], order == by_days))
            at, should, is_ = self._faults[order]
            raise ImportRefused(
                f"the balance is {decimal_text(is_)}, and by the row before it should be "
                f"{decimal_text(should)}: a row is missing, changed or moved; download the file "
                "again" + (", or leave the balances out with --ignore" if self.answers else ""),
                at,
                answers=self.answers,
            )

    def ends(self) -> tuple[BankBalance | None, BankBalance | None]:
        """The opening and the closing balance; None where rows or their order leave them open."""
        fitting = [
            newest_first for newest_first in (False, True) if newest_first not in self._faults
        ]
        if self._first is None:
            return None, None
        if len(fitting) == 2 and self._rows > 1:
            if self._first_day == self._last_day:
                return None, None
            fitting = [self._first_day > self._last_day]
        first, first_money = self._first
        # Balances at either end of the file, with the rows beyond them that have none.
        if fitting[0]:
            opening, closing = self._last - self._last_own - self._since, first + self._before
        else:
            opening, closing = first - first_money - self._before, self._last + self._since
        return (
            BankBalance(opening, self._earliest - DAY_SECONDS),
            BankBalance(closing, self._latest),
        )


#: Line, size of the amount, and the balance after it.
BalanceRow = tuple[int, int, int]


def run_by(
    rows: Sequence[BalanceRow], fits: Callable[[int, int], bool], *, newest_first: bool
) -> bool:
    """Whether each size and the step of the balance to it fit in this order of the rows."""
    return all(fits(size, step) for _, size, step in _steps(rows, newest_first=newest_first))


def orders_of(rows: Sequence[BalanceRow]) -> list[bool]:
    """The orders in which the balances run by the sizes of the amounts: False: oldest first."""
    return [
        newest_first
        for newest_first in (False, True)
        if run_by(rows, lambda size, step: size == abs(step), newest_first=newest_first)
    ]


def ways_of(rows: Sequence[BalanceRow]) -> dict[int, int] | None:
    """Line -> 1 for money coming in, -1 for going out, as the balances say.

    The oldest row has none before it, and is missing. None if they do not run, or in two ways.
    """
    found = [
        {line: 1 if step > 0 else -1 for line, _, step in _steps(rows, newest_first=newest_first)}
        for newest_first in orders_of(rows)
    ]
    return found[0] if found and found[0] == found[-1] else None


def _steps(rows: Sequence[BalanceRow], *, newest_first: bool) -> Iterator[BalanceRow]:
    """Line and size of each row but the oldest, and the step of the balance to it."""
    ordered = rows[::-1] if newest_first else rows
    for (_, _, before), (line, size, after) in pairwise(ordered):
        yield line, size, after - before
