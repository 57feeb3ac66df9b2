"""What a profile makes of the rows of a file: which are money, and the movements that they are."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from finance_api.importers.csv.columns import Columns
from finance_api.importers.csv.profile import TESTS, Condition, Match, Rows, Selected, shown
from finance_api.importers.csv.profile_cells import DerivedCells, Make
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import ImportRefused
from finance_api.importers.texts import quoted

#: What a row becomes: rows of cells, the derived ones at their end. What is left out is counted.
Expand = Callable[[int, list[str], Counter[str] | None], list[list[str]]]


@dataclass(frozen=True)
class _Test:
    """A condition on the cells of a row."""

    parts: tuple[tuple[int, Callable[[str], bool]], ...]

    @classmethod
    def of(cls, condition: Condition, match: Match) -> "_Test | None":
        """None if the file has not all of its columns."""
        parts = []
        for column, value in condition.items():
            index = match.index(column)
            if index is None:
                return None
            parts.append((index, TESTS[value] if isinstance(value, str) else value.__contains__))
        return cls(tuple(parts))

    def holds(self, cells: Sequence[str]) -> bool:
        return all(test(cells[index]) for index, test in self.parts)


@dataclass(frozen=True)
class _Leg:
    """A leg of the profile, by the columns of this file. make: what makes its derived cells."""

    test: _Test
    make: tuple[Make, ...]


class ProfileRows:
    """The rows of one file under its profile.

    Behind the cells of the file stand derived ones: of fields that are one column here and another
    there, that are made of several, or that stand above the headings.

    columns: the indexes of the derived cells. used: of the file's own that are no text to import.
    """

    def __init__(
        self, match: Match, width: int, preamble: Mapping[str, str], chosen: frozenset[int]
    ) -> None:
        """preamble: what the lines above the headings say. chosen: columns of --only."""
        profile = match.profile
        self._match = match
        self._balance = match.index(profile.layout.balance or "")
        self._only = [
            (index, column, selected)
            for column, selected in profile.only.items()
            if (index := match.index(column)) is not None and index not in chosen
        ]
        self._equal = [match.indexes(pair) for pair in profile.equal]
        self._leave_out = self._tests(profile.leave_out)
        self._refuse = self._tests(profile.refuse)
        self._fill_down = match.indexes(profile.fill_down)
        self._opening = _Test.of(profile.opening, match) if profile.opening else None
        derived = DerivedCells(match, preamble)
        self.columns: Columns = {name: (width + i,) for i, name in enumerate(derived.names)}
        self._make = derived.of_leg(None)
        if self._opening is not None:
            self.columns["opening"] = (width + len(derived.names),)
        self._legs = [
            _Leg(test, derived.of_leg(leg))
            for leg in profile.legs
            if (test := _Test.of(leg.when, match)) is not None
        ]
        self.used = frozenset(
            (
                *derived.used,
                *(index for leg in self._legs for index, _ in leg.test.parts),
                *(index for pair in self._equal for index in pair),
                *(index for index, *_ in self._only),
                *match.indexes(profile.ignore),
            )
        )

    def _tests(self, rows: Sequence[Rows]) -> list[tuple[_Test, str]]:
        tests = [(_Test.of(part.when, self._match), part.text) for part in rows]
        return [(test, text) for test, text in tests if test is not None]

    def begin(self) -> Expand:
        """Takes the rows of one reading in their order. Raises ImportRefused with their lines."""
        above: list[str] = []

        def expand(
            line: int, cells: list[str], left_out: Counter[str] | None = None
        ) -> list[list[str]]:
            if self._fill_down:
                if above and not cells[self._fill_down[0]].strip():
                    for index in self._fill_down:
                        cells[index] = cells[index].strip() or above[index]
                above[:] = cells
            for test, reason in self._refuse:
                if test.holds(cells):
                    raise ImportRefused(reason, line)
            if not self._keeps(line, cells, left_out):
                return []
            self._check(line, cells)
            end = []
            if self._opening is not None:
                end.append("1" if self._opening.holds(cells) else "")
            if not self._legs:
                return [[*cells, *(make(cells) for make in self._make), *end]]
            legs = [leg for leg in self._legs if leg.test.parts and leg.test.holds(cells)]
            legs = legs or [leg for leg in self._legs if not leg.test.parts]
            if not legs:
                if not self._match.profile.otherwise:
                    raise self._unknown(line, cells)
                if left_out is not None:
                    left_out[self._match.profile.otherwise] += 1
            return [[*cells, *(make(cells) for make in leg.make), *end] for leg in legs]

        return expand

    def _keeps(self, line: int, cells: list[str], left_out: Counter[str] | None) -> bool:
        for index, column, selected in self._only:
            cell = cells[index].strip()
            keeps = selected.keeps(cell, has_balance=self._balance is not None)
            if keeps is None:
                raise self._unknown_word(line, cell, column, selected)
            if not keeps:
                if left_out is not None:
                    left_out[cell[:40] or f"without {column}"] += 1
                return False
        for test, what in self._leave_out:
            if test.holds(cells):
                if left_out is not None:
                    left_out[what] += 1
                return False
        return True

    def _unknown_word(self, line: int, cell: str, column: str, selected: Selected) -> ImportRefused:
        if cell in selected.proved:
            return ImportRefused(
                f"whether a row of {quoted(cell)} is money shows only in a balance column, and the "
                f"file has none: download it with that column, or say with --only {column}=VALUE "
                "which rows are money",
                line,
            )
        return ImportRefused(
            f"the profile {shown(self._match.profile)} does not know {quoted(cell)} in the column "
            f"{quoted(column)}: say which rows are money with --only {column}=VALUE",
            line,
        )

    def _check(self, line: int, cells: list[str]) -> None:
        for one, other in self._equal:
            texts = cells[one].strip(), cells[other].strip()
            if all(texts) and folded(texts[0]) != folded(texts[1]):
                raise ImportRefused(
                    f"the profile {shown(self._match.profile)} cannot tell what is meant where "
                    f"{quoted(texts[0])} stands beside {quoted(texts[1])}",
                    line,
                )

    def _unknown(self, line: int, cells: list[str]) -> ImportRefused:
        asked = dict.fromkeys(index for leg in self._legs for index, _ in leg.test.parts)
        names = self._match.names
        row = ", ".join(f"{names[index]}: {quoted(cells[index].strip())}" for index in asked)
        return ImportRefused(
            f"the profile {shown(self._match.profile)} does not know which way the money of such a "
            f"row goes ({row}): leave these rows out with --only COLUMN=VALUE, or read the file "
            "with --no-profile and the options of its columns",
            line,
        )
