"""Rows as the JSON objects of a response: written at import, read as they are."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, func, literal_column, select

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.resources.wire import RECORD_TIME
from finance_api.storage.errors import StorageDamaged
from finance_api.storage.interface import DataState, JsonPage
from finance_api.storage.sql.clauses import (
    BindNames,
    OrderKey,
    Predicate,
    clauses,
    joined_ordering,
    json_elements,
    order_keys,
    ordering,
    shape_and_values,
)
from finance_api.storage.sql.projection.reading import (
    RecordsByDateQuery,
    page_by_date,
    stream_by_date,
)
from finance_api.storage.sql.statements import (
    IDS,
    LIMIT,
    NO_LIMIT,
    OFFSET,
    USER,
    StatementConnection,
)
from finance_api.storage.sql.tables import DATA_TABLES, records_by_date

#: From here on a page is far down its list.
FAR_OFFSET = 1_000

#: What indexes of records begin with, after the user.
_INDEXED = {"id", "recordDate", "accountId"}

#: In place of a record that is not in `records_by_date`; JSON has no control characters.
_MISSING = b"\x1f"


def _json_page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> Select[Any]:
    """A page of a resource whose own table has the JSON."""
    table = DATA_TABLES[resource]
    assert table.json is not None
    return (
        select(table.json)
        .where(table.user_id == USER, *clauses(database, table, predicates, BindNames()))
        .order_by(*ordering(table, keys))
        .limit(LIMIT)
        .offset(OFFSET)
    )


def id_page(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_far: bool,
    names: tuple[str, ...] = ("id",),
) -> Select[Any]:
    """The ids of a page: the others are sorted and skipped without their columns.

    names: of the fields that are read of it.
    """
    table = DATA_TABLES[resource]
    sorts_all = is_far and not _has_index(keys)
    order = joined_ordering if sorts_all and database == "postgresql" else ordering
    found = (
        select(*[table.columns[name] for name in names])
        .where(table.user_id == USER, *clauses(database, table, predicates, BindNames()))
        .order_by(*order(table, keys))
    )
    if sorts_all and database == "sqlite":
        # SQLite sorts a whole list in half the time that it sorts one with a limit in.
        found = select(found.cte("sorted").prefix_with("MATERIALIZED"))
    return found.limit(LIMIT).offset(OFFSET)


def _record_page(
    database: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_far: bool,
    with_time: bool,
) -> Select[Any]:
    """A page of records: chosen in their own table, and looked up in `records_by_date`."""
    names = ("id", "recordDate")
    page = id_page(database, RECORDS.name, predicates, keys, is_far, names)
    chosen = page.subquery("chosen")
    record_id, date = chosen.c
    found = records_by_date.c
    json: ColumnElement[str] = found.json
    if with_time:
        time = cast(-found.newest_first, Text)
        json = f'{{"{RECORD_TIME}":' + time + "," + func.substr(json, literal_column("2"))
    # For an equal id, SQLite looks in the index of ids.
    is_sqlite = database == "sqlite"
    is_id = found.id.between(record_id, record_id) if is_sqlite else found.id == record_id
    # A value and not a join, as in `_json_by_id`.
    row = (
        select(json)
        .where(found.user_id == USER, found.newest_first == -date, is_id)
        .correlate(chosen)
        .scalar_subquery()
    )
    return select(func.coalesce(row, _MISSING.decode())).select_from(chosen)


def _has_index(keys: tuple[OrderKey, ...]) -> bool:
    """Whether an index of records has them in this order, or nearly."""
    return not keys or (keys[0].field in _INDEXED and keys[0].equals is None)


def row_count(database: str, resource: str, predicates: tuple[Predicate, ...]) -> Select[Any]:
    """The number of rows that meet the conditions."""
    table = DATA_TABLES[resource]
    return (
        select(func.count())
        .select_from(table.table)
        .where(table.user_id == USER, *clauses(database, table, predicates, BindNames()))
    )


def _json_by_id(database: str, resource: str) -> Select[Any]:
    """The rows with some ids, in their order; empty where there is no such row."""
    columns = (records_by_date if resource == RECORDS.name else DATA_TABLES[resource].table).c
    ids = json_elements(database, IDS)
    # A value and not a join, for which PostgreSQL may read all of the user's rows.
    row = (
        select(columns.json)
        .where(columns.user_id == USER, columns.id == ids.c.value)
        .correlate(ids)
        .scalar_subquery()
    )
    found = select(func.coalesce(row, "")).select_from(ids)
    # SQLite goes through the ids as they come, which is in order, and would sort them once more.
    return found if database == "sqlite" else found.order_by(ids.c.ordinality)


def list_json(connection: StatementConnection, user_id: int, query: Query) -> JsonPage:
    """`DataReader.list_json` of a resource whose JSON is stored."""
    if query.with_total:
        connection.begin_snapshot()
    # That way has no times.
    by_date = None if query.with_time else RecordsByDateQuery.of(query)
    if by_date is not None:
        state, lines = page_by_date(connection, user_id, by_date, query.limit + 1, query.offset)
    else:
        state, lines = _page(connection, user_id, query)
    # Counted by what it takes away: 3 µs of a page of 70 kB, which `count` goes through in 17.
    rows = len(lines) - len(lines.replace(b"\n", b"")) + 1 if lines else 0
    has_more = rows > query.limit
    total = total_of(connection, user_id, query, rows)
    return JsonPage(state, lines[: lines.rfind(b"\n")] if has_more else lines, has_more, total)


def total_of(connection: StatementConnection, user_id: int, query: Query, rows: int) -> int | None:
    """The number of rows of the whole list, if it is wanted.

    rows: how many were found of the page and the one behind it.
    """
    if not query.with_total:
        return None
    if rows <= query.limit and (rows or not query.offset):
        # They are the last ones.
        return query.offset + rows
    return count_rows(connection, user_id, query)


def _page(connection: StatementConnection, user_id: int, query: Query) -> tuple[DataState, bytes]:
    predicates, values = shape_and_values(query.conditions)
    values |= {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
    shape = (query.resource.name, predicates, order_keys(query.sort))
    if query.resource is not RECORDS:
        return connection.fetch_lines(_json_page, *shape, values=values)
    options = query.offset >= FAR_OFFSET, query.with_time
    state, lines = connection.fetch_lines(_record_page, *shape[1:], *options, values=values)
    return state, _whole(lines)


def _whole(lines: bytes) -> bytes:
    """Those of `_record_page`. Raises StorageDamaged where a record is missing."""
    if _MISSING in lines:
        raise StorageDamaged("a record is not in records_by_date")
    return lines


def stream_json(connection: StatementConnection, user_id: int, query: Query) -> Iterator[bytes]:
    """`DataReader.stream_json` of a resource whose JSON is stored."""
    by_date = RecordsByDateQuery.of(query)
    if by_date is not None:
        return stream_by_date(connection, user_id, by_date)
    predicates, values = shape_and_values(query.conditions)
    values |= {"user": user_id, "limit": NO_LIMIT, "offset": 0}
    shape = (query.resource.name, predicates, order_keys(query.sort))
    if query.resource is not RECORDS:
        return connection.stream(_json_page, *shape, values=values)
    return map(_whole, connection.stream(_record_page, *shape[1:], True, False, values=values))


def count_rows(connection: StatementConnection, user_id: int, query: Query) -> int:
    """The number of rows of the whole list."""
    predicates, values = shape_and_values(query.conditions)
    values["user"] = user_id
    return int(connection.fetch(row_count, query.resource.name, predicates, values=values)[0][0])


def get_json(
    connection: StatementConnection, user_id: int, resource: Resource, ids: Sequence[str]
) -> tuple[DataState, list[bytes]]:
    """`DataReader.get_json` of a resource whose JSON is stored."""
    values = {"user": user_id, "ids": json.dumps(list(ids))}
    state, lines = connection.fetch_lines(_json_by_id, resource.name, values=values)
    return state, lines.split(b"\n") if ids else []
