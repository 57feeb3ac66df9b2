"""The columns of a table's first rows: what their cells are, and what is inferred about them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from finance_api.importers.clauses import Clause, Role, Says, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS, number_pattern, plain_number, shape_of
from finance_api.importers.csv.balances import orders_of
from finance_api.importers.csv.dates import EPOCH
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.mapping import POSITIVE, Columns, Mapping
from finance_api.importers.csv.table import is_account, is_amount, is_date
from finance_api.importers.csv.vocabulary import folded, role_fit
from finance_api.importers.interface import Choice, Questions
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import mark_of

#: At most this many columns are examined.
_MOST_COLUMNS = 200
#: At most this many columns are proposed for one role.
_MOST_PROPOSED = 6
BY_HEADING, ONLY, BY_BALANCE = (
    "its heading says so",
    "the only one of its kind",
    "the balances follow from it",
)
_TIME = re.compile(r"[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9])?")
#: Excel's number of a day from about 1970 to 2030, perhaps with a time.
_SERIAL = re.compile(r"(2[5-9]|3[0-9]|4[0-7])[0-9]{3}([.,][0-9]+)?")
_DAY = re.compile(r"[0-3]?[0-9](\.|[-/ .]{1,2}([01]?[0-9]|[^\W\d_]{3,9})\.?)")


class Column:
    """A column. texts: the trimmed cell of each row. filled: the texts that are not blank."""

    def __init__(self, index: int, heading: str, texts: Sequence[str]) -> None:
        self.index = index
        self.heading = heading
        self.texts = texts
        self.filled = [text for text in texts if text]

    def fit(self, role: str) -> int:
        """Return how well the heading fits the role, see `role_fit`."""
        return role_fit(role, self.heading)

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(folded(text) for text in self.filled)

    @property
    def is_full(self) -> bool:
        return len(self.filled) == len(self.texts)

    @cached_property
    def is_date(self) -> bool:
        return self._most(is_date) or (
            max(self.fit(role) for role in ("booked", "date", "value")) > 0
            and any(self._most(form.fullmatch) for form in (_SERIAL, _DAY, EPOCH))
        )

    @cached_property
    def is_time(self) -> bool:
        return self._most(_TIME.fullmatch)

    @cached_property
    def is_number(self) -> bool:
        return not self.is_date and self._most(is_amount)

    @cached_property
    def is_text(self) -> bool:
        return bool(self.filled) and not (self.is_date or self.is_time or self.is_number)

    @cached_property
    def has_decimals(self) -> bool:
        return any("." in text or "," in text for text in self.filled)

    @cached_property
    def is_signed(self) -> bool:
        written = [shape_of(text) for text in self.filled]
        return any(each is not None and (each.negative or each.side) for each in written)

    @cached_property
    def is_zero(self) -> bool:
        return not any(digit in text for text in self.filled for digit in "123456789")

    @cached_property
    def are_currencies(self) -> bool:
        marks = [mark_of(text) for text in self.values]
        return bool(marks) and all(mark is not None and mark.currency for mark in marks)

    @cached_property
    def are_accounts(self) -> bool:
        return self._most(is_account)

    def _most(self, test: Callable[[str], object]) -> bool:
        """Return whether two thirds or more of the filled cells pass: footer cells may fail."""
        misses = sum(not test(text) for text in self.filled)
        return len(self.filled) > misses and misses * 3 <= len(self.filled)


class Numbers:
    """Reads columns of numbers, in millionths. A cell that is blank or not a number is None."""

    def __init__(self, columns: Sequence[Column]) -> None:
        cells = [text for column in columns for text in column.filled]
        for mark in DECIMAL_MARKS:
            self._pattern = number_pattern(mark, None)
            if sum(self._read(text) is None for text in cells) * 3 <= len(cells):
                break
        self._known: dict[int, list[int | None]] = {}

    def of(self, column: Column) -> list[int | None]:
        if column.index not in self._known:
            self._known[column.index] = [self._read(text) for text in column.texts]
        return self._known[column.index]

    def _read(self, text: str) -> int | None:
        written = shape_of(text)
        number = None if written is None else plain_number(written.digits, self._pattern)
        if written is None or number is None:
            return None
        whole, _, fraction = number.partition(".")
        units = int(f"{whole}{fraction[:6]:0<6}")
        return -units if written.negative else units

    def run(self, amounts: Sequence[Column], balance: Column) -> bool:
        """Return whether the balance changes by the size of each row's amount."""
        rows = zip(self.of(balance), *map(self.of, amounts), strict=True)
        found = [
            (0, sum(abs(each or 0) for each in sizes), after)
            for after, *sizes in rows
            if after is not None and any(each is not None for each in sizes)
        ]
        return len(found) > 2 and len({row[1] for row in found}) > 1 and bool(orders_of(found))

    def follows(self, balance: Column, credit: Column, debit: Column) -> bool:
        """Return whether the balance rises by one column, and falls by the other one."""
        rows = zip(*map(self.of, (balance, credit, debit)), strict=True)
        found = [
            (0, abs(one or 0) - abs(other or 0), after)
            for after, one, other in rows
            if after is not None
        ]
        return len(found) > 2 and bool(orders_of(found, int))

    def take_turns(self, one: Column, other: Column) -> bool:
        """Return whether both columns have money, but never in the same row."""
        pairs = list(zip(self.of(one), self.of(other), strict=True))
        filled = {(bool(a), bool(b)) for a, b in pairs} - {(False, False)}
        return filled == {(True, False), (False, True)}

    def agree(self, one: Column, *others: Column) -> bool:
        """Return whether ``one`` is the sum of ``others`` in each row, all without signs."""
        rows = zip(self.of(one), *map(self.of, others), strict=True)
        return all(abs(a or 0) == sum(abs(each or 0) for each in rest) for a, *rest in rows)

    def span(self, money: Sequence[Column], before: Column, after: Column) -> bool:
        """Return whether two columns always differ by the amounts, all without signs."""
        rows = zip(*map(self.of, (before, after, *money)), strict=True)
        return all(
            None not in (one, other)
            and abs((other or 0) - (one or 0)) == sum(abs(each or 0) for each in rest)
            for one, other, *rest in rows
        )


@dataclass
class Inferred:
    """The decisions made from a file's content.

    columns: field -> its inferred columns. statuses: columns that say which rows are transactions.
    positive, date_format: as in `Mapping`. explained: columns known to add nothing to the amounts.
    reasons: a line for each decision. questions: questions about columns with several possible
    roles; until a question is answered, its first answer is used.
    """

    columns: Columns = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    positive: str | None = None
    date_format: str | None = None
    explained: set[int] = field(default_factory=set)
    reasons: list[Clause | str] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)


class OpenColumns:
    """The columns of a table while roles are inferred for them, with its headings and first rows.

    A column gets a role by its heading, because it is the only one of its kind, or because the
    balances change by its amounts. If two columns are possible, the user is asked.

    all: every column. free: columns without a role. known: columns that the user named, or whose
    heading is the name of a field. by_name: the fields whose column has such a heading.
    numbers: the numbers in the columns. user_mapping: the user's options. found: what was inferred.
    """

    def __init__(
        self,
        headings: Headings,
        rows: Sequence[Sequence[str]],
        known: Columns,
        user_mapping: Mapping,
        ignored: frozenset[int],
    ) -> None:
        """ignored: indexes of columns that get no role."""
        self.headings = headings
        self.all = [
            Column(index, headings.text(index), [row[index].strip() for row in rows])
            for index in range(min(headings.width, _MOST_COLUMNS))
        ]
        self.known = known
        self.user_mapping = user_mapping
        self.by_name = frozenset(known.keys() - user_mapping.named.keys())
        self.found = Inferred(explained=set(ignored))
        taken = {index for indexes in known.values() for index in indexes} | ignored
        self.free = [column for column in self.all if column.index not in taken]
        self.numbers = Numbers([column for column in self.all if column.is_number])

    def name(self, column: Column) -> str:
        return self.headings.named(column.index)

    def take(self, role: str, column: Column, reason: str | None) -> None:
        """Give a column the role. reason: why; None if the user is asked about it."""
        self.found.columns[role] = (*self.found.columns.get(role, ()), column.index)
        self.free.remove(column)
        if reason is not None:
            says = clause(Says.COLUMN_IS, role=Role(role), column=self.name(column), reason=reason)
            self.found.reasons.append(says)

    def explain(self, *columns: Column) -> None:
        """Note that these columns add nothing to the amounts."""
        self.found.explained |= {column.index for column in columns}

    def has(self, *roles: str) -> bool:
        return any(role in self.known or role in self.found.columns for role in roles)

    def of(self, *roles: str) -> list[Column]:
        """Return the columns of these roles, among the columns that are examined."""
        columns = self.known | self.found.columns
        indexes = [index for role in roles for index in columns.get(role, ())]
        return [self.all[index] for index in indexes if index < len(self.all)]

    def ask(self, role: str, fact: Clause, readings: Sequence[tuple[Choice, Columns]]) -> None:
        """Ask which reading is right; meanwhile, take the columns of the first reading."""
        choices = [choice for choice, _ in readings[:_MOST_PROPOSED]]
        self.found.questions.ask(fact, *choices, line=self.headings.line, of=role)
        for name, (index,) in readings[0][1].items():
            self.take(name, self.all[index], None)

    def reading(self, *parts: tuple[str, Column]) -> tuple[Choice, Columns]:
        changes: ImportOptions
        names = [self.name(column) for _, column in parts]
        if parts[0][0] == "debit":
            changes = {"debit": names[0], "credit": names[1], **POSITIVE}
        else:
            fields = (name for name, _ in parts)
            changes = {"columns": {f: (name,) for f, name in zip(fields, names, strict=True)}}
        places = tuple(
            clause(Says.FIELD_IN, field=name, column=self.name(column)) for name, column in parts
        )
        columns: Columns = {name: (column.index,) for name, column in parts}
        return Choice(changes, clause(Says.BOTH, both=places)), columns


def best(role: str, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose headings fit the role best; none if no heading fits."""
    most = max((column.fit(role) for column in columns), default=0)
    return [column for column in columns if column.fit(role) == most > 0]
