"""Which rows are money: by ``--only``, and by the words of a status."""

from collections import Counter
from collections.abc import Sequence

from finance_api.importers.csv.columns import Headings
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
from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: Up to this many different values are counted each by itself.
_COUNTED = 20
_REMEMBERED = 1_000
#: Longest text, such as "B/F", that may name a payee as well.
_SHORTEST = 4


class Selection:
    """The rows that happened: by ``--only`` and ``--leave-out``, ``COLUMN=VALUE``, by the words of
    a status, and without those that only state a balance.

    left_out: ``STATUS=VALUE`` of what --only left out, for the next file.
    unknown: words of statuses that are not known, each with its first line; where --only is of an
    earlier file, those that neither it nor --leave-out names.
    words: the known ones, and whether such rows are kept. doubtful: (column, cell) of rows that may
    be totals, and their first lines. balances: line -> kind and cells of rows that state one.
    """

    def __init__(self, plan: Plan) -> None:
        self._headings = plan.headings
        self._values = _conditions("--only", plan.layout.only, self._headings)
        self._left_out = _conditions("--leave-out", plan.layout.leave_out, self._headings)
        is_saved = "only" in plan.taken
        # The file that --only was given with may have had no row to leave out.
        asked = [
            column
            for column in (self._values if is_saved else ())
            if column in self._left_out or role_fit("status", self._headings.named(column))
        ]
        self._named = {c: {*self._values[c], *self._left_out.get(c, ())} for c in asked}
        self._dropped: dict[int, set[str]] = {}
        names = self._headings.texts or [""] * self._headings.width
        statuses = (i for i in plan.inferred.statuses if i not in self._values)
        self._denied = {index: denies(names[index]) for index in statuses}
        self._texts = [index for index in plan.texts if index not in self._left_out]
        self._days = plan.columns.get("recordDate", ())
        money = [i for name in ("amount", "debit", "credit") for i in plan.columns.get(name, ())]
        self._money = [index for index in money if index < self._headings.width]
        self._has_profile = plan.profile is not None
        self._known: dict[tuple[int, str], bool] = {}
        self.unknown: dict[int, dict[str, int]] = {}
        self.words: dict[int, dict[str, bool]] = {
            column: dict.fromkeys(self._values[column].values(), True) for column in asked
        }
        self.doubtful: dict[tuple[int, str], int] = {}
        self.balances: dict[int, tuple[str, list[str]]] = {}
        # The lines of all rows that state a balance or a total, once they have been looked at.
        self._stating: dict[int, str] = {}
        self._is_known = False

    @property
    def columns(self) -> frozenset[int]:
        """The columns that decide which rows are money."""
        return frozenset((*self._values, *self._left_out, *self._denied))

    @property
    def is_needed(self) -> bool:
        return bool(self.columns or self._stating or (self._texts and not self._is_known))

    @property
    def left_out(self) -> list[str]:
        names = {column: self._headings.named(column) for column in self._dropped}
        return [
            f"{names[column]}={word}"
            for column, words in self._dropped.items()
            if role_fit("status", names[column]) and len(words) <= _COUNTED
            for word in sorted(words)
            if word
        ]

    def end(self) -> None:
        """All rows have been looked at: those that state a balance are known by their lines."""
        self._is_known = True

    def keeps(self, line: int, cells: list[str], left_out: Counter[str] | None = None) -> bool:
        """Whether the row is money; if not, it is counted."""
        for column, values in self._values.items():
            word = folded(cells[column])
            if word in values:
                continue
            if column in self._named and word not in self._named[column]:
                self.unknown.setdefault(column, {}).setdefault(cells[column].strip(), line)
                continue
            dropped = self._dropped.setdefault(column, set())
            if len(dropped) <= _COUNTED:
                dropped.add(cells[column].strip())
            return _count(cells[column], left_out)
        for column, values in self._left_out.items():
            if folded(cells[column]) in values and cells[column].strip():
                return _count(cells[column], left_out)
        stated = self._stated_balance(line, cells)
        if stated is not None:
            return _count(stated, left_out)
        for column in self._denied:
            key = column, cells[column]
            keeps = self._known.get(key)
            if keeps is None:
                keeps = self._judge(*key, line)
                if len(self._known) < _REMEMBERED:
                    self._known[key] = keeps
            if not keeps:
                return _count(cells[column], left_out)
        return True

    def _stated_balance(self, line: int, cells: list[str]) -> str | None:
        """Return the text that makes the row one that states a balance or a total."""
        if self._is_known:
            return self._stating.get(line)
        for column in self._texts:
            if cells[column][:3].lower() in STARTS and self._states_balance(
                column, cells[column].strip(), line, cells
            ):
                return cells[column]
        return None

    def _states_balance(self, column: int, text: str, line: int, cells: list[str]) -> bool:
        kind = kind_of(text)
        if kind is None or (kind == CARRIED and self._has_profile):
            return False
        is_total = kind in (TOTAL, CARRIED)
        if is_total or len(text) <= _SHORTEST:
            is_dated = any(cells[index].strip() for index in self._days)
            if is_dated and any(cells[index].strip() for index in self._money):
                self.doubtful.setdefault((column, text), line)
                return False
        if not is_total and len(self.balances) < _REMEMBERED:
            self.balances[line] = kind, cells
        self._stating[line] = text
        return True

    def _judge(self, column: int, cell: str, line: int) -> bool:
        word = folded(cell)
        denied = self._denied[column]
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
    """Column -> its values, folded, and as they were given."""
    found: dict[int, dict[str, str]] = {}
    for condition in conditions:
        column, value = headings.position_and_rest(option, condition)
        if value is None:
            raise ImportRefused(f"{option} {quoted(condition)} is not COLUMN=VALUE")
        found.setdefault(column, {})[folded(value)] = value
    return found


def _count(cell: str, left_out: Counter[str] | None) -> bool:
    if left_out is not None:
        name = cell.strip()[:40] or "blank"
        if name not in left_out and len(left_out) > _COUNTED:
            name = "others"
        left_out[name] += 1
    return False
