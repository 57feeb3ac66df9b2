"""Records in the default order, from `records_by_date`: pages, deep ones too, and searches.

A page far down the list starts at an anchor, not at the beginning of the list.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, func, literal_column, select, tuple_

from finance_api.query.model import Operator, Query, Span
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.connections.unit import ReadConnection
from finance_api.storage.sql.parameters import LIMIT, NO_LIMIT, OFFSET, USER
from finance_api.storage.sql.reading.conditions import values_by_name
from finance_api.storage.sql.reading.searching import (
    FIRST,
    SearchTerm,
    matches,
    search_term_of,
    within_bounds,
)
from finance_api.storage.sql.reading.state import fetch_lines, get_data_state
from finance_api.storage.sql.tables import ANCHOR_INTERVAL, record_anchors, records_by_date, users
from finance_api.values.number import MAX_UNITS

_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c


@dataclass(frozen=True, slots=True)
class RecordsByDateQuery:
    """A query whose filters and order need the columns of `records_by_date` only.

    first, last: the bounds of newest_first, if any. terms: texts to search for.
    empty: whether no record can match.
    """

    first: int | None = None
    last: int | None = None
    terms: tuple[SearchTerm, ...] = ()
    empty: bool = False

    @staticmethod
    def of(query: Query) -> "RecordsByDateQuery | None":
        """Return the query in these terms; None if it needs other columns."""
        if query.resource is not RECORDS or not _is_default_order(query):
            return None
        first: int | None = None
        last: int | None = None
        terms = []
        for condition in query.conditions:
            if condition.operator is Operator.NE:
                return None
            if condition.field.name == "recordDate" and isinstance(condition.operand, Span):
                bounds = condition.bounds()
                if bounds is None:
                    return RecordsByDateQuery(empty=True)
                low, high = bounds
                if high < MAX_UNITS:
                    first = -high if first is None else max(first, -high)
                if low > -MAX_UNITS:
                    last = -low if last is None else min(last, -low)
            elif (term := search_term_of(condition)) is not None:
                terms.append(term)
            else:
                return None
        return RecordsByDateQuery(first, last, tuple(terms))

    def values(self, user_id: int, limit: int, offset: int) -> dict[str, Any]:
        """Return the values of the query's parameters."""
        return {
            "user": user_id,
            "first": self.first,
            "last": self.last,
            "limit": limit,
            "offset": offset,
            **values_by_name([text for term in self.terms for text in term.texts]),
        }

    def sql_at(self, offset: int) -> tuple[Any, ...]:
        """Return the function that selects the list from this offset on, and its arguments."""
        bounds = self.first is not None, self.last is not None
        if self.terms:
            return matches, tuple([term.shape for term in self.terms]), *bounds
        return _far_page if offset >= ANCHOR_INTERVAL else _page, *bounds


def _is_default_order(query: Query) -> bool:
    if len(query.sort) != 1:
        return False
    key = query.sort[0]
    return key.descending and key.equals is None and key.field.name == "recordDate"


def page_by_date(
    connection: ReadConnection, user_id: int, query: RecordsByDateQuery, limit: int, offset: int
) -> tuple[DataState, bytes]:
    """Return the JSON of ``limit`` records from ``offset`` on, and their state. Raises NotFound."""
    if query.empty:
        return get_data_state(connection, user_id), b""
    values = query.values(user_id, limit, offset)
    return fetch_lines(connection, *query.sql_at(offset), values=values)


def stream_by_date(
    connection: ReadConnection, user_id: int, query: RecordsByDateQuery
) -> Iterator[bytes]:
    """Yield the JSON of all records of the list, some at a time."""
    if query.empty:
        return iter(())
    build, *shape = query.sql_at(0)
    return connection.stream(build, *shape, values=query.values(user_id, NO_LIMIT, 0))


def _page(database: str, has_first: bool, has_last: bool) -> Select[Any]:
    rows = select(_RECORDS.json).where(*within_bounds(has_first, has_last))
    return rows.order_by(_RECORDS.newest_first, _RECORDS.id).limit(LIMIT).offset(OFFSET)


def _far_page(database: str, has_first: bool, has_last: bool) -> Select[Any]:
    """Select a page far down the list, reading from the anchor above it."""
    # Positions count from the end of the list.
    if has_first:
        place = select((_size_below_bound() - 1 - OFFSET).label("position")).cte("place")
        (position,) = _values(place, "position")
    else:
        size = select(users.c.record_count).where(users.c.id == USER).scalar_subquery()
        position = size - 1 - OFFSET
    above = (position + (ANCHOR_INTERVAL - 1)) // ANCHOR_INTERVAL * ANCHOR_INTERVAL
    # Past the end of the list there is no anchor.
    anchor = [
        select(column).where(_ANCHORS.user_id == USER, _ANCHORS.position == above).scalar_subquery()
        for column in (_ANCHORS.newest_first, _ANCHORS.id)
    ]
    # The anchor is within the upper bound, and SQLite would begin at the first condition it finds.
    rows = select(_RECORDS.json).where(
        *within_bounds(False, has_last),
        tuple_(_RECORDS.newest_first, _RECORDS.id) >= tuple_(*anchor),
    )
    order = _RECORDS.newest_first, _RECORDS.id
    return rows.order_by(*order).limit(LIMIT).offset(above - position)


def _values(row: CTE, *names: str) -> list[ColumnElement[Any]]:
    """Return columns of a table of at most one row as values; NULL if it has none."""
    return [select(row.c[name]).scalar_subquery() for name in names]


def _size_below_bound() -> ColumnElement[int]:
    """The number of records from the upper bound on: to the next anchor, and from there on."""
    bound = (
        select(_ANCHORS.position, _ANCHORS.newest_first, _ANCHORS.id)
        .where(_ANCHORS.user_id == USER, _ANCHORS.newest_first >= FIRST)
        .order_by(_ANCHORS.position.desc())
        .limit(literal_column("1"))
        .cte("bound")
    )
    position, newest_first, row_id = _values(bound, "position", "newest_first", "id")
    newest_first = func.coalesce(newest_first, literal_column(str(MAX_UNITS)))
    between = (
        select(func.count())
        .select_from(records_by_date)
        .where(
            *within_bounds(True, False),
            # Both: with the second alone SQLite uses only one end of the range in the index.
            _RECORDS.newest_first <= newest_first,
            tuple_(_RECORDS.newest_first, _RECORDS.id)
            < tuple_(newest_first, func.coalesce(row_id, literal_column("''"))),
        )
        .scalar_subquery()
    )
    return func.coalesce(position + 1, literal_column("0")) + between
