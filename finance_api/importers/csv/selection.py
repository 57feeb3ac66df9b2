"""Which rows are money: ``--only``."""

from collections import Counter
from collections.abc import Sequence

from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: So many different values are counted each by itself.
_COUNTED = 20


class Selection:
    """The rows whose cells are among those that ``conditions``, ``COLUMN=VALUE``, name."""

    def __init__(self, conditions: Sequence[str], headings: Headings) -> None:
        self._values: dict[int, set[str]] = {}
        for condition in conditions:
            column, value = headings.position_and_rest("--only", condition)
            if value is None:
                raise ImportRefused(f"--only {quoted(condition)} is not COLUMN=VALUE")
            self._values.setdefault(column, set()).add(folded(value))

    @property
    def columns(self) -> frozenset[int]:
        return frozenset(self._values)

    def keeps(self, cells: Sequence[str], left_out: Counter[str] | None = None) -> bool:
        """Whether the row is money; if not, it is counted."""
        for column, values in self._values.items():
            cell = cells[column]
            if folded(cell) not in values:
                if left_out is not None:
                    name = cell.strip()[:40] or "blank"
                    if name not in left_out and len(left_out) > _COUNTED:
                        name = "others"
                    left_out[name] += 1
                return False
        return True
