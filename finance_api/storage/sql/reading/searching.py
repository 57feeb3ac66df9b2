"""Searching for texts in the records of the default order, by reading the user's own in turn.

An index over the texts of all users would find rare ones faster, and its speed would tell how
common a text is among other users' records.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, or_, select
from sqlalchemy.sql import ColumnElement

from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT, OFFSET, USER, number_parameter
from finance_api.storage.sql.reading.conditions import BindNames, begins_with, has_text
from finance_api.storage.sql.tables import records_by_date
from finance_api.values.text import fold

#: Bounds of records_by_date.newest_first.
FIRST = number_parameter("first")
LAST = number_parameter("last")

_RECORDS = records_by_date.c

#: The columns of `records_by_date` with folded texts, by the fields that are searched in them.
_SEARCHED = {
    "payee": (_RECORDS.payee_folded,),
    "note": (_RECORDS.note_folded,),
    WORDS.name: (_RECORDS.payee_folded, _RECORDS.note_folded, _RECORDS.names_folded),
}
_OPERATORS = (Operator.CONTAINS, Operator.CONTAINS_I, Operator.STARTS_WITH_I, Operator.WORD)


def within_bounds(has_first: bool, has_last: bool) -> list[ColumnElement[bool]]:
    """Return clauses that select the user's part of `records_by_date`, within bounds if any."""
    clauses = [_RECORDS.user_id == USER]
    if has_first:
        clauses.append(_RECORDS.newest_first >= FIRST)
    if has_last:
        clauses.append(_RECORDS.newest_first <= LAST)
    return clauses


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A text to search for. exact: the text as it is, if case matters."""

    field: str
    operator: Operator
    folded: str
    exact: str | None = None

    @property
    def shape(self) -> tuple[str, Operator]:
        return self.field, self.operator

    @property
    def texts(self) -> list[str]:
        """The values that `matches` binds."""
        return [self.folded] if self.exact is None else [self.folded, self.exact]


def search_term_of(condition: Condition) -> SearchTerm | None:
    """Return the condition as a search for a text; None if it is no such search."""
    field, operator, operand = condition.field.name, condition.operator, condition.operand
    if field not in _SEARCHED or operator not in _OPERATORS:
        return None
    assert isinstance(operand, str)
    exact = operand if operator is Operator.CONTAINS else None
    # Folding goes character by character, so a text that contains another also contains it folded.
    return SearchTerm(field, operator, fold(operand), exact)


def _term_clauses(
    database: str, terms: tuple[tuple[str, Operator], ...]
) -> list[ColumnElement[bool]]:
    """Return clauses that hold if every text is found."""
    records, names = DATA_TABLES[RECORDS.name], BindNames()
    clauses: list[ColumnElement[bool]] = []
    for field, operator in terms:
        is_there = begins_with if operator is Operator.STARTS_WITH_I else has_text
        text = names.parameter()
        clauses.append(or_(*[is_there(database, column, text) for column in _SEARCHED[field]]))
        if operator is Operator.CONTAINS:
            # A scalar subquery: of an EXISTS PostgreSQL would make a join with all records.
            exact = (
                select(records.columns[field])
                .where(records.user_id == USER, records.columns["id"] == _RECORDS.id)
                .scalar_subquery()
            )
            clauses.append(has_text(database, exact, names.parameter()))
    return clauses


def matches(
    database: str, terms: tuple[tuple[str, Operator], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """Select a page of the records in which all texts are found."""
    page = (
        select(_RECORDS.json)
        .where(*within_bounds(has_first, has_last), *_term_clauses(database, terms))
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )
    if database != "sqlite":
        return page
    # An index has the texts without the JSON, and is a fifth of the size.
    found = page.with_only_columns(_RECORDS.newest_first, _RECORDS.id).subquery("found")
    whole = records_by_date.alias("whole")
    json = (
        select(whole.c.json)
        .where(
            whole.c.user_id == USER,
            whole.c.newest_first == found.c.newest_first,
            whole.c.id == found.c.id,
        )
        .scalar_subquery()
    )
    return select(json.label("json")).select_from(found)
