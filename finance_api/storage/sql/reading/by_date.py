"""SQL for `records_by_date`: pages in default order, however deep, and searches for texts.

A page far down the list starts at an anchor, not at the beginning of the list. A search reads all
of the user's records. An index over the texts of all users would find rare texts faster, but its
speed would reveal how common a text is among other users' records.
"""

from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT, OFFSET, USER, number_parameter
from finance_api.storage.sql.reading.conditions import SEARCHES, WORD_COLUMNS, BindNames, Search
from finance_api.storage.sql.tables import (
    ANCHOR_INTERVAL,
    record_anchors,
    records_by_date,
    user_data,
)
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import plain

#: Marks a record that is missing in `records_by_date`; JSON has no control characters.
MISSING = b"\x1f"

#: A field, and how to search for a text in it.
SearchTerm = tuple[str, Operator]

_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c
#: Bounds of newest_first, both inclusive.
_FIRST, _LAST = number_parameter("first"), number_parameter("last")

#: The columns of `records_by_date` that have the plain texts of each searchable field.
_SEARCHED = {
    "payee": (_RECORDS.payee_plain,),
    "note": (_RECORDS.note_plain,),
    WORDS.name: WORD_COLUMNS,
}


def _within(has_first: bool, has_last: bool) -> list[sa.ColumnElement[bool]]:
    """Return clauses that select the user's part of `records_by_date`, within bounds if any."""
    clauses = [_RECORDS.user_id == USER]
    if has_first:
        clauses.append(_RECORDS.newest_first >= _FIRST)
    if has_last:
        clauses.append(_RECORDS.newest_first <= _LAST)
    return clauses


def far_page(database: str, has_first: bool, has_last: bool) -> sa.Select[Any]:
    """Select a page far down the list: start at the nearest anchor above the page."""
    # A record's position is the number of records after it, so positions count from the end.
    if has_first:
        place = sa.select((_size_below_bound() - 1 - OFFSET).label("position")).cte("place")
        (position,) = _values(place, "position")
    else:
        size = (
            sa.select(user_data.c.record_count).where(user_data.c.user_id == USER).scalar_subquery()
        )
        position = size - 1 - OFFSET
    above = (position + (ANCHOR_INTERVAL - 1)) // ANCHOR_INTERVAL * ANCHOR_INTERVAL
    # If the page is past the end of the list, there is no anchor, and the page is empty.
    anchor = [
        sa.select(column)
        .where(_ANCHORS.user_id == USER, _ANCHORS.position == above)
        .scalar_subquery()
        for column in (_ANCHORS.newest_first, _ANCHORS.id)
    ]
    # Leave out the upper bound, which the anchor implies: SQLite would start there and read on.
    rows = sa.select(_RECORDS.json).where(
        *_within(False, has_last),
        sa.tuple_(_RECORDS.newest_first, _RECORDS.id) >= sa.tuple_(*anchor),
    )
    order = _RECORDS.newest_first, _RECORDS.id
    return rows.order_by(*order).limit(LIMIT).offset(above - position)


def _values(row: sa.CTE, *names: str) -> list[sa.ColumnElement[Any]]:
    """Return columns of a table with at most one row as values; NULL if there is no row."""
    return [sa.select(row.c[name]).scalar_subquery() for name in names]


def _size_below_bound() -> sa.ColumnElement[int]:
    """Return how many records are below the upper bound; counts records up to the next anchor."""
    bound = (
        sa.select(_ANCHORS.position, _ANCHORS.newest_first, _ANCHORS.id)
        .where(_ANCHORS.user_id == USER, _ANCHORS.newest_first >= _FIRST)
        .order_by(_ANCHORS.position.desc())
        .limit(sa.literal_column("1"))
        .cte("bound")
    )
    position, newest_first, row_id = _values(bound, "position", "newest_first", "id")
    newest_first = sa.func.coalesce(newest_first, sa.literal_column(str(MAX_UNITS)))
    between = (
        sa.select(sa.func.count())
        .select_from(records_by_date)
        .where(
            *_within(True, False),
            # Use both conditions: with the second alone, SQLite uses only one end of the range.
            _RECORDS.newest_first <= newest_first,
            sa.tuple_(_RECORDS.newest_first, _RECORDS.id)
            < sa.tuple_(newest_first, sa.func.coalesce(row_id, sa.literal_column("''"))),
        )
        .scalar_subquery()
    )
    return sa.func.coalesce(position + 1, sa.literal_column("0")) + between


def search_of(condition: Condition) -> tuple[SearchTerm, list[str]] | None:
    """Return a condition as a search term, and the values that `page` binds for it.

    Returns None if the condition is not a search.
    """
    field, operator, operand = condition.field.name, condition.operator, condition.operand
    if field not in _SEARCHED:
        return None
    if operator.is_null_test:
        return (field, operator), []
    if operator is Operator.WORD:
        return (field, operator), [str(operand)]
    if operator not in SEARCHES:
        return None
    assert isinstance(operand, str)
    # Plain forms are made character by character: if a text contains another text, its plain form
    # contains the other's plain form.
    return (field, operator), [plain(operand), operator.value.prepared(operand)]


def _term_clauses(database: str, terms: tuple[SearchTerm, ...]) -> list[sa.ColumnElement[bool]]:
    """Return clauses that are true for records that match every term."""
    records, names = DATA_TABLES[RECORDS.name], BindNames()
    clauses: list[sa.ColumnElement[bool]] = []
    for field, operator in terms:
        if operator.is_null_test:
            missing = _SEARCHED[field][0].is_(None)
            clauses.append(missing if operator is Operator.IS_NULL else ~missing)
            continue
        search, text = SEARCHES.get(operator, Search()), names.parameter()
        columns = _SEARCHED[field]
        clauses.append(sa.or_(*[search.is_there(database, column, text) for column in columns]))
        if operator is not Operator.WORD:
            column = (records.folded if search.folded else records.columns)[field]
            # Use a scalar subquery: PostgreSQL would turn an EXISTS into a join with all records.
            exact = (
                sa.select(column)
                .where(records.user_id == USER, records.columns["id"] == _RECORDS.id)
                .scalar_subquery()
            )
            clauses.append(search.is_there(database, exact, names.parameter()))
    return clauses


def count(
    database: str, terms: tuple[SearchTerm, ...], has_first: bool, has_last: bool
) -> sa.Select[Any]:
    """Count the records that match all terms, within bounds if any."""
    found = sa.select(sa.func.count()).select_from(records_by_date)
    return found.where(*_within(has_first, has_last), *_term_clauses(database, terms))


def found(
    database: str, terms: tuple[SearchTerm, ...], has_first: bool, has_last: bool
) -> sa.Select[Any]:
    """Select the ids of up to LIMIT records that match all terms."""
    clauses = *_within(has_first, has_last), *_term_clauses(database, terms)
    return sa.select(_RECORDS.id).where(*clauses).limit(LIMIT)


def page(
    database: str, terms: tuple[SearchTerm, ...], has_first: bool, has_last: bool
) -> sa.Select[Any]:
    """Select a page of the records that match all terms."""
    page = (
        sa.select(_RECORDS.json)
        .where(*_within(has_first, has_last), *_term_clauses(database, terms))
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )
    if not terms or database != "sqlite":
        return page
    # Let SQLite first read an index with the texts but without the JSON: a fifth of the size.
    found = page.with_only_columns(_RECORDS.newest_first, _RECORDS.id).subquery("found")
    whole = records_by_date.alias("whole")
    json = sa.select(whole.c.json).where(
        whole.c.user_id == USER,
        whole.c.newest_first == found.c.newest_first,
        whole.c.id == found.c.id,
    )
    return sa.select(json.correlate(found).scalar_subquery().label("json")).select_from(found)
