"""Reads lists as the JSON that the read model has ready, and remembers what searches find."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Query, SortKey, Span
from finance_api.query.operators import RANGES
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, JsonPage, Page
from finance_api.storage.sql.bulk import json_elements
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import IDS, LIMIT, NO_LIMIT, OFFSET, USER
from finance_api.storage.sql.read_model import by_date
from finance_api.storage.sql.read_model.by_date import check_whole, listed_json
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.read_model.finding import MAX_FOUND, with_found_ids
from finance_api.storage.sql.read_model.tables import ANCHOR_INTERVAL, records_by_date
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    order_keys,
    ordering,
    shape_and_values,
    user_rows,
)
from finance_api.storage.sql.reading.rows import RowReader, chosen
from finance_api.storage.sql.tables import user_data
from finance_api.values.number import MAX_UNITS

#: The default order of records.
_NEWEST_FIRST = (SortKey(RECORDS["recordDate"], descending=True),)


def _json_page(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_near: bool,
) -> sa.Select[Any]:
    """Select a page of a resource. is_near: see `chosen`.

    The JSON of records is in `records_by_date`, and is looked up only for the records on the page.
    """
    table = DATA_TABLES[resource]
    if table.json is not None:
        rows = sa.select(table.json).where(*user_rows(database, table, predicates))
        order = ordering(database, table, keys, predicates)
        return rows.order_by(*order).limit(LIMIT).offset(OFFSET)
    # In order of date, a page's records are together in the list, and an index has the dates.
    is_dated = bool(keys) and keys[0].field == "recordDate"
    fields = ("id", "recordDate") if is_dated else ("id",)
    page = chosen(database, resource, predicates, keys, is_near, *fields).subquery("chosen")
    return sa.select(listed_json(database, page, *page.c)).select_from(page)


def _record_count(database: str) -> sa.Select[Any]:
    """Select the number of all records, which every change updates at its end."""
    return sa.select(user_data.c.record_count).where(user_data.c.user_id == USER)


def _json_by_id(database: str, resource: str) -> sa.Select[Any]:
    """Select the rows with IDS, in that order; an empty text for an id that has no row."""
    json = DATA_TABLES[resource].json
    columns = (records_by_date if json is None else json.table).c
    ids = json_elements(database, IDS)
    # Use a scalar subquery: for a join PostgreSQL may read all of the user's rows.
    row = (
        sa.select(columns.json)
        .where(columns.user_id == USER, columns.id == ids.c.value)
        .correlate(ids)
        .scalar_subquery()
    )
    found = sa.select(sa.func.coalesce(row, "")).select_from(ids)
    # SQLite reads the ids in order already, and would sort them again.
    return found if database == "sqlite" else found.order_by(ids.c.ordinality)


def _sample(database: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    """Select which part of the records that meet all other conditions meets the last one, too.

    Only the newest ones are read, up to LIMIT, and on SQLite only their entries in an index.
    """
    records = DATA_TABLES[RECORDS.name]
    *clauses, last = user_rows(database, records, predicates)
    rows = sa.select(last.label("is_met")).where(*clauses).limit(LIMIT)
    newest = rows.order_by(records.columns["recordDate"].desc(), records.columns["id"]).subquery()
    return sa.select(sa.func.avg(newest.c.is_met))


def _dates(query: Query) -> tuple[int, int] | None:
    """Return the lowest and the highest date of records in their default order.

    None if the query has another order, or other conditions.
    """
    if query.resource is not RECORDS or query.sort != _NEWEST_FIRST:
        return None
    low, high = -MAX_UNITS, MAX_UNITS
    for each in query.conditions:
        is_range = each.operator in RANGES and isinstance(each.operand, Span)
        if each.field.name != "recordDate" or not is_range:
            return None
        first, last = each.bounds() or (MAX_UNITS, -MAX_UNITS)
        low, high = max(low, first), min(high, last)
    return low, high


def _searched(connection: FastConnection, user_id: int, query: Query) -> Query:
    """Return the query, restricted to the ids that its search finds; see `with_found_ids`."""
    if query.resource is not RECORDS:
        return query
    # If no total is needed, a search ends with the page.
    found = with_found_ids(connection, user_id, query.conditions, query.with_total)
    return query if found is query.conditions else replace(query, conditions=found)


def _list_of(query: Query, is_near: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the function that selects a list, its arguments, and the values of the filters.

    is_near: see `chosen`.
    """
    dates = _dates(query)
    if dates is None:
        predicates, values = shape_and_values(query.conditions)
        keys = order_keys(query.sort)
        return (_json_page, query.resource.name, predicates, keys, is_near), values
    low, high = dates
    # Anchors count from the end of the whole list, so they do not serve a list with a last date.
    is_far = query.offset >= ANCHOR_INTERVAL and high == MAX_UNITS
    return (by_date.far_page if is_far else by_date.page,), {"first": -high, "last": -low}


class ListReader(RowReader):
    """Reads pages, streams and single rows as JSON."""

    connection: FastConnection

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        if DATA_TABLES[query.resource.name].revision is None:
            return super().list_json(user_id, query)
        if query.resource is RECORDS:
            self.connection.check_numbers(user_id)
        if query.with_total:
            self.connection.begin_snapshot()
        searched_query = _searched(self.connection, user_id, query)
        shape, values = _list_of(searched_query, self.finds_many(user_id, searched_query))
        values = {**values, "user": user_id, "limit": query.limit + 1, "offset": query.offset}
        state, lines = self.connection.fetch_lines(*shape, values=values)
        check_whole(lines)
        # Count line ends by removing them: 3 µs for a page of 70 kB, where `count` takes 17.
        rows = len(lines) - len(lines.replace(b"\n", b"")) + 1 if lines else 0
        has_more = rows > query.limit
        total = self.total(user_id, query, rows)
        return JsonPage(state, lines[: lines.rfind(b"\n")] if has_more else lines, has_more, total)

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        if query.resource is RECORDS:
            self.connection.check_numbers(user_id)
        shape, values = _list_of(replace(query, offset=0), False)
        values = {**values, "user": user_id, "limit": NO_LIMIT, "offset": 0}
        return map(check_whole, self.connection.stream(*shape, values=values))

    def finds_many(self, user_id: int, query: Query) -> bool:
        known = self.connection.found_ids
        # Mostly there are none, and hashing conditions takes time.
        return bool(known) and known.get((user_id, query.conditions), ()) is None

    def count_rows(self, user_id: int, query: Query) -> int:
        ids = self.connection.found_ids.get((user_id, query.conditions))
        if ids is not None:
            return len(ids)
        if query.resource is not RECORDS or query.conditions or self.connection.writes:
            return super().count_rows(user_id, query)
        self.connection.check_numbers(user_id)
        return int(self.connection.read(_record_count, values={"user": user_id})[0][0])

    def has_few_others(
        self, user_id: int, conditions: tuple[Condition, ...], others: tuple[Condition, ...]
    ) -> bool:
        search = partial(with_found_ids, self.connection, user_id)
        if search(conditions) is not conditions or self.connection.database == "postgresql":
            return search(conditions) is conditions and search(others) is not others
        predicates, values = shape_and_values(others, user=user_id, limit=MAX_FOUND)
        ((part,),) = self.connection.read(_sample, predicates, values=values)
        return part is not None and bool(2 * part < 1)

    def list_rows(self, user_id: int, query: Query) -> Page:
        searched = replace(_searched(self.connection, user_id, query), with_total=False)
        page = super().list_rows(user_id, searched)
        total = self.total(user_id, query, len(page.rows) + page.has_more)
        return replace(page, total=total)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        if DATA_TABLES[resource.name].revision is None:
            return super().get_json(user_id, resource, ids)
        if resource is RECORDS:
            self.connection.check_numbers(user_id)
        values = {"user": user_id, "ids": json.dumps(list(ids))}
        state, lines = self.connection.fetch_lines(_json_by_id, resource.name, values=values)
        return state, lines.split(b"\n") if ids else []
