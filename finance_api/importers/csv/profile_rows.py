"""What a profile makes of the rows of a file: which are money, and the movements that they are."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from finance_api.importers.csv.columns import Columns
from finance_api.importers.csv.profile import TESTS, Condition, Leg, Match, Rows, Selected, shown
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import ImportRefused

#: What a row becomes: rows of cells, the derived ones at their end. What is left out is counted.
Expand = Callable[[int, list[str], Counter[str] | None], list[list[str]]]

_MINUS = "-+\u2010\u2011\u2012\u2013\u2212"


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
    """sources: the columns of each derived field, in their order."""

    test: _Test
    positive: str | None
    ignore_sign: bool
    currency: str
    sources: Mapping[str, tuple[int, ...]]


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
        self._balance = match.index(profile.options.get("balance", ""))
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
        self._constants = dict(preamble)
        self._legs = [self._leg(leg) for leg in profile.legs]
        derived = self._derived()
        self._fields = tuple(derived)
        self.columns: Columns = {name: (width + i,) for i, name in enumerate(derived)}
        self.used = frozenset(
            index
            for indexes in (
                *derived.values(),
                *(indexes for leg in self._legs for indexes in leg.sources.values()),
                *(tuple(i for i, _ in leg.test.parts) for leg in self._legs),
                *self._equal,
                match.indexes(profile.ignore),
                tuple(index for index, *_ in self._only),
            )
            for index in indexes
        )
        self._base = derived

    def _tests(self, rows: Sequence[Rows]) -> list[tuple[_Test, str]]:
        tests = [(_Test.of(part.when, self._match), part.text) for part in rows]
        return [(test, text) for test, text in tests if test is not None]

    def _leg(self, leg: Leg) -> _Leg:
        test = _Test.of(leg.when, self._match)
        assert test is not None
        sources = {name: self._match.indexes(columns) for name, columns in leg.map.items()}
        if leg.currency:
            sources["currency"] = ()
        return _Leg(test, leg.positive, leg.ignore_sign, leg.currency, sources)

    def _derived(self) -> dict[str, tuple[int, ...]]:
        """The derived fields, and the columns that they are made of where no leg says others."""
        profile, match = self._match.profile, self._match
        names = dict.fromkeys(name for leg in self._legs for name in leg.sources)
        if profile.says_direction:
            names |= dict.fromkeys(("debit", "credit"))
            names.pop("amount", None)
        if len(match.indexes(profile.map.get("category", ()))) > 1:
            names["category"] = None
        if profile.account_prefix:
            names["account"] = None
        if profile.payment_types:
            names["paymentType"] = None
        names |= dict.fromkeys(self._constants)
        if self._opening is not None:
            names["opening"] = None
        return {name: self._of_field(name) for name in names}

    def _of_field(self, name: str) -> tuple[int, ...]:
        match = self._match
        if name in ("debit", "credit"):
            name = "amount"
        if name == "balance":
            return match.indexes([match.profile.options["balance"]])
        if name == "fee":
            fees = match.profile.options["fee"]
            return tuple(match.column_and_rest("fee", fee)[0] for fee in fees)
        return match.indexes(match.profile.map.get(name, ()))

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
            if not self._fields:
                return [cells]
            if not self._legs:
                return [cells + [self._cell(name, cells, None) for name in self._fields]]
            legs = [leg for leg in self._legs if leg.test.parts and leg.test.holds(cells)]
            legs = legs or [leg for leg in self._legs if not leg.test.parts]
            if not legs:
                if not self._match.profile.otherwise:
                    raise self._unknown(line, cells)
                if left_out is not None:
                    left_out[self._match.profile.otherwise] += 1
            return [cells + [self._cell(name, cells, leg) for name in self._fields] for leg in legs]

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

    def _cell(self, name: str, cells: Sequence[str], leg: _Leg | None) -> str:
        profile = self._match.profile
        if name == "opening":
            assert self._opening is not None
            return "1" if self._opening.holds(cells) else ""
        side = {"debit": "out", "credit": "in"}.get(name)
        if leg is not None and side is not None:
            if leg.positive != side:
                return ""
            text = self._text(leg.sources.get("amount", self._base[name]), cells, " ")
            return text.strip(_MINUS + " ") if leg.ignore_sign else text
        if name == "currency" and leg is not None and leg.currency:
            return leg.currency
        indexes = self._base[name]
        if leg is not None and name in leg.sources:
            indexes = leg.sources[name]
        if name == "category":
            return self._text(indexes, cells, profile.category_separator)
        text = self._constants.get(name) or self._text(indexes, cells, " ")
        if name == "account" and text and profile.account_prefix:
            return f"{profile.account_prefix} {text}"
        if name == "paymentType" and profile.payment_types:
            return profile.payment_types.get(folded(text), "")
        return text

    @staticmethod
    def _text(indexes: tuple[int, ...], cells: Sequence[str], separator: str) -> str:
        return separator.join(text for index in indexes if (text := cells[index].strip()))
