"""Records in the order in which they are listed by default, from `listed_records`.

A page far down the list begins at a remembered place instead of at the beginning, and a text is
looked for where that costs least (`searching`).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Select, and_, bindparam, func, select, tuple_
from sqlalchemy.sql import ColumnElement

from finance_api.query.model import Operator, Query, Span
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.fetching import Fetching
from finance_api.storage.sql.parts import COUNT, FIRST, SKIP, USER, of_user
from finance_api.storage.sql.searching import SEARCHED, Needle, needle_of, search
from finance_api.storage.sql.tables import PLACE_DISTANCE, listed_records, record_places, users
from finance_api.values.number import MAX_UNITS

_PLACE: ColumnElement[int] = bindparam("place", type_=BigInteger())
_PLACE_ID: ColumnElement[str] = bindparam("place_id", type_=CodePointText)
_LISTED = listed_records.c
_PLACES = record_places.c


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query that `listed_records` can answer.

    first, last: the bounds of newest_first, where there are some. needles: texts to look for.
    empty: whether nothing can be found.
    """

    first: int | None = None
    last: int | None = None
    needles: tuple[Needle, ...] = ()
    empty: bool = False

    @staticmethod
    def of(query: Query) -> "ListedQuery | None":
        """The query in these terms; None if it asks for more than that."""
        if query.resource is not RECORDS or not _is_default_order(query):
            return None
        first: int | None = None
        last: int | None = None
        needles = []
        for condition in query.conditions:
            if condition.field.name == "recordDate" and isinstance(condition.operand, Span):
                bounds = condition.bounds()
                if bounds is None:
                    return ListedQuery(empty=True)
                low, high = bounds
                if high < MAX_UNITS:
                    first = -high if first is None else max(first, -high)
                if low > -MAX_UNITS:
                    last = -low if last is None else min(last, -low)
            elif condition.field.name in SEARCHED and condition.operator in (
                Operator.CONTAINS,
                Operator.CONTAINS_I,
            ):
                needles.append(needle_of(condition))
            else:
                return None
        return ListedQuery(first, last, tuple(needles))

    def values(self, user_id: int, count: int, skip: int) -> dict[str, Any]:
        """What its statements bind."""
        return {
            "user": user_id,
            "first": self.first,
            "last": self.last,
            "count": count,
            "skip": skip,
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


def _page(database: str, has_first: bool, has_last: bool, from_place: bool) -> Select[Any]:
    # A place lies within the upper bound: SQLite would begin at the first condition it is given.
    restriction = of_user(has_first and not from_place, has_last)
    if from_place:
        restriction.append(tuple_(_LISTED.newest_first, _LISTED.id) >= tuple_(_PLACE, _PLACE_ID))
    return (
        select(_LISTED.body)
        .where(*restriction)
        .order_by(_LISTED.newest_first, _LISTED.id)
        .limit(COUNT)
        .offset(SKIP)
    )


def _far_page(database: str, has_last: bool) -> Select[Any]:
    """A page far down the whole list: from the place next before it on."""
    size = select(users.c.record_count).where(users.c.id == USER).scalar_subquery()
    # Positions are counted from the end of the list.
    position = size - 1 - SKIP
    place = (position + (PLACE_DISTANCE - 1)) // PLACE_DISTANCE * PLACE_DISTANCE
    at_place = and_(_PLACES.user_id == USER, _PLACES.position == place)
    start = [
        select(c).where(at_place).scalar_subquery() for c in (_PLACES.newest_first, _PLACES.id)
    ]
    return (
        select(_LISTED.body)
        .where(
            *of_user(False, has_last),
            tuple_(_LISTED.newest_first, _LISTED.id) >= tuple_(*start),
        )
        .order_by(_LISTED.newest_first, _LISTED.id)
        .limit(COUNT)
        .offset(place - position)
    )


def listed_page(
    storage: Fetching, user_id: int, query: ListedQuery, count: int, skip: int
) -> tuple[DataState, bytes]:
    """The bodies of ``count`` records after the first ``skip`` of the list, and their state.

    Raises NotFound if there is no such user.
    """
    if query.empty:
        return storage.get_data_state(user_id), b""
    values = query.values(user_id, count, skip)
    if query.needles:
        return search(storage, query.needles, query.bounds, values)
    if skip < PLACE_DISTANCE:
        return storage.fetch_lines(_page, *query.bounds, False, values=values)
    if query.first is None:
        return storage.fetch_lines(_far_page, query.last is not None, values=values)
    storage.begin_snapshot()
    place = _place_before(storage, query, values)
    if place is None:
        return storage.get_data_state(user_id), b""
    return storage.fetch_lines(_page, *query.bounds, True, values=values | place)


def _newest_place_within(database: str) -> Select[Any]:
    """The place next below the upper bound."""
    return (
        select(_PLACES.position, _PLACES.newest_first, _PLACES.id)
        .where(_PLACES.user_id == USER, _PLACES.newest_first >= FIRST)
        .order_by(_PLACES.position.desc())
        .limit(1)
    )


def _number_before(database: str, has_place: bool) -> Select[Any]:
    """How many records lie between the upper bound and a place below it."""
    restriction = of_user(True, False)
    if has_place:
        # Said twice: SQLite takes one end of the range from the index where only the second is.
        restriction.append(_LISTED.newest_first <= _PLACE)
        restriction.append(tuple_(_LISTED.newest_first, _LISTED.id) < tuple_(_PLACE, _PLACE_ID))
    return select(func.count()).select_from(listed_records).where(*restriction)


def _place(database: str) -> Select[Any]:
    return select(_PLACES.newest_first, _PLACES.id).where(
        and_(_PLACES.user_id == USER, _PLACES.position == _PLACE)
    )


def _place_before(
    storage: Fetching, query: ListedQuery, values: dict[str, Any]
) -> dict[str, Any] | None:
    """What a page binds that begins at a place, not far before the page; None past the end."""
    size = _size_below(storage, query, values)
    # Positions are counted from the end of the list.
    position = size - 1 - values["skip"]
    if position < 0:
        return None
    place = -(-position // PLACE_DISTANCE) * PLACE_DISTANCE
    newest_first, row_id = storage.fetch(_place, values={**values, "place": place})[0]
    return {"place": newest_first, "place_id": row_id, "skip": place - position}


def _size_below(storage: Fetching, query: ListedQuery, values: dict[str, Any]) -> int:
    """How many records the list has from its upper bound on to the user's oldest one."""
    places = storage.fetch(_newest_place_within, values=values)
    if not places:
        return int(storage.fetch(_number_before, False, values=values)[0][0])
    position, newest_first, row_id = places[0]
    between = {**values, "place": newest_first, "place_id": row_id}
    return int(position) + 1 + int(storage.fetch(_number_before, True, values=between)[0][0])
