"""Records in the default order, from `records_by_date`.

A page far down the list begins at an anchor instead of at the beginning; texts are searched for in
`searching`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Select, and_, bindparam, func, select, tuple_
from sqlalchemy.sql import ColumnElement

from finance_api.query.model import Operator, Query, Span
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.projection.searching import (
    SearchTerm,
    search,
    search_term_of,
    stream_found,
)
from finance_api.storage.sql.statements import (
    FIRST,
    LIMIT,
    NO_LIMIT,
    OFFSET,
    USER,
    StatementConnection,
    by_user_and_date,
)
from finance_api.storage.sql.tables import ANCHOR_INTERVAL, record_anchors, records_by_date, users
from finance_api.values.number import MAX_UNITS

_ANCHOR: ColumnElement[int] = bindparam("anchor", type_=BigInteger())
_ANCHOR_ID: ColumnElement[str] = bindparam("anchor_id", type_=CodePointText)
_RECORDS = records_by_date.c
_ANCHORS = record_anchors.c


@dataclass(frozen=True, slots=True)
class RecordsByDateQuery:
    """A query that `records_by_date` has all fields for.

    first, last: the bounds of newest_first, where there are some. terms: texts to search for.
    empty: whether nothing can be found.
    """

    first: int | None = None
    last: int | None = None
    terms: tuple[SearchTerm, ...] = ()
    empty: bool = False

    @staticmethod
    def of(query: Query) -> "RecordsByDateQuery | None":
        """The query in these terms; None if it cannot be put so."""
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
        """The values that its statements bind."""
        return {
            "user": user_id,
            "first": self.first,
            "last": self.last,
            "limit": limit,
            "offset": offset,
        }

    @property
    def bounds(self) -> tuple[bool, bool]:
        """The shape of its bounds."""
        return self.first is not None, self.last is not None


def _is_default_order(query: Query) -> bool:
    if len(query.sort) != 1:
        return False
    key = query.sort[0]
    return key.descending and key.equals is None and key.field.name == "recordDate"


def _page(database: str, has_first: bool, has_last: bool, from_anchor: bool) -> Select[Any]:
    # The anchor lies within the upper bound: SQLite would begin at the first condition it is given.
    restriction = by_user_and_date(has_first and not from_anchor, has_last)
    if from_anchor:
        restriction.append(
            tuple_(_RECORDS.newest_first, _RECORDS.id) >= tuple_(_ANCHOR, _ANCHOR_ID)
        )
    return (
        select(_RECORDS.json)
        .where(*restriction)
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )


def _far_page(database: str, has_last: bool) -> Select[Any]:
    """A page far down the whole list, read from the anchor above it on."""
    size = select(users.c.record_count).where(users.c.id == USER).scalar_subquery()
    # Positions are counted from the end of the list.
    position = size - 1 - OFFSET
    anchor = (position + (ANCHOR_INTERVAL - 1)) // ANCHOR_INTERVAL * ANCHOR_INTERVAL
    at_anchor = and_(_ANCHORS.user_id == USER, _ANCHORS.position == anchor)
    start = [
        select(c).where(at_anchor).scalar_subquery() for c in (_ANCHORS.newest_first, _ANCHORS.id)
    ]
    return (
        select(_RECORDS.json)
        .where(
            *by_user_and_date(False, has_last),
            tuple_(_RECORDS.newest_first, _RECORDS.id) >= tuple_(*start),
        )
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(anchor - position)
    )


def page_by_date(
    connection: StatementConnection,
    user_id: int,
    query: RecordsByDateQuery,
    limit: int,
    offset: int,
) -> tuple[DataState, bytes]:
    """The JSON of ``limit`` records after the first ``offset`` of the list, and their state.

    Raises NotFound if there is no such user.
    """
    if query.empty:
        return connection.get_data_state(user_id), b""
    values = query.values(user_id, limit, offset)
    if query.terms:
        return search(connection, query.terms, query.bounds, values)
    if offset < ANCHOR_INTERVAL:
        return connection.fetch_lines(_page, *query.bounds, False, values=values)
    if query.first is None:
        return connection.fetch_lines(_far_page, query.last is not None, values=values)
    connection.begin_snapshot()
    anchor = _anchor_before(connection, values)
    if anchor is None:
        return connection.get_data_state(user_id), b""
    return connection.fetch_lines(_page, *query.bounds, True, values=values | anchor)


def stream_by_date(
    connection: StatementConnection, user_id: int, query: RecordsByDateQuery
) -> Iterator[bytes]:
    """The JSON of all records of the list, some at a time."""
    if query.empty:
        return iter(())
    values = query.values(user_id, NO_LIMIT, 0)
    if query.terms:
        return stream_found(connection, query.terms, query.bounds, values)
    return connection.stream(_page, *query.bounds, False, values=values)


def _newest_anchor_within(database: str) -> Select[Any]:
    """The anchor next below the upper bound."""
    return (
        select(_ANCHORS.position, _ANCHORS.newest_first, _ANCHORS.id)
        .where(_ANCHORS.user_id == USER, _ANCHORS.newest_first >= FIRST)
        .order_by(_ANCHORS.position.desc())
        .limit(1)
    )


def _number_before(database: str, has_anchor: bool) -> Select[Any]:
    """The number of records between the upper bound and an anchor below it."""
    restriction = by_user_and_date(True, False)
    if has_anchor:
        # Both: with the second alone SQLite uses one end of the range in the index only.
        restriction.append(_RECORDS.newest_first <= _ANCHOR)
        restriction.append(tuple_(_RECORDS.newest_first, _RECORDS.id) < tuple_(_ANCHOR, _ANCHOR_ID))
    return select(func.count()).select_from(records_by_date).where(*restriction)


def _anchor(database: str) -> Select[Any]:
    return select(_ANCHORS.newest_first, _ANCHORS.id).where(
        and_(_ANCHORS.user_id == USER, _ANCHORS.position == _ANCHOR)
    )


def _anchor_before(
    connection: StatementConnection, values: dict[str, Any]
) -> dict[str, Any] | None:
    """The values of a page that is read from the anchor above it on; None past the end."""
    size = _size_below(connection, values)
    # Positions are counted from the end of the list.
    position = size - 1 - values["offset"]
    if position < 0:
        return None
    anchor = -(-position // ANCHOR_INTERVAL) * ANCHOR_INTERVAL
    newest_first, row_id = connection.fetch(_anchor, values={**values, "anchor": anchor})[0]
    return {"anchor": newest_first, "anchor_id": row_id, "offset": anchor - position}


def _size_below(connection: StatementConnection, values: dict[str, Any]) -> int:
    """The number of records from the upper bound to the end of the list."""
    anchors = connection.fetch(_newest_anchor_within, values=values)
    if not anchors:
        return int(connection.fetch(_number_before, False, values=values)[0][0])
    position, newest_first, row_id = anchors[0]
    between = {**values, "anchor": newest_first, "anchor_id": row_id}
    return int(position) + 1 + int(connection.fetch(_number_before, True, values=between)[0][0])
