"""The columns of which it is still open what they are, and what was inferred of the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from finance_api.importers.csv.columns import Columns, Headings
from finance_api.importers.csv.layout import POSITIVE, Layout
from finance_api.importers.csv.sample import Column, Numbers
from finance_api.importers.interface import Answer
from finance_api.importers.questions import Questions
from finance_api.importers.texts import quoted

#: At most this many columns are examined.
_MOST_COLUMNS = 200
#: At most this many columns are proposed for one role.
_MOST_PROPOSED = 6
BY_HEADING, ONLY, BY_BALANCE = (
    "its heading says so",
    "the only one of its kind",
    "the balances run by it",
)


@dataclass
class Inferred:
    """columns: what was inferred. statuses: columns that say which rows happened.

    positive, date_format: as in `Layout`. explained: columns that are known to add nothing.
    reasons: a line for each decision. questions: what has several readings; reading goes on under
    the first.
    """

    columns: Columns = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    positive: str | None = None
    date_format: str | None = None
    explained: set[int] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)


class OpenColumns:
    """The columns of a table whose roles nobody named, with its headings and first rows.

    A column is known by its heading, because it is the only one of its kind, or because the
    balances run by its amounts. What has two readings is asked.

    all: every column. free: those that are not taken yet. known: those that are given, or have the
    names of fields; by_name: the fields of the latter. numbers: the numbers in the columns.
    user_layout: what the user gave. found: what was inferred so far.
    """

    def __init__(
        self,
        headings: Headings,
        rows: Sequence[Sequence[str]],
        known: Columns,
        user_layout: Layout,
        ignored: frozenset[int],
    ) -> None:
        """ignored: columns that say nothing."""
        texts = headings.texts or [""] * headings.width
        self.headings = headings
        self.all = [
            Column(index, texts[index], [row[index].strip() for row in rows])
            for index in range(min(headings.width, _MOST_COLUMNS))
        ]
        self.known = known
        self.user_layout = user_layout
        self.by_name = frozenset(known.keys() - user_layout.named.keys())
        self.found = Inferred(explained=set(ignored))
        taken = {index for indexes in known.values() for index in indexes} | ignored
        self.free = [column for column in self.all if column.index not in taken]
        self.numbers = Numbers([column for column in self.all if column.is_number])

    def name(self, column: Column) -> str:
        return self.headings.named(column.index)

    def take(self, role: str, column: Column, reason: str | None) -> None:
        """reason: why this is the column; None if it is asked for."""
        self.found.columns[role] = (*self.found.columns.get(role, ()), column.index)
        self.free.remove(column)
        if reason is not None:
            self.found.reasons.append(f"{role} is {quoted(self.name(column))}: {reason}")

    def explain(self, *columns: Column) -> None:
        """The columns add nothing."""
        self.found.explained |= {column.index for column in columns}

    def has(self, *roles: str) -> bool:
        return any(role in self.known or role in self.found.columns for role in roles)

    def of(self, *roles: str) -> list[Column]:
        """The columns of these roles, as far as they were looked at."""
        columns = self.known | self.found.columns
        indexes = [index for role in roles for index in columns.get(role, ())]
        return [self.all[index] for index in indexes if index < len(self.all)]

    def ask(self, role: str, reason: str, readings: Sequence[tuple[Answer, Columns]]) -> None:
        """Read on under the first reading."""
        answers = [answer for answer, _ in readings[:_MOST_PROPOSED]]
        self.found.questions.ask(reason, *answers, line=self.headings.line, of=role)
        for name, (index,) in readings[0][1].items():
            self.take(name, self.all[index], None)

    def reading(self, *parts: tuple[str, Column]) -> tuple[Answer, Columns]:
        words: list[str] = []
        for name, column in parts:
            is_side = name in ("debit", "credit")
            words += [f"--{name}" if is_side else "--map"]
            words += [self.name(column) if is_side else f"{name}={self.name(column)}"]
        places = (f"{name} is in {quoted(self.name(column))}" for name, column in parts)
        given = POSITIVE if parts[0][0] == "debit" else ()
        columns: Columns = {name: (column.index,) for name, column in parts}
        return Answer(tuple(words), given, ", ".join(places)), columns


def best(role: str, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose headings fit best."""
    most = max((column.fit(role) for column in columns), default=0)
    return [column for column in columns if column.fit(role) == most > 0]
