"""Selects the rows that are transactions."""

import re
from collections import Counter
from collections.abc import Sequence

from finance_api.importers.csv.cells import money_text
from finance_api.importers.csv.guess.totals import MARKED, Doubt, marks_parts
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.stated import Stated
from finance_api.importers.csv.table import is_amount, is_date
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    CARRIED,
    NO,
    NOT_MONEY,
    TOTAL,
    YES,
    folded,
    is_not_money,
    kind_in,
    kind_of,
    may_sum_up,
    named_balance,
    names_only_sums,
)

#: Up to this many different values of rows that are left out are counted separately.
_COUNTED = 20
#: Up to this many rows that state a balance are kept.
_REMEMBERED = 1_000
#: A text that names a balance, such as "B/F", may also be a payee if it is no longer than this.
_LONGEST_WORD = 4
#: The roles of dates other than the booking day.
_DAYS = ("date", "value")
#: A word at the end of a date.
_LAST_WORD = re.compile(r"[^\W\d_]{3}\)?$")


class Selection:
    """Selects the rows that are transactions, by ``--only`` and ``--leave-out`` (``COLUMN=VALUE``)
    and by the words of a status. Rows that only state a balance are left out.

    unknown: column -> unknown words of a status -> first line. If --only is saved from an earlier
    file, the words that neither --only nor --leave-out names are unknown.
    words: column -> known words -> whether such rows are kept. doubts: line -> why the row may be a
    total. balances: line of a row that states a balance -> its kind and cells. no_money: line of a
    row that turned out not to be a transaction, such as a total -> the text by which it is counted.
    totals: line of a row without a date, or without an amount, that calls itself a total -> its
    cells.
    marked: columns with texts that may mark rows as parts of another row.
    undoubted: columns with a blank --leave-out: their texts name no totals but those that are
    proved; if they are all columns of amounts, rows without an amount are left out.
    stated: balances in columns such as "Ending Balance", in rows without a date and an amount.
    unbooked: line of a row that has no booking day -> its other dates.
    is_complete: whether all rows were looked at, so that all rows that state balances are known.
    """

    def __init__(self, plan: Plan) -> None:
        headings = plan.headings
        self._headings = headings
        self._only, self._left_out = plan.bound.only, plan.bound.left_out
        # A status counts even without a saved --leave-out: the file for which --only was given may
        # have had nothing to leave out.
        self._named = {
            column: values.keys() | self._left_out.get(column, {}).keys()
            for column, values in self._only.items()
            if "only" in plan.taken and (column in self._left_out or headings.fit("status", column))
        }
        self._dropped: dict[int, set[str]] = {}
        statuses = (i for i in plan.inferred.statuses if i not in self._only)
        self._denied = {i: headings.fit("denial", i) > 0 for i in statuses}
        self.undoubted = {i for i, values in self._left_out.items() if "" in values}
        # A profile knows that the texts of these columns never name totals.
        known = self.undoubted if plan.profile is not None else frozenset[int]()
        self._texts = [index for index in plan.texts if index not in known]
        marks = {*plan.texts, *plan.columns.get("category", ())}
        self._marks = sorted(index for index in marks - self.undoubted if index < headings.width)
        self._days = plan.columns.get("recordDate", ())
        self._ids = (*plan.columns.get("id", ()), *plan.inferred.references)
        is_booked = bool(self._days) and plan.rows is None
        is_booked = is_booked and headings.fit("booked", self._days[0]) == 2
        is_booked = is_booked and not headings.fit("settlement", self._days[0])
        others = range(headings.width if is_booked else 0)
        self._other_days = [i for i in others if any(headings.fit(role, i) for role in _DAYS)]
        self.unbooked: dict[int, list[str]] = {}
        self._money = [index for index in plan.amounts if index < headings.width]
        self._may_lack_money = bool(self._money) and self.undoubted.issuperset(self._money)
        self._has_profile_rows = plan.rows is not None
        self.unknown: dict[int, dict[str, int]] = {}
        self.words = {
            column: dict.fromkeys(self._only[column].values(), True) for column in self._named
        }
        self.doubts: dict[int, Doubt] = {}
        self.marked: set[int] = set()
        self.balances: dict[int, tuple[str, list[str]]] = {}
        self.no_money: dict[int, str] = {}
        self.totals: dict[int, list[str]] = {}
        named = range(0 if self._has_profile_rows else headings.width)
        kinds = ((index, named_balance(headings.text(index))) for index in named)
        self._ends = {index: kind for index, kind in kinds if kind and kind != TOTAL}
        self.stated: list[Stated] = []
        self.is_complete = False
        self._has_pending = False

    @property
    def columns(self) -> frozenset[int]:
        """The columns that decide which rows are transactions."""
        return frozenset((*self._only, *self._left_out, *self._denied))

    @property
    def is_needed(self) -> bool:
        others = self.no_money or self.stated
        return bool(self.columns or others or not self.is_complete or self._has_pending)

    @property
    def left_out(self) -> list[str]:
        """``STATUS=VALUE`` of rows that --only left out, to save for the next file."""
        return [
            f"{self._headings.named(column)}={word}"
            for column, words in self._dropped.items()
            if len(words) <= _COUNTED and self._headings.fit("status", column)
            for word in sorted(words)
            if word
        ]

    def keeps(self, line: int, cells: list[str], left_out: Counter[str] | None = None) -> bool:
        """Return whether the row is a transaction; if it is not, count it in ``left_out``."""
        for column in () if self.is_complete else self._marks:
            if cells[column].lstrip()[:2] in MARKED and marks_parts(cells[column]):
                self.marked.add(column)
        reason = self._pending(cells) or self._balance_in(cells)
        if self._may_lack_money and not any(money_text(cells[index]) for index in self._money):
            reason = reason or "without an amount"
        reason = reason or self._reason(line, cells)
        if reason is None and self._other_days:
            reason = self._unbooked(line, cells)
        if reason is not None and left_out is not None:
            name = reason.strip()[:40] or "blank"
            left_out[name if name in left_out or len(left_out) <= _COUNTED else "others"] += 1
        return reason is None

    def doubt_both_sides(self, line: int, cells: Sequence[str]) -> None:
        """Doubt a row with a debit and a credit: it is no transaction, but may sum up others."""
        named = [index for index in self._texts if cells[index].strip()]
        if line not in self.doubts:
            column = named[0] if named else self._days[0]
            self.doubts[line] = Doubt(column, cells[column].strip(), is_named=True, asks=False)

    def _balance_in(self, cells: list[str]) -> str | None:
        """Return the heading, such as "Ending Balance", of the balance of a row without a date and
        an amount.
        """
        if not self._ends or any(cells[index].strip() for index in (*self._days, *self._money)):
            return None
        found = [index for index in self._ends if cells[index].strip()]
        if not self.is_complete:
            self.stated += [Stated(self._ends[i], None, cells[i].strip()) for i in found]
        return self._headings.text(found[0]) if found else None

    def _pending(self, cells: list[str]) -> str | None:
        """Return a text such as "Pending" that stands in the place of the date or the id."""
        words = [cell for i in self._days if (cell := cells[i])[:1].isalpha() or _ends(cell)]
        words += [cell for i in self._ids if (cell := cells[i]).isalpha()]
        for cell in words:
            if is_not_money(cell):
                self._has_pending = True
                return cell
        return None

    def _unbooked(self, line: int, cells: list[str]) -> str | None:
        """Return a name for a row that has an amount and another day, but no booking day."""
        if cells[self._days[0]].strip():
            return None
        days = [text for index in self._other_days if is_date(text := cells[index].strip())]
        if not days or not any(
            is_amount(text) and not is_date(text) for text in map(str.strip, cells)
        ):
            return None
        self._has_pending = True
        if not self.is_complete:
            self.unbooked[line] = days
        return f"without {self._headings.named(self._days[0])}"

    def _reason(self, line: int, cells: list[str]) -> str | None:
        """Return the cell that shows that the row is not a transaction; None if it is one."""
        for column, values in self._only.items():
            word = folded(cells[column])
            if word in values:
                continue
            if word not in self._named.get(column, (word,)):
                self.unknown.setdefault(column, {}).setdefault(cells[column].strip(), line)
                continue
            dropped = self._dropped.setdefault(column, set())
            if len(dropped) <= _COUNTED:
                dropped.add(cells[column].strip())
            return cells[column]
        for column, values in self._left_out.items():
            if folded(cells[column]) in values and cells[column].strip():
                return cells[column]
        if self.is_complete and line in self.no_money:
            return self.no_money[line]
        for column in () if self.is_complete else self._texts:
            if may_sum_up(cells[column]) and self._states_balance(column, line, cells):
                return cells[column]
        for column, denied in self._denied.items():
            if not self._happened(column, cells[column], line, denied=denied):
                return cells[column]
        return None

    def _states_balance(self, column: int, line: int, cells: list[str]) -> bool:
        text = cells[column].strip()
        kind = kind_of(text)
        is_total = kind in (None, TOTAL, CARRIED)
        if (kind is None and kind_in(text) is None) or (kind == CARRIED and self._has_profile_rows):
            return False
        if is_total or len(text) <= _LONGEST_WORD:
            is_dated = any(cells[index].strip() for index in self._days)
            if is_dated and any(cells[index].strip() for index in self._money):
                if len(self.doubts) < _REMEMBERED:
                    is_named = kind is not None or names_only_sums(text)
                    asks = kind is not None or (is_named and kind_in(text) != TOTAL)
                    asks &= column not in self.undoubted
                    self.doubts[line] = Doubt(column, text, is_named, asks)
                return False
        if kind is None:
            return False
        if is_total and len(self.totals) < _REMEMBERED:
            self.totals[line] = cells
        elif not is_total and len(self.balances) < _REMEMBERED:
            self.balances[line] = kind, cells
        self.no_money[line] = text
        return True

    def _happened(self, column: int, cell: str, line: int, *, denied: bool) -> bool:
        """Return whether the status says that money moved. denied: whether "no" says so."""
        word = folded(cell)
        if word in YES or word in NO or (denied and not word):
            keeps = (word in YES) != denied
        elif word in BOOKED or word in NOT_MONEY:
            keeps = word in BOOKED
        else:
            self.unknown.setdefault(column, {}).setdefault(cell.strip(), line)
            return True
        self.words.setdefault(column, {})[cell.strip()] = keeps
        return keeps


def _ends(cell: str) -> bool:
    """Return whether a word stands at the end of a date; most dates end in a digit."""
    return not cell[-1:].isdigit() and _LAST_WORD.search(cell) is not None
