"""Rows as the JSON objects of a response: written at import, read as they are."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, func, select

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
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
) -> Select[Any]:
    """The ids of a page: the others are sorted and skipped without their columns."""
    table = DATA_TABLES[resource]
    sorts_all = is_far and not _has_index(keys)
    order = joined_ordering if sorts_all and database == "postgresql" else ordering
    found = (
        select(table.columns["id"])
        .where(table.user_id == USER, *clauses(database, table, predicates, BindNames()))
        .order_by(*order(table, keys))
    )
    if sorts_all and database == "sqlite":
        # SQLite sorts a whole list in half the time that it sorts one with a limit in.
        found = select(found.cte("sorted").prefix_with("MATERIALIZED").c.id)
    return found.limit(LIMIT).offset(OFFSET)


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
    by_date = RecordsByDateQuery.of(query)
    if by_date is not None:
        state, lines = page_by_date(connection, user_id, by_date, query.limit + 1, query.offset)
    else:
        state, lines = _page(connection, user_id, query)
    total = count_rows(connection, user_id, query) if query.with_total else None
    has_more = lines.count(b"\n") == query.limit
    return JsonPage(state, lines[: lines.rfind(b"\n")] if has_more else lines, has_more, total)


def _page(connection: StatementConnection, user_id: int, query: Query) -> tuple[DataState, bytes]:
    predicates, values = shape_and_values(query.conditions)
    values |= {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
    shape = (query.resource.name, predicates, order_keys(query.sort))
    if query.resource is not RECORDS:
        return connection.fetch_lines(_json_page, *shape, values=values)
    connection.begin_snapshot()
    found = connection.fetch(id_page, *shape, query.offset >= FAR_OFFSET, values=values)
    return _records(connection, user_id, [row[0] for row in found])


def _records(
    connection: StatementConnection, user_id: int, ids: Sequence[str]
) -> tuple[DataState, bytes]:
    state, rows = get_json(connection, user_id, RECORDS, ids)
    if b"" in rows:
        raise StorageDamaged("a record is not in records_by_date")
    return state, b"\n".join(rows)


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
    found = connection.stream(id_page, *shape, True, values=values)
    return (_records(connection, user_id, ids.decode().split("\n"))[1] for ids in found)


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
