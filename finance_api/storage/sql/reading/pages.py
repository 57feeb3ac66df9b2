"""Lists as JSON: each row is stored as the JSON object of a response, and read as it is."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, func, select

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.interface import DataReader, DataState, JsonPage
from finance_api.storage.sql.connections.unit import Part, ReadConnection
from finance_api.storage.sql.data_tables import DATA_TABLES, has_json
from finance_api.storage.sql.parameters import IDS, LIMIT, NO_LIMIT, OFFSET, USER, json_elements
from finance_api.storage.sql.reading.by_date import RecordsByDateQuery, page_by_date, stream_by_date
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    joined_ordering,
    list_shape_and_values,
    ordering,
    shape_and_values,
    user_rows,
)
from finance_api.storage.sql.reading.state import fetch_lines, get_data_state
from finance_api.storage.sql.tables import records_by_date

#: Pages from this offset on are far down their list.
FAR_OFFSET = 1_000

#: The fields that indexes of records begin with, after the user.
_INDEXED = {"id", "recordDate", "accountId"}

#: Stands for a record that is missing in `records_by_date`; JSON has no control characters.
_MISSING = b"\x1f"


def _json_page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> Select[Any]:
    """Select a page of a resource whose own table has the JSON."""
    table = DATA_TABLES[resource]
    assert table.json is not None
    rows = select(table.json).where(*user_rows(database, table, predicates))
    return rows.order_by(*ordering(table, keys)).limit(LIMIT).offset(OFFSET)


def id_page(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_far: bool,
    names: tuple[str, ...] = ("id",),
) -> Select[Any]:
    """Select the ids of a page, so that other rows are sorted and skipped without their columns.

    names: the fields to read.
    """
    table = DATA_TABLES[resource]
    sorts_all = is_far and not _has_index(keys)
    order = joined_ordering if sorts_all and database == "postgresql" else ordering
    found = (
        select(*[table.columns[name] for name in names])
        .where(*user_rows(database, table, predicates))
        .order_by(*order(table, keys))
    )
    if sorts_all and database == "sqlite":
        # SQLite sorts a whole list in half the time that it takes with a limit.
        found = select(found.cte("sorted").prefix_with("MATERIALIZED"))
    return found.limit(LIMIT).offset(OFFSET)


def _record_page(
    database: str,
    is_far: bool,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
) -> Select[Any]:
    """Select a page of records in their own table, and look up its JSON in `records_by_date`."""
    names = ("id", "recordDate")
    page = id_page(database, RECORDS.name, predicates, keys, is_far, names)
    chosen = page.subquery("chosen")
    record_id, date = chosen.c
    found = records_by_date.c
    # With an equality SQLite would use the index of ids.
    is_sqlite = database == "sqlite"
    is_id = found.id.between(record_id, record_id) if is_sqlite else found.id == record_id
    # A scalar subquery and not a join, as in `_json_by_id`.
    row = (
        select(found.json)
        .where(found.user_id == USER, found.newest_first == -date, is_id)
        .correlate(chosen)
        .scalar_subquery()
    )
    return select(func.coalesce(row, _MISSING.decode())).select_from(chosen)


def _has_index(keys: tuple[OrderKey, ...]) -> bool:
    """Whether an index of records has this order, or nearly."""
    return not keys or (keys[0].field in _INDEXED and keys[0].equals is None)


def row_count(database: str, resource: str, predicates: tuple[Predicate, ...]) -> Select[Any]:
    """Count the rows that match the conditions."""
    table = DATA_TABLES[resource]
    rows = select(func.count()).select_from(table.table)
    return rows.where(*user_rows(database, table, predicates))


def _json_by_id(database: str, resource: str) -> Select[Any]:
    """Select the rows with some ids, in their order; empty where there is no such row."""
    columns = (records_by_date if resource == RECORDS.name else DATA_TABLES[resource].table).c
    ids = json_elements(database, IDS)
    # A scalar subquery: for a join PostgreSQL may read all of the user's rows.
    row = (
        select(columns.json)
        .where(columns.user_id == USER, columns.id == ids.c.value)
        .correlate(ids)
        .scalar_subquery()
    )
    found = select(func.coalesce(row, "")).select_from(ids)
    # SQLite reads the ids in their order, and would sort them once more.
    return found if database == "sqlite" else found.order_by(ids.c.ordinality)


class PageReader(Part, DataReader):
    """Pages, streams and single rows, as JSON."""

    def get_state(self, user_id: int) -> DataState:
        return get_data_state(self.connection, user_id)

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        if not has_json(query.resource):
            return super().list_json(user_id, query)
        if query.with_total:
            self.connection.begin_snapshot()
        by_date = RecordsByDateQuery.of(query)
        limit, offset = query.limit + 1, query.offset
        if by_date is not None:
            state, lines = page_by_date(self.connection, user_id, by_date, limit, offset)
        else:
            shape, values = list_shape_and_values(user_id, query, limit, offset)
            build, *options = _list_of(query, offset >= FAR_OFFSET)
            state, lines = fetch_lines(self.connection, build, *options, *shape, values=values)
            _check_whole(lines)
        # Count line ends by removing them: 3 µs for a page of 70 kB, where `count` takes 17.
        rows = len(lines) - len(lines.replace(b"\n", b"")) + 1 if lines else 0
        has_more = rows > query.limit
        total = total_of(self.connection, user_id, query, rows)
        return JsonPage(state, lines[: lines.rfind(b"\n")] if has_more else lines, has_more, total)

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        by_date = RecordsByDateQuery.of(query)
        if by_date is not None:
            return stream_by_date(self.connection, user_id, by_date)
        shape, values = list_shape_and_values(user_id, query, NO_LIMIT, 0)
        build, *options = _list_of(query, True)
        return map(_check_whole, self.connection.stream(build, *options, *shape, values=values))

    def count_rows(self, user_id: int, query: Query) -> int:
        self.connection.begin_snapshot()
        return count_rows(self.connection, user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        if not has_json(resource):
            return super().get_json(user_id, resource, ids)
        values = {"user": user_id, "ids": json.dumps(list(ids))}
        state, lines = fetch_lines(self.connection, _json_by_id, resource.name, values=values)
        return state, lines.split(b"\n") if ids else []


def _list_of(query: Query, is_far: bool) -> tuple[Any, ...]:
    """Return the function that selects a list, and the first of its arguments."""
    if query.resource is RECORDS:
        return _record_page, is_far
    return _json_page, query.resource.name


def _check_whole(lines: bytes) -> bytes:
    """Return the lines. Raises StorageDamaged if a record is missing among them."""
    if _MISSING in lines:
        raise StorageDamaged("a record is not in records_by_date")
    return lines


def total_of(connection: ReadConnection, user_id: int, query: Query, rows: int) -> int | None:
    """Return the number of rows of the whole list, if the query wants it.

    rows: the number found on the page, counting one row beyond it.
    """
    if not query.with_total:
        return None
    if rows <= query.limit and (rows or not query.offset):
        # The page ends the list.
        return query.offset + rows
    return count_rows(connection, user_id, query)


def count_rows(connection: ReadConnection, user_id: int, query: Query) -> int:
    """Return the number of rows of the whole list."""
    predicates, values = shape_and_values(query.conditions)
    values["user"] = user_id
    return int(connection.fetch(row_count, query.resource.name, predicates, values=values)[0][0])
