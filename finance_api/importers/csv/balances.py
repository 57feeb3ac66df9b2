"""Checks the balances beside the amounts, each row against the row before it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

from finance_api.importers.clauses import Says, Topic, Units, clause
from finance_api.importers.interface import BankBalance, Choice, ImportRefused
from finance_api.values.time import DAY_SECONDS

#: Up to this many rows of a day may be in no order.
_LONGEST_DAY = 200
#: How many orders the rows may have: with the oldest or the newest first, with the balance after or
#: before each row. What is owed has the same orders, in reverse.
_ORDERS = 4


@dataclass
class BalanceCheck:
    """The balances of one account, row by row, with the oldest or the newest row first.

    A balance is the one after its row, or before it; or it is what is owed, as on cards. Where no
    order of the rows fits, the balances of each day have to. Rows without a balance are added up
    until the next row that has one.

    option: the column, for the option that confirms it; "" if the user gave it. rows, total:
    number and sum of all rows. first_day, last_day: their earliest and latest day. is_debt: whether
    the balances are what is owed, after `closing`.

    _starts: for each order, what is the same in all rows: the closing balance, less `total` if the
    oldest row is first. _faults: order -> the line of the first row that does not fit, the balance
    expected there, and the stated balance. _stated: number of rows with a balance.
    _day: money and balance of each row of the day that is being read. _by_days: (whether balances
    are what is owed, whether days fall) -> the closing balances that the days allow; if days rise,
    less `total`.
    """

    option: str = ""
    rows: int = 0
    total: int = 0
    first_day: int = 0
    last_day: int = 0
    is_debt: bool = False
    _stated: int = 0
    _top_day: int = 0
    _bottom_day: int = 0
    _rises: bool = False
    _falls: bool = False
    _starts: tuple[int, ...] = ()
    _faults: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _day: list[tuple[int, int | None]] = field(default_factory=list)
    _by_days: dict[tuple[bool, bool], set[int]] = field(default_factory=dict)

    def add(self, line: int, day: int, money: int, balance: int | None) -> None:
        """Add a row. money: its amount and fee. Raises ImportRefused if no order fits."""
        day -= day % DAY_SECONDS
        if not self.rows:
            self.first_day = self.last_day = self._top_day = self._bottom_day = day
        if day != self._bottom_day:
            self._end_day()
            self._rises |= day > self._bottom_day
            self._falls |= day < self._bottom_day
        self.first_day = min(day, self.first_day)
        self.last_day = max(day, self.last_day)
        self._bottom_day = day
        self.rows += 1
        self.total += money
        if len(self._day) <= _LONGEST_DAY:
            self._day.append((money, balance))
        if balance is not None:
            self._stated += 1
            rising, falling = balance - self.total, balance + self.total
            found = rising, falling - money, rising + money, falling
            self._starts = self._starts or found
            for order in range(_ORDERS):
                if found[order] != (start := self._starts[order]):
                    expected = balance + start - found[order]
                    self._faults.setdefault(order, (line, expected, balance))

    def _end_day(self) -> None:
        """Note what the rows of a day, in whichever order, allow. Raises ImportRefused."""
        if any(balance is not None for _, balance in self._day):
            before = self.total - sum(money for money, _ in self._day)
            for owed in (False, True):
                ends = _ends_of_day(self._day, -1 if owed else 1)
                for falls, rest in ((False, -self.total), (True, before)):
                    allowed = {end + rest for end in ends}
                    allowed &= self._by_days.get((owed, falls), allowed)
                    self._by_days[owed, falls] = allowed
        self._day.clear()
        if len(self._faults) == _ORDERS and not any(map(self._closing_by_days, (False, True))):
            raise self._refusal()

    def _closing_by_days(self, owed: bool) -> set[int]:
        """Return the closing balances that fit if the rows of a day are in no order."""
        if self._rises and self._falls:
            return set()
        rest = 0 if self._falls else self.total
        return {balance + rest for balance in self._by_days.get((owed, self._falls), ())}

    def _refusal(self) -> ImportRefused:
        # Report the order whose first fault comes later; on a tie, the order of the days.
        by_days = self._top_day > self._bottom_day
        faults = {order: self._faults[order] for order in (0, 1) if order in self._faults}
        order = max(faults, key=lambda order: (faults[order][0], order == by_days))
        at, should, is_ = faults[order]
        topic = Topic.MAYBE_BALANCE_JUMPS if self.option else Topic.BALANCE_JUMPS
        fact = clause(topic, balance=Units(is_), expected=Units(should))
        return ImportRefused(fact, at, choices=self._choices[1:])

    @property
    def _choices(self) -> tuple[Choice, ...]:
        if not self.option:
            return ()
        name = self.option
        owed = Choice({"balance": name}, clause(Says.IS_OWED, column=name))
        return owed, Choice({"ignore": (name,)}, clause(Says.NOT_RUNNING, column=name))

    def ends(self) -> tuple[BankBalance | None, BankBalance | None]:
        """Return the opening and closing balance; both None if no row has a balance or the order
        is unclear. Raises ImportRefused if no order fits, or the balances may be a debt.
        """
        closing = self.closing()
        if self.is_debt and self.option:
            raise ImportRefused(clause(Topic.MAYBE_DEBT), choices=self._choices)
        if len(closing) != 1:
            return None, None
        (last,) = closing
        opening = BankBalance(last - self.total, self.first_day - DAY_SECONDS)
        return opening, BankBalance(last, self.last_day)

    def closing(self) -> set[int]:
        """Return the possible closing balances. Raises ImportRefused if no order fits."""
        if not self._stated:
            return set()
        self._end_day()
        is_sorted = self._rises != self._falls
        likely = self._falls if is_sorted else self._top_day > self._bottom_day
        for owed, before in product((False, True), repeat=2):
            found = set()
            for newest_first in {likely} if is_sorted or before else (False, True):
                order = 2 * before + newest_first
                order = _ORDERS - 1 - order if owed else order
                if order not in self._faults:
                    start = -self._starts[order] if owed else self._starts[order]
                    found.add(start if newest_first else start + self.total)
            if before and not (self._stated > 2 and self._rises | self._falls):
                found = set()
            if before:
                found = found or self._closing_by_days(owed)
            if found:
                self.is_debt = owed
                return found
        raise self._refusal()


def _ends_of_day(rows: Sequence[tuple[int, int | None]], sign: int) -> set[int]:
    """Return the balances that may be a day's last, if its rows are in no order.

    sign: -1 if the balances are what is owed. Each balance is the one before another row, except
    the last. All rows form one chain.
    """
    ends = [(money, sign * balance) for money, balance in rows if balance is not None]
    stated = [(balance - money, balance) for money, balance in ends]
    if len(stated) < len(rows):
        return {balance for _, balance in stated}
    left = Counter(balance for _, balance in stated)
    left.subtract(before for before, _ in stated)
    last = list((+left).elements())
    chains: list[set[int]] = []
    for pair in map(set, stated):
        met = [chain for chain in chains if not chain.isdisjoint(pair)]
        chains = [chain for chain in chains if chain not in met] + [pair.union(*met)]
    if len(chains) > 1 or len(last) > 1 or len(rows) > _LONGEST_DAY:
        return set()
    return set(last or left)


#: A row's line, its amount, and the balance after it.
BalanceRow = tuple[int, int, int]


def orders_of(
    rows: Sequence[BalanceRow], size: Callable[[int], int] = abs
) -> dict[bool, dict[int, int]]:
    """Return the orders (False: oldest first) in which the balance changes by each amount, with the
    balance's change for the line of each row but the oldest.

    size: the part of a change that the amount has.
    """
    orders = {}
    for newest_first in (False, True):
        pairs = pairwise(rows[::-1] if newest_first else rows)
        steps = [(line, amount, after - before) for (_, _, before), (line, amount, after) in pairs]
        if all(amount == size(step) for _, amount, step in steps):
            orders[newest_first] = {line: step for line, _, step in steps}
    return orders


def ways_of(rows: Sequence[BalanceRow], order: bool | None = None) -> dict[int, int] | None:
    """Return the sign of each line that the balances show: 1 for money in, -1 for money out.

    order: whether the days show that the newest row is first; None if they do not show an order.
    Against this order, balances are those before their rows. The row that no balance precedes is
    left out. Returns None if neither order fits, or both fit but disagree.
    """
    orders = orders_of(rows)
    found = []
    for newest_first in [order] if order in orders else orders:
        rise = 1 if order in (None, newest_first) else -1
        steps = orders[newest_first].items()
        found.append({line: rise if step > 0 else -rise for line, step in steps})
    return found[0] if found and found[0] == found[-1] else None
