"""Selects the rows that are money: by ``--only``, ``--leave-out`` and the words of a status."""

from collections import Counter
from collections.abc import Sequence

from finance_api.importers.csv.layout import Headings
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    CARRIED,
    NO,
    NOT_MONEY,
    STARTS,
    TOTAL,
    YES,
    denies,
    folded,
    kind_of,
    role_fit,
)
from finance_api.importers.interface import ImportRefused, quoted

#: Up to this many different values are counted separately.
_COUNTED = 20
#: Up to this many rows that state a balance are kept.
_REMEMBERED = 1_000
#: Longest text, such as "B/F", that may name a payee as well.
_LONGEST_WORD = 4


class Selection:
    """Selects the rows that happened, by ``--only`` and ``--leave-out`` (``COLUMN=VALUE``) and by
    the words of a status. Rows that only state a balance are left out.

    unknown: column -> unknown words of a status -> first line. If --only is saved from an earlier
    file, the words that neither --only nor --leave-out names are unknown.
    words: column -> known words -> whether such rows are kept. doubtful: (column, cell) of rows
    that may be totals -> first line. balances: line -> kind and cells of a row that states one.
    """

    def __init__(self, plan: Plan) -> None:
        headings = plan.headings
        self._headings = headings
        self._only = _conditions("--only", plan.layout.only, headings)
        self._left_out = _conditions("--leave-out", plan.layout.leave_out, headings)
        # Statuses need no --leave-out: the file of --only may have had no row to leave out.
        self._named = {
            column: values.keys() | self._left_out.get(column, {}).keys()
            for column, values in self._only.items()
            if "only" in plan.taken
            and (column in self._left_out or role_fit("status", headings.named(column)))
        }
        self._dropped: dict[int, set[str]] = {}
        statuses = (i for i in plan.inferred.statuses if i not in self._only)
        self._denied = {index: denies(headings.text(index)) for index in statuses}
        self._texts = [index for index in plan.texts if index not in self._left_out]
        self._days = plan.columns.get("recordDate", ())
        self._money = [index for index in plan.amounts if index < headings.width]
        self._has_profile = plan.profile is not None
        self.unknown: dict[int, dict[str, int]] = {}
        self.words = {
            column: dict.fromkeys(self._only[column].values(), True) for column in self._named
        }
        self.doubtful: dict[tuple[int, str], int] = {}
        self.balances: dict[int, tuple[str, list[str]]] = {}
        # Line -> text of each row that states a balance or a total; complete after `end`.
        self._stating: dict[int, str] = {}
        self._is_known = False

    @property
    def columns(self) -> frozenset[int]:
        """The columns that decide which rows are money."""
        return frozenset((*self._only, *self._left_out, *self._denied))

    @property
    def is_needed(self) -> bool:
        return bool(self.columns or self._stating or (self._texts and not self._is_known))

    @property
    def left_out(self) -> list[str]:
        """``STATUS=VALUE`` for rows that --only left out, to save for the next file."""
        return [
            f"{name}={word}"
            for column, words in self._dropped.items()
            if role_fit("status", name := self._headings.named(column)) and len(words) <= _COUNTED
            for word in sorted(words)
            if word
        ]

    def end(self) -> None:
        """Note that all rows have been looked at: rows that state a balance are now known."""
        self._is_known = True

    def keeps(self, line: int, cells: list[str], left_out: Counter[str] | None = None) -> bool:
        """Whether the row is money; if it is not, count it in left_out."""
        reason = self._reason(line, cells)
        if reason is not None and left_out is not None:
            name = reason.strip()[:40] or "blank"
            left_out[name if name in left_out or len(left_out) <= _COUNTED else "others"] += 1
        return reason is None

    def _reason(self, line: int, cells: list[str]) -> str | None:
        """Return the cell by which the row is no money; None if it is."""
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
        if self._is_known and line in self._stating:
            return self._stating[line]
        for column in () if self._is_known else self._texts:
            if cells[column][:3].lower() in STARTS and self._states_balance(column, line, cells):
                return cells[column]
        for column, denied in self._denied.items():
            if not self._happened(column, cells[column], line, denied=denied):
                return cells[column]
        return None

    def _states_balance(self, column: int, line: int, cells: list[str]) -> bool:
        text = cells[column].strip()
        kind = kind_of(text)
        if kind is None or (kind == CARRIED and self._has_profile):
            return False
        is_total = kind in (TOTAL, CARRIED)
        if is_total or len(text) <= _LONGEST_WORD:
            is_dated = any(cells[index].strip() for index in self._days)
            if is_dated and any(cells[index].strip() for index in self._money):
                self.doubtful.setdefault((column, text), line)
                return False
        if not is_total and len(self.balances) < _REMEMBERED:
            self.balances[line] = kind, cells
        self._stating[line] = text
        return True

    def _happened(self, column: int, cell: str, line: int, *, denied: bool) -> bool:
        """Whether the status says that money moved. denied: whether "no" means that it did."""
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


def _conditions(
    option: str, conditions: Sequence[str], headings: Headings
) -> dict[int, dict[str, str]]:
    """Return column -> folded value -> the value as it was given."""
    found: dict[int, dict[str, str]] = {}
    for condition in conditions:
        column, value = headings.position_and_rest(option, condition)
        if value is None:
            raise ImportRefused(f"{option} {quoted(condition)} is not COLUMN=VALUE")
        found.setdefault(column, {})[folded(value)] = value
    return found
