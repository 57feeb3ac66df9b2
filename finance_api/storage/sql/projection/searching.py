"""Searching for texts in the records of the default order, by reading the user's own in turn.

An index over the texts of all users would find rare ones faster, and its speed would tell how
common a text is among other users' records.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, or_, select
from sqlalchemy.sql import ColumnElement

from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.clauses import BindNames, begins_with, has_text, values_by_name
from finance_api.storage.sql.statements import (
    LIMIT,
    OFFSET,
    USER,
    StatementConnection,
    by_user_and_date,
)
from finance_api.storage.sql.tables import DATA_TABLES, records_by_date
from finance_api.values.text import fold

_RECORDS = records_by_date.c

#: The columns of `records_by_date` with folded texts, by the fields that are searched in them.
_SEARCHED = {
    "payee": (_RECORDS.payee_folded,),
    "note": (_RECORDS.note_folded,),
    WORDS.name: (_RECORDS.payee_folded, _RECORDS.note_folded, _RECORDS.names_folded),
}
_OPERATORS = (Operator.CONTAINS, Operator.CONTAINS_I, Operator.STARTS_WITH_I, Operator.WORD)


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A text to search for. exact: the text with regard to case, where that matters."""

    field: str
    operator: Operator
    folded: str
    exact: str | None = None

    @property
    def shape(self) -> tuple[str, Operator]:
        return self.field, self.operator


def search_term_of(condition: Condition) -> SearchTerm | None:
    """The condition as a search for a text; None if it is none."""
    field, operator, operand = condition.field.name, condition.operator, condition.operand
    if field not in _SEARCHED or operator not in _OPERATORS:
        return None
    assert isinstance(operand, str)
    exact = operand if operator is Operator.CONTAINS else None
    # Folding goes character by character: what contains a text contains it folded, too.
    return SearchTerm(field, operator, fold(operand), exact)


def _term_clauses(
    database: str, terms: tuple[tuple[str, Operator], ...]
) -> list[ColumnElement[bool]]:
    """Whether every text is there."""
    records, names = DATA_TABLES[RECORDS.name], BindNames()
    found: list[ColumnElement[bool]] = []
    for field, operator in terms:
        is_there = begins_with if operator is Operator.STARTS_WITH_I else has_text
        text = names.parameter()
        found.append(or_(*[is_there(database, column, text) for column in _SEARCHED[field]]))
        if operator is Operator.CONTAINS:
            # A value and not an EXISTS, of which PostgreSQL would make a join with all records.
            exact = (
                select(records.columns[field])
                .where(records.user_id == USER, records.columns["id"] == _RECORDS.id)
                .scalar_subquery()
            )
            found.append(has_text(database, exact, names.parameter()))
    return found


def _matches(
    database: str, terms: tuple[tuple[str, Operator], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """A page of the records in which all texts are found."""
    page = (
        select(_RECORDS.json)
        .where(*by_user_and_date(has_first, has_last), *_term_clauses(database, terms))
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )
    if database != "sqlite":
        return page
    # The texts are in an index without the JSON, which is five times smaller.
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


def search(
    connection: StatementConnection,
    terms: tuple[SearchTerm, ...],
    bounds: tuple[bool, bool],
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    """A page of the records in which all terms are found, and its state.

    values: user, limit, offset and the bounds, as `RecordsByDateQuery.values` gives them.
    """
    shape = tuple([term.shape for term in terms])
    values = {**values, **_texts(terms)}
    return connection.fetch_lines(_matches, shape, *bounds, values=values)


def stream_found(
    connection: StatementConnection,
    terms: tuple[SearchTerm, ...],
    bounds: tuple[bool, bool],
    values: dict[str, Any],
) -> Iterator[bytes]:
    """As `search`, some rows at a time."""
    shape = tuple([term.shape for term in terms])
    values = {**values, **_texts(terms)}
    return connection.stream(_matches, shape, *bounds, values=values)


def _texts(terms: tuple[SearchTerm, ...]) -> dict[str, str]:
    """The values that `_term_clauses` binds."""
    texts = [text for term in terms for text in (term.folded, term.exact) if text is not None]
    return values_by_name(texts)
