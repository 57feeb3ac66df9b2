"""Makes rows with derived cells from the rows of a file, as its profile says."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from operator import itemgetter

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.mapping import Columns
from finance_api.importers.csv.profile import (
    REMEMBERED,
    Condition,
    Leg,
    Match,
    Profile,
    Rows,
    shown,
)
from finance_api.importers.csv.table import Line, Table
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import Choice, ImportRefused, quoted
from finance_api.values.spreadsheet import without_apostrophes

#: Takes the line and the cells of a row; returns rows with derived cells at their end.
Expand = Callable[[int, list[str]], list[list[str]]]
#: Makes one cell from the cells of a row.
Make = Callable[[Sequence[str]], str]
#: Indexes of cells, each with a test of its cell; all tests must hold.
Tests = Sequence[tuple[int, Callable[[str], bool]]]

_SIGNS = "-+\u2010\u2011\u2012\u2013\u2212 "


class ProfileRows:
    """Makes rows with derived cells from the rows of a file, as its profile says.

    Derived cells follow the file's own cells. A field has a derived cell if its column depends on
    the row, if it is made of several columns, or if the lines above the headings state it.

    columns: the indexes of the derived cells. used: columns that the profile reads or ignores.
    """

    def __init__(self, match: Match, table: Table, chosen: Collection[int]) -> None:
        """chosen: indexes of --only's columns."""
        profile, width = match.profile, table.width
        self._match = match
        self._preamble = _labelled(table.above, profile)
        self._balance = match.index(profile.mapping.balance or "")
        only = [(match.index(column), column, words) for column, words in profile.only.items()]
        self._only = [(i, c, words) for i, c, words in only if i is not None and i not in chosen]
        self._equal = [match.indexes(pair) for pair in profile.equal]
        self._names = [(match.indexes(pair), pair[1]) for pair in profile.names]
        self._leave_out = self._tests_of(profile.leave_out)
        refuse = ((self._tests(when), reason, only) for when, reason, only in profile.refuse)
        self._refuse = [
            (tests, reason, only) for tests, reason, only in refuse if tests is not None
        ]
        self._opening = self._tests(profile.opening) if profile.opening else None
        names = self._derived()
        self.columns: Columns = {name: (width + i,) for i, name in enumerate(names)}
        if self._opening is not None:
            self.columns["opening"] = (width + len(names),)
        legs = [(self._tests(leg.when), leg) for leg in profile.legs or [Leg()]]
        self._legs = [(t, [self._cell(n, leg) for n in names]) for t, leg in legs if t is not None]
        any_leg = (Leg(), *profile.legs)
        used = {index for name in names for leg in any_leg for index in self._sources(name, leg)}
        used |= {index for tests, _ in self._legs for index, _ in tests}
        used |= {index for index, *_ in self._only}
        self.used = frozenset(used.union(*self._equal, match.indexes(profile.ignore)))

    def _tests(self, condition: Condition) -> Tests | None:
        """Return the tests of a condition; None if the file lacks one of its columns."""
        tests = [(self._match.index(column), test) for column, test in condition.items()]
        found = [(index, test) for index, test in tests if index is not None]
        return found if len(found) == len(tests) else None

    def _tests_of(self, rows: Sequence[Rows]) -> list[tuple[Tests, str]]:
        return [(tests, text) for when, text in rows if (tests := self._tests(when)) is not None]

    def _derived(self) -> tuple[str, ...]:
        """Return the names of derived cells: fields, or "debit", "credit", "fee", "balance"."""
        profile, match = self._match.profile, self._match
        names = dict.fromkeys(name for leg in profile.legs for name in leg.map)
        if profile.says_direction:
            names |= dict.fromkeys(("debit", "credit"))
            names.pop("amount", None)
        are_derived = {
            "currency": any(leg.currency for leg in profile.legs),
            "category": len(match.indexes(profile.map.get("category", ()))) > 1,
            "account": bool(profile.account_prefix),
            "paymentType": bool(profile.payment_types),
        }
        names |= dict.fromkeys(name for name, is_derived in are_derived.items() if is_derived)
        return tuple(names | dict.fromkeys(self._preamble))

    def _sources(self, name: str, leg: Leg) -> tuple[int, ...]:
        """Return the columns from which a derived cell of a leg is made."""
        match, profile = self._match, self._match.profile
        if name in ("debit", "credit"):
            name = "amount"
        if name in leg.map:
            return match.indexes(leg.map[name])
        if name == "balance":
            return match.indexes([profile.mapping.balance or ""])
        if name == "fee":
            return tuple(match.column_and_rest("fee", fee)[0] for fee in profile.mapping.fee)
        return match.indexes(profile.map.get(name, ()))

    def _cell(self, name: str, leg: Leg) -> Make:
        profile = self._match.profile
        is_side = name in ("debit", "credit")
        constant = self._preamble.get(name)
        if name == "currency" and leg.currency:
            constant = leg.currency
        if is_side and (name == "credit") != (leg.positive == "in"):
            constant = ""
        separator = profile.category_separator if name == "category" else " "
        make = _joined(self._sources(name, leg), separator, constant)
        if name == "account" and (prefix := profile.account_prefix):
            return lambda cells: f"{prefix} {text}" if (text := make(cells).strip()) else ""
        if name == "paymentType" and (types := profile.payment_types):
            type_of = lru_cache(REMEMBERED)(lambda text: types.get(folded(text), ""))
            return lambda cells: type_of(make(cells))
        if is_side and leg.ignore_sign:
            return lambda cells: make(cells).strip(_SIGNS)
        return make

    def begin(self, skipped: Counter[str] | None = None) -> Expand:
        """Return a function that expands rows; it must get the rows in the file's order.

        skipped: counts the rows that are left out. The function raises ImportRefused with a line.
        """
        ids: dict[tuple[int, str], str] = {}
        left_out: Counter[str] = Counter() if skipped is None else skipped

        def expand(line: int, cells: list[str]) -> list[list[str]]:
            if self._match.profile.apostrophes:
                cells = [without_apostrophes(cell) if "'" in cell else cell for cell in cells]
            for tests, reason, only in self._refuse:
                if _hold(tests, cells):
                    fact = clause(Topic.ROW_NOT_READ, reason=reason) if only else reason
                    raise ImportRefused(fact, line, (Choice({"only": only}),) if only else ())
            if not self._keeps(line, cells, left_out):
                return []
            self._check(line, cells)
            for (name, own), column in self._names:
                given = cells[own]
                if given and ids.setdefault((name, cells[name]), given) != given:
                    fault = f"{quoted(cells[name])} has another {column} than above"
                    why = "and this import goes by names: if you changed the name here, clear"
                    way = f"{column}; otherwise rename one of the two, and export again"
                    raise ImportRefused(f"{fault}, {why} {way}", line)
            end = []
            if self._opening is not None:
                end.append("1" if _hold(self._opening, cells) else "")
            legs = [makes for tests, makes in self._legs if tests and _hold(tests, cells)]
            legs = legs or [makes for tests, makes in self._legs if not tests]
            if not legs:
                left_out[self._otherwise(line, cells)] += 1
            return [[*cells, *(make(cells) for make in makes), *end] for makes in legs]

        return expand

    def _keeps(self, line: int, cells: list[str], left_out: Counter[str]) -> bool:
        for index, column, selected in self._only:
            cell = cells[index].strip()
            keeps = selected.keeps(cell, has_balance=self._balance is not None)
            if keeps is None:
                topic = Topic.WORD_NOT_KNOWN
                if cell in selected.proved:
                    topic = Topic.WORD_NEEDS_BALANCE
                profile = shown(self._match.profile)
                raise ImportRefused(clause(topic, profile=profile, word=cell, column=column), line)
            if not keeps:
                left_out[cell[:40] or f"without {column}"] += 1
                return False
        for tests, what in self._leave_out:
            if _hold(tests, cells):
                left_out[what] += 1
                return False
        return True

    def _check(self, line: int, cells: list[str]) -> None:
        for one, other in self._equal:
            texts = cells[one].strip(), cells[other].strip()
            if all(texts) and folded(texts[0]) != folded(texts[1]):
                profile, both = shown(self._match.profile), " and ".join(map(quoted, texts))
                fault = f"the profile {profile} cannot read a row that has both {both}"
                raise ImportRefused(fault, line)

    def _otherwise(self, line: int, cells: list[str]) -> str:
        """Return the profile's value for rows without a leg.

        Raises ImportRefused if it has none.
        """
        profile, names = self._match.profile, self._match.names
        if profile.otherwise:
            return profile.otherwise
        asked = dict.fromkeys(index for tests, _ in self._legs for index, _ in tests)
        row = tuple(f"{names[index]}: {quoted(cells[index].strip())}" for index in asked)
        raise ImportRefused(clause(Topic.ROW_WITHOUT_WAY, profile=shown(profile), cells=row), line)


def _hold(tests: Tests, cells: Sequence[str]) -> bool:
    return all(test(cells[index]) for index, test in tests)


def _joined(columns: tuple[int, ...], separator: str, constant: str | None) -> Make:
    if constant is not None:
        return lambda cells: constant
    if len(columns) == 1:
        return itemgetter(columns[0])
    return lambda cells: separator.join(t for i in columns if (t := cells[i].strip()))


def _labelled(lines: Sequence[Line], profile: Profile) -> dict[str, str]:
    """Return field -> the value after one of the profile's labels for it."""
    found: dict[str, str] = {}
    for label, texts in lines:
        for name, labels in profile.preamble.items():
            if label in labels and texts:
                # The name of the account may follow its number, after a slash.
                found.setdefault(name, texts[0].partition(" / ")[0])
    return found
