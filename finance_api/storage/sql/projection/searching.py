"""Searching for texts in the records of the default order, by reading the user's own in turn.

An index over the texts of all users would find rare ones faster, and its speed would tell how
common a text is among other users' records.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.sql import ColumnElement

from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.clauses import BindNames, has_text, values_by_name
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

#: The fields that are, folded, in `records_by_date`.
SEARCHED = {"payee": _RECORDS.payee_folded, "note": _RECORDS.note_folded}


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A text to search for. exact: the text with regard to case, where that matters."""

    field: str
    folded: str
    exact: str | None = None

    @property
    def shape(self) -> tuple[str, bool]:
        return self.field, self.exact is not None


def search_term_of(condition: Condition) -> SearchTerm:
    """The term of a ``contains.`` or ``contains-i.``."""
    operand = condition.operand
    assert isinstance(operand, str)
    exact = operand if condition.operator is Operator.CONTAINS else None
    # Folding goes character by character: what contains a text contains it folded, too.
    return SearchTerm(condition.field.name, fold(operand), exact)


def _term_clauses(database: str, terms: tuple[tuple[str, bool], ...]) -> list[ColumnElement[bool]]:
    """Whether every text is there."""
    records, names = DATA_TABLES[RECORDS.name], BindNames()
    found: list[ColumnElement[bool]] = []
    for field, is_exact in terms:
        found.append(has_text(database, SEARCHED[field], names.parameter()))
        if is_exact:
            # A value and not an EXISTS, of which PostgreSQL would make a join with all records.
            exact = (
                select(records.columns[field])
                .where(records.user_id == USER, records.columns["id"] == _RECORDS.id)
                .scalar_subquery()
            )
            found.append(has_text(database, exact, names.parameter()))
    return found


def _matches(
    database: str, terms: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
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
    texts = [text for term in terms for text in (term.folded, term.exact) if text is not None]
    return connection.fetch_lines(
        _matches,
        tuple([term.shape for term in terms]),
        *bounds,
        values={**values, **values_by_name(texts)},
    )
