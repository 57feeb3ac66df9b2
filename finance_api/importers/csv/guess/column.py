"""A column's cells and numbers, and the columns of a table while roles are inferred for them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from operator import add, eq, sub

from finance_api.importers.clauses import Clause, Fact, Role, Says, Topic, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS, number_pattern, plain_number, shape_of
from finance_api.importers.csv.cells import money_text
from finance_api.importers.csv.dates import EPOCH
from finance_api.importers.csv.headings import Bound
from finance_api.importers.csv.mapping import POSITIVE, Columns, Mapping
from finance_api.importers.csv.table import (
    Table,
    filled,
    is_account,
    is_amount,
    is_date,
    looks_like_data,
)
from finance_api.importers.csv.vocabulary import folded, role_fit
from finance_api.importers.interface import Choice, Questions
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import mark_of

#: At most this many columns are examined.
_MOST_COLUMNS = 200
#: At most this many columns are proposed for one role.
_MOST_PROPOSED = 6
#: A question about columns with the same heading names at most this many columns.
_NAMED_COLUMNS = 20
#: The first row of a file with more rows is not needed.
_FEW = 3
#: Why a column has its role.
BY_HEADING, ONLY = "its heading says so", "the only one of its kind"
_TIME = re.compile(r"[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9])?")
#: Excel's number of a day from about 1970 to 2030, perhaps with a time.
_SERIAL = re.compile(r"(2[5-9]|3[0-9]|4[0-7])[0-9]{3}([.,][0-9]+)?")
_SHORT = re.compile("([0-9]{2}(0[1-9]|1[0-2])[0-3][0-9]|[0-3][0-9](0[1-9]|1[0-2])[0-9]{2})")
_DAY = re.compile(r"[0-3]?[0-9](\.|[-/ .]{1,2}([01]?[0-9]|[^\W\d_]{3,9})\.?)")


class Column:
    """A column. texts: the trimmed cell of each row. filled: the texts that are not blank.

    pattern: the form of the file's numbers.
    """

    pattern = number_pattern(DECIMAL_MARKS[0], None)

    def __init__(self, index: int, heading: str, texts: Sequence[str]) -> None:
        self.index = index
        self.heading = heading
        has_numbers = any(text[-1:].isdigit() for text in texts)
        self.texts = [money_text(text) for text in texts] if has_numbers else texts
        self.filled = [text for text in self.texts if text]

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
            and any(self._most(form.fullmatch) for form in (_SERIAL, _SHORT, _DAY, EPOCH))
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

    @cached_property
    def numbers(self) -> list[int | None]:
        """The numbers of all cells, in millionths; None for a cell that is not a number."""
        return _numbers(self.texts, self.pattern)


#: Roles and their columns.
Reading = Sequence[tuple[str, Column]]


def _numbers(texts: Sequence[str], pattern: re.Pattern[str]) -> list[int | None]:
    return [_number(text, pattern) for text in texts]


def _misfits(texts: Sequence[str], pattern: re.Pattern[str]) -> tuple[int, int]:
    numbers = _numbers(texts, pattern)
    return numbers.count(None), sum(bool((number or 0) % 1_000_000) for number in numbers)


def _number(text: str, pattern: re.Pattern[str]) -> int | None:
    written = shape_of(text)
    number = None if written is None else plain_number(written.digits, pattern)
    if written is None or number is None:
        return None
    whole, _, fraction = number.partition(".")
    units = int(f"{whole}{fraction[:6]:0<6}")
    return -units if written.negative else units


#: How a number of one column may repeat that of another one. A column may lack signs that the other
#: one has, but whether it does is the same in all rows.
Repeats = Callable[[int, int], bool]
_REPEATS: tuple[Repeats, ...] = (
    eq,
    lambda one, other: one == -other,
    lambda one, other: one == abs(other),
    lambda one, other: one == -abs(other),
    lambda one, other: abs(one) == other,
)
#: What money two sides may have, of which one is zero: their signs may be those of refunds, or say
#: which way money goes, or nothing.
NETS: tuple[Callable[[int, int], int], ...] = (lambda a, b: abs(a) - abs(b), sub, add)
#: Columns, other columns, and how the former may repeat the latter.
Alike = tuple[list[int], list[int], list[tuple[Callable[[int, int], int], Repeats]]]


@dataclass
class Inferred:
    """The decisions made from a file's content.

    columns: field -> its inferred columns. statuses: columns that say which rows are transactions.
    references: unread columns in which almost each row has a text of its own, with digits.
    positive, date_format, currency: as in `Mapping`.
    explained: columns known to add nothing to the amounts.
    alike: why some of them do: in the first rows they repeat the sizes of other columns.
    questions: questions about columns with several possible roles; until a question is answered,
    its first answer is used.
    """

    columns: Columns = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    references: tuple[int, ...] = ()
    positive: str | None = None
    date_format: str | None = None
    currency: str | None = None
    explained: set[int] = field(default_factory=set)
    alike: list[Alike] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)
    pattern: re.Pattern[str] = Column.pattern

    def compare(self, rows: Iterable[Sequence[str]]) -> None:
        """Take columns for explained no longer if later rows differ from the first ones."""
        for cells in rows if self.alike else ():
            for columns, others, ways in self.alike:
                one = self.numbers(cells, columns) or [0]
                other = self.numbers(cells, others) or [0]
                ways[:] = [
                    (net, repeats)
                    for net, repeats in ways
                    if repeats(reduce(net, one), reduce(net, other))
                ]
        for columns, _, ways in self.alike:
            self.explained.difference_update(() if ways else columns)

    def numbers(self, cells: Sequence[str], indexes: Sequence[int]) -> list[int]:
        """Return a row's numbers in these columns, in millionths; 0 for what is no number."""
        texts = [money_text(cells[index]) for index in indexes]
        return [number or 0 for number in _numbers(texts, self.pattern)]


class OpenColumns(Inferred):
    """The columns of a table while roles are inferred for them, with its headings and first rows.

    A column gets a role by its heading, because it is the only one of its kind, or because the
    balances change by its amounts. If two columns are possible, the user is asked.

    sample: the rows that are looked at. all: every column. free: columns without a role. known:
    columns that the user named, or whose heading is the name of a field. by_name: the fields whose
    column has such a heading. user_mapping: the user's options.
    """

    def __init__(self, table: Table, bound: Bound, user_mapping: Mapping) -> None:
        """bound: the columns that the mapping names."""
        ignored = {*bound.only, *bound.ignored}
        super().__init__(explained=ignored)
        self.table = table
        self.headings = headings = table.names
        # The first row of a file without headings may sum up the others.
        rows = table.sample[table.headings is None and len(table.sample) > _FEW :]
        data = [place for place, row in enumerate(rows, 1) if looks_like_data(row)]
        if not data:
            # Days without a year are no dates yet.
            most = Counter(map(filled, rows)).most_common(1)
            data = [place for place, row in enumerate(rows, 1) if filled(row) == most[0][0]]
        # Rows at the end that are no data may be a footer.
        self.sample = rows = rows[: max(data, default=len(rows))]
        self.all = [
            Column(index, headings.text(index), [row[index].strip() for row in rows])
            for index in range(min(table.width, _MOST_COLUMNS))
        ]
        self.known = dict(bound.columns)
        self.user_mapping = user_mapping
        taken = {index for indexes in self.known.values() for index in indexes}.union(ignored)
        self.free = [column for column in self.all if column.index not in taken]
        texts = [text for column in self.all if column.is_number for text in column.filled]
        patterns = [number_pattern(mark, None) for mark in DECIMAL_MARKS]
        # The pattern that reads the most; of two, the one that takes 1.234 for a thousand.
        self.pattern = min(patterns, key=lambda each: _misfits(texts, each))
        for column in self.all:
            column.pattern = self.pattern

    @property
    def by_name(self) -> frozenset[str]:
        return frozenset(self.known.keys() - self.user_mapping.named.keys() - {"fee", "sign"})

    def name(self, column: Column) -> str:
        return self.headings.named(column.index)

    def take(self, role: str, column: Column, reason: str | None = BY_HEADING) -> None:
        """Give a column the role. reason: why; None if the user is asked about it."""
        self.columns[role] = (*self.columns.get(role, ()), column.index)
        self.free.remove(column)
        if reason is not None:
            says = clause(Says.COLUMN_IS, role=Role(role), column=self.name(column), reason=reason)
            self.questions.remarks.append(says)

    def named(self, *roles: str) -> list[Column]:
        """Return the columns whose headings are the names of these roles."""
        return self.of(*(role for role in roles if role in self.by_name))

    def release(self, *roles: str) -> None:
        """Take these roles from the columns whose headings name them."""
        for role in self.by_name.intersection(roles):
            self.free += self.of(role)
            del self.known[role]

    def take_all(self, reading: Reading, reason: str | None = BY_HEADING) -> None:
        for role, column in reading:
            self.take(role, column, reason)

    def check_names(self) -> None:
        """Release the columns with the name of a field that are blank in all rows. Where several
        have the same one, take the first, and ask which one is meant.
        """
        blank = sorted(self.by_name) if len(self.sample) > 1 else []
        blank = [name for name in blank if not any(column.filled for column in self.of(name))]
        for _, cells in self.table.fitting_rows() if blank else ():
            blank = [n for n in blank if not any(cells[i].strip() for i in self.known[n])]
        for name in blank:
            self.release(name)
        for name in self.by_name:
            indexes = self.known[name]
            if len(indexes) > 1:
                numbers = tuple(index + 1 for index in indexes[:_NAMED_COLUMNS])
                fact = clause(Topic.DOUBLED, numbers=numbers, field=name, first=numbers[0])
                choices = [_in_column(name, number) for number in numbers]
                self.questions.ask(fact, *choices, line=self.headings.line, of=name)
                self.questions.columns.update(indexes)
                self.known[name] = indexes[:1]

    def take_best(self, role: str, words: str, columns: Sequence[Column]) -> None:
        """Take the column whose heading fits these words best, unless several fit equally."""
        columns = best(words, columns)
        if not self.has(role) and len(columns) == 1:
            self.take(role, columns[0])

    def explain(
        self,
        *columns: Column,
        like: Sequence[Column] | None = None,
        repeats: Sequence[Repeats] = _REPEATS,
    ) -> None:
        """Note that these columns add nothing to the amounts. like: because of these columns."""
        indexes = [column.index for column in columns]
        self.explained.update(indexes)
        if like is not None:
            ways = [*product(NETS, repeats)]
            self.alike.append((indexes, [column.index for column in like], ways))

    def has(self, *roles: str) -> bool:
        return any(role in self.known or role in self.columns for role in roles)

    def of(self, *roles: str) -> list[Column]:
        """Return the columns of these roles, among the columns that are examined."""
        columns = self.known | self.columns
        indexes = [index for role in roles for index in columns.get(role, ())]
        return [self.all[index] for index in indexes if index < len(self.all)]

    def ask(self, role: str, topic: Topic, *readings: Reading, **facts: Fact) -> None:
        """Ask which reading is right; meanwhile, take the columns of the first reading.

        facts: as in `Clause`; by default, the columns' names.
        """
        names = (self.name(column) for parts in readings for _, column in parts)
        facts = facts or {"columns": tuple(dict.fromkeys(names))}
        choices = map(self._choice, readings[:_MOST_PROPOSED])
        self.questions.ask(Clause(topic, facts), *choices, line=self.headings.line, of=role)
        self.take_all(readings[0], None)

    def _choice(self, reading: Reading) -> Choice:
        named = {name: self.name(column) for name, column in reading}
        changes: ImportOptions = {"columns": {name: (column,) for name, column in named.items()}}
        if "debit" in named:
            changes = {"debit": named["debit"], "credit": named["credit"], **POSITIVE}
        if "balance" in named:
            changes["balance"] = named["balance"]
        places = tuple(clause(Says.FIELD_IN, field=f, column=name) for f, name in named.items())
        return Choice(changes, clause(Says.BOTH, both=places))


def _in_column(field: str, number: int) -> Choice:
    changes: ImportOptions = {"columns": {field: (str(number),)}}
    if field == "currency":
        changes["currency"] = None
    return Choice(changes, clause(Says.IN_COLUMN, field=field, number=number))


def field_in(field: str, name: str) -> Choice:
    """Return the choice that the column has the field."""
    meaning = clause(Says.FIELD_IN, field=field, column=name)
    return Choice({"columns": {field: (name,)}}, meaning)


def sides_in(debit: str, credit: str) -> Choice:
    """Return the choice that these columns have what goes out and what comes in."""
    places = {"debit": debit, "credit": credit}
    meanings = tuple(clause(Says.FIELD_IN, field=f, column=name) for f, name in places.items())
    changes: ImportOptions = {"debit": debit, "credit": credit, "columns": {"amount": None}}
    return Choice({**changes, **POSITIVE}, clause(Says.BOTH, both=meanings))


def best(role: str, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose headings fit the role best; none if no heading fits."""
    most = max((column.fit(role) for column in columns), default=0)
    return [column for column in columns if column.fit(role) == most > 0]
