"""Finds amounts that a decimal comma without quotes has divided into two cells."""

import re
from collections.abc import Sequence

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.plan import Plan
from finance_api.importers.interface import ImportRefused

#: What follows a comma in an amount: cents, or the last of its thousands with cents.
_REST = re.compile("[0-9]{1,2}|[0-9]{3}[.][0-9]{1,2}")
_TEXT, _NUMBER = "text", "number"


class DividedAmounts:
    """Looks at the amounts of a file with commas between cells, and at the cells after them.

    What the user says about the columns of the amounts is not doubted.
    """

    def __init__(self, plan: Plan) -> None:
        money = plan.indexes("amount", "debit", "credit", "balance", "fee", "originalAmount")
        is_said = (
            plan.user_mapping is not None and {"amount", "debit"} & plan.user_mapping.named.keys()
        )
        is_possible = plan.table.delimiter == "," and not plan.table.text.is_sheet and not is_said
        self._plan = plan
        self._amounts = [index for index in plan.amounts if index < plan.table.width]
        self._count = 0
        self._has_decimals = False
        # For each such column: what its other rows have, and the cells after whole numbers.
        self._seen: dict[int, set[str]] = {
            index: set()
            for index in plan.amounts
            if is_possible and index + 1 < plan.table.width and index + 1 not in money
        }
        self._cents: dict[int, dict[str, int]] = {index: {} for index in self._seen}

    def add(self, cells: Sequence[str], line: int) -> None:
        if self._seen and not self._has_decimals:
            self._has_decimals = any({".", ","} & {*cells[index]} for index in self._amounts)
        for index, seen in self._seen.items():
            amount, beside = cells[index].strip(), cells[index + 1].strip(" )")
            is_whole = amount.lstrip("+-($€£ ").isdigit()
            if is_whole and _REST.fullmatch(beside):
                self._cents[index].setdefault(beside, line)
                self._count += 1
            else:
                seen.add(
                    _NUMBER if beside.replace(".", "", 1).isdigit() else _TEXT if beside else ""
                )

    def refuse(self) -> None:
        """Raise ImportRefused for the first amount that seems to be divided."""
        for index, seen in self._seen.items():
            cents = self._cents[index]
            are_cents = self._count > 1 and all(len(text) == 2 for text in cents)
            if cents and _NUMBER not in seen and (are_cents or self._has_decimals or _TEXT in seen):
                name = self._plan.headings.named(index + 1)
                raise ImportRefused(
                    clause(Topic.SPLIT_AMOUNT, column=name), min(cents.values()), needs=("columns",)
                )
