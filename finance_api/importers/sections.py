"""Checks the statements of a bank's file, and joins consecutive statements.

A file can contain many statements of one account, day by day or page by page. Consecutive
statements become one `Statement`, and so do reports without balances.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from finance_api.importers.interface import (
    BankBalance,
    Entry,
    ImportRefused,
    Statement,
    StatementAccount,
)
from finance_api.values.text import amount_text, counted_text
from finance_api.values.time import DAY_SECONDS

#: Maximum number of `Statement`s in memory; beyond it, statements are joined despite gaps.
MAX_STATEMENTS = 2_000


@dataclass
class Section:
    """A statement of the file while its entries are read.

    number: see `Entry.section`; sections that cannot repeat each other share a number.
    opening: the balance before its entries.
    earlier: the account's previous `Statement`, if this section does not continue it.
    count, total: number and sum (in ten-thousandths) of its entries so far.
    first, last: the first and last day of its `Statement`'s entries so far.
    closing: the balance after its entries, set by `end`.
    """

    statement: Statement
    number: int
    opening: BankBalance | None
    earlier: Statement | None = None
    closing: int | None = None
    count: int = 0
    total: int = 0
    first: int | None = None
    last: int | None = None

    def take(self, entry: Entry) -> None:
        day = entry.date - entry.date % DAY_SECONDS
        self.count += 1
        self.total += entry.amount
        self.first = day if self.first is None else min(self.first, day)
        self.last = day if self.last is None else max(self.last, day)

    def end(
        self,
        opening: BankBalance | None,
        closing: BankBalance | None,
        *,
        days: tuple[int | None, int | None] = (None, None),
        as_of: int | None,
        line: int,
        others: Iterable[str] = (),
    ) -> None:
        """Add the balances and days of this section to its `Statement`.

        days: the first and last day that it claims to cover. line: the section's line in the file.
        others: names of its other balances, which nothing is made of.
        Raises ImportRefused if opening balance and entries do not sum to the closing balance.
        """
        if opening is not None and closing is not None:
            _check(opening.amount, self.total, closing.amount, line)
        statement = self.statement
        if opening is None and closing is None:
            statement.name_unused(others)
        if opening is not None and statement.opening is None and statement.closing is None:
            statement.opening = opening
        if statement.opening is not None and self.first is not None:
            # Whatever date the file gives the balance, it is from the day before the first entry.
            statement.opening = replace(statement.opening, date=self.first - DAY_SECONDS)
        if closing is not None and self.last is not None:
            # Entries can have days after the date of the closing balance.
            closing = replace(closing, date=max(closing.date, self.last))
        if closing is not None or self.count:
            statement.closing = closing
        earlier = self.earlier
        if earlier and earlier.closing and closing and earlier.closing.date == closing.date:
            # If both end on the same day, only the later statement has all entries of that day.
            earlier.closing = None
        self.closing = None if closing is None else closing.amount
        first, last = days
        if first is not None and last is not None:
            # The days of the entries are covered, whatever the statement claims.
            firsts = (first, self.first, statement.first_day)
            lasts = (last, self.last, statement.last_day)
            statement.first_day = min(day for day in firsts if day is not None)
            statement.last_day = max(day for day in lasts if day is not None)
        if as_of is not None:
            statement.as_of = max(as_of, statement.as_of or as_of)


class StatedTotal(NamedTuple):
    """Number and sum of entries, as the file states them; None if it does not.

    ways: 1 for entries with money coming in, -1 for money going out. units: without a sign.
    """

    ways: tuple[int, ...]
    number: int | None
    units: int | None
    line: int


class Totals:
    """Numbers and sums of the entries that a statement has."""

    def __init__(self) -> None:
        # Way, and whether booked -> number of entries, number of their parts, sum.
        self._found: dict[tuple[int, bool], tuple[int, int, int]] = {}
        self._has_reversals = False

    def add(
        self, way: int, units: int, *, parts: int = 1, booked: bool = True, reversal: bool = False
    ) -> None:
        """Add an entry. units: without a sign."""
        entries, all_parts, total = self._found.get((way, booked), (0, 0, 0))
        self._found[way, booked] = entries + 1, all_parts + parts, total + units
        self._has_reversals |= reversal

    def _sums(self, ways: Iterable[int], *booked: bool) -> tuple[int, int, int, int]:
        """Return the number of entries and of their parts, and their sum, gross and net."""
        found = [
            (way, *self._found.get((way, state), (0, 0, 0))) for way in ways for state in booked
        ]
        entries, parts, gross = (sum(each[place] for each in found) for place in (1, 2, 3))
        return entries, parts, gross, abs(sum(way * total for way, *_, total in found))

    def check(self, stated: Iterable[StatedTotal], *others: "Totals") -> None:
        """Raise ImportRefused if a total fits neither these entries nor ``others``.

        Banks may count the parts of entries, and may leave out entries that are not booked. A
        reversal may count for either way, so anything fits its statement.
        """
        for total in stated:
            if not any(each.fits(total) for each in (self, *others)):
                entries, _, gross, _ = self._sums(total.ways, True)
                ours = StatedTotal(total.ways, entries, gross, total.line)
                raise ImportRefused(
                    f"the statement states {_said(total)}, but it has {_said(ours)}: entries are "
                    "missing or damaged; download the statement again",
                    total.line,
                )

    def fits(self, stated: StatedTotal) -> bool:
        return self._has_reversals or any(
            stated.number in (None, *sums[:2]) and stated.units in (None, *sums[2:])
            for sums in (self._sums(stated.ways, True), self._sums(stated.ways, True, False))
        )


_WORDS: dict[tuple[int, ...], str] = {(1,): "incoming ", (-1,): "outgoing "}


def _said(total: StatedTotal) -> str:
    word = _WORDS.get(total.ways, "")
    entries = f"{word}entries"
    if total.number is not None:
        entries = counted_text(total.number, f"{word}entry", entries)
    return entries if total.units is None else f"{entries} with a sum of {amount_text(total.units)}"


class Sections:
    """The statements of one file.

    repeat: whether a statement without balances can repeat entries of an earlier statement.
    """

    def __init__(self, *, repeat: bool) -> None:
        self._repeat = repeat
        self._latest: dict[tuple[str | None, str | None], Section] = {}
        self._currencies: dict[str, str | None] = {}
        self._numbers = 0
        self._statements = 0

    @property
    def is_empty(self) -> bool:
        return not self._statements

    def begin(self, account: StatementAccount, opening: BankBalance | None) -> tuple[Section, bool]:
        """Return a new section of the account, and whether its `Statement` is new.

        End an account's section before you begin the account's next section.
        """
        key = account.key, account.currency
        before = self._latest.get(key)
        follows = before is not None and before.closing == (opening and opening.amount)
        if before is None or (not follows and self._statements < MAX_STATEMENTS):
            self._statements += 1
            earlier = None if before is None else before.statement
            section = Section(Statement(self._named(account)), self._next(), opening, earlier)
            is_new = True
        else:
            disjoint = follows and (
                not self._repeat if opening is None else _is_later(opening, before.opening)
            )
            number = before.number if disjoint else self._next()
            section = Section(before.statement, number, opening, before.earlier)
            section.first, section.last = before.first, before.last
            is_new = False
        self._latest[key] = section
        return section, is_new

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _named(self, account: StatementAccount) -> StatementAccount:
        """Add the currency to the name if an account in another currency has the same number."""
        if account.number is None or account.name is None:
            return account
        first = self._currencies.setdefault(account.number, account.currency)
        if first == account.currency:
            return account
        return replace(account, name=f"{account.name} {account.currency}")


def _is_later(opening: BankBalance, before: BankBalance | None) -> bool:
    """Return whether a statement that continues the previous one cannot be a repetition of it.

    A statement whose entries sum to zero also continues itself, so it may be repeated.
    opening, before: the opening balances of this statement and of the previous one.
    """
    if before is None or opening.date != before.date:
        return before is None or opening.date > before.date
    return opening.amount != before.amount


def _check(opening: int, total: int, closing: int, line: int) -> None:
    if opening + total != closing:
        raise ImportRefused(
            f"the opening balance of {amount_text(opening)} and the entries, which add up to "
            f"{amount_text(total)}, make {amount_text(opening + total)}, but the "
            f"closing balance is {amount_text(closing)}: entries are missing or damaged; download "
            "the statement again",
            line,
        )
