"""Reads rows: lists as stored JSON, and whole rows for CSV, computed fields, imports and dumps.

If a resource has no computed fields, its rows are also stored as the JSON objects of responses.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import DataReader, DataState, JsonPage, Page
from finance_api.storage.sql.bulk import json_elements, looked_up
from finance_api.storage.sql.connections.unit import STATE_OF_USER, Part, ReadConnection
from finance_api.storage.sql.data_tables import DATA_TABLES, ConditionTable, has_long_payee
from finance_api.storage.sql.parameters import IDS, LIMIT, NO_LIMIT, OFFSET, USER, text_parameter
from finance_api.storage.sql.reading import by_date
from finance_api.storage.sql.reading.by_date import bounds_of, check_whole, listed_json
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    order_keys,
    ordering,
    shape_and_values,
    user_rows,
)
from finance_api.storage.sql.reading.finding import with_found_ids
from finance_api.storage.sql.reading.sums import group_column
from finance_api.storage.sql.tables import ANCHOR_INTERVAL, records_by_date, user_data
from finance_api.values import Row


def _by_payee(keys: tuple[OrderKey, ...], fields: tuple[str, ...]) -> sa.CTE:
    """Select the first records of the user in order of payee, up to the end of the page.

    PostgreSQL's index leaves out long payees, and always has missing payees at the same end. So
    three parts are read in order, each up to the end of the page.
    """
    table = DATA_TABLES[RECORDS.name]
    payee, plain_keys = table.columns["payee"], [replace(key, nullable=False) for key in keys]
    names = dict.fromkeys((*fields, *[key.field for key in keys]))
    rows = sa.select(*[table.columns[name].label(name) for name in names])
    order = ordering("postgresql", table, plain_keys, ())
    rows = rows.where(table.user_id == USER).order_by(*order).limit(LIMIT + OFFSET)
    is_long, is_missing = has_long_payee(payee), payee.is_(None)
    parts = [(~is_long, ~is_missing), (is_long,), (~is_long, is_missing)]
    read = [rows.where(*which).subquery() for which in parts]
    return sa.union_all(*[sa.select(part) for part in read]).cte("by_payee")


def _chosen(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    *fields: str,
) -> sa.Select[Any]:
    """Select these fields of a page's rows, in order."""
    table: ConditionTable = DATA_TABLES[resource]
    clauses = user_rows(database, table, predicates)
    is_by_payee = resource == RECORDS.name and bool(keys) and keys[0].field == "payee"
    if database == "postgresql" and not predicates and is_by_payee:
        columns = {column.name: column for column in _by_payee(keys, fields).c}
        table, clauses = ConditionTable(table.user_id, columns, {}, table.lists), []
    rows = sa.select(*[table.columns[name] for name in fields]).where(*clauses)
    order = ordering(database, table, keys, predicates)
    return rows.order_by(*order).limit(LIMIT).offset(OFFSET)


def _json_page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> sa.Select[Any]:
    """Select a page of a resource.

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
    chosen = _chosen(database, resource, predicates, keys, *fields).subquery("chosen")
    return sa.select(listed_json(database, chosen, *chosen.c)).select_from(chosen)


def row_count(database: str, resource: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    """Count the rows that match the conditions."""
    table = DATA_TABLES[resource]
    rows = sa.select(sa.func.count()).select_from(table.table)
    return rows.where(*user_rows(database, table, predicates))


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


def _is_newest_first(query: Query) -> bool:
    """Whether the query asks for records in their default order."""
    if query.resource is not RECORDS or len(query.sort) != 1:
        return False
    key = query.sort[0]
    return key.descending and key.equals is None and key.field.name == "recordDate"


#: For a first page in default order, PostgreSQL looks up at most this many records by their ids. If
#: a search finds more, reading the newest records soon fills the page.
_MANY = 1_000


def _searched(connection: ReadConnection, user_id: int, query: Query) -> Query:
    """Return the query, restricted to the ids that its search finds; see `with_found_ids`."""
    if query.resource is not RECORDS:
        return query
    # In default order, a search ends with the page if no total is needed.
    is_needed = query.with_total or not _is_newest_first(query)
    found = with_found_ids(connection, user_id, query.conditions, is_needed=is_needed)
    if found is query.conditions:
        return query
    ids = connection.found_ids.get((user_id, query.conditions)) or ()
    if len(ids) > _MANY and connection.database == "postgresql":
        is_first_page = not query.offset and _is_newest_first(query)
        if is_first_page:
            return query
    return replace(query, conditions=found)


def _list_of(query: Query) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the function that selects a list, its arguments, and the values of the filters."""
    found: tuple[tuple[Any, ...], dict[str, Any]] | None = query.derived.get(_list_of)
    if found is None:
        listed = bounds_of(query.conditions) if _is_newest_first(query) else None
        if listed is None:
            predicates, values = shape_and_values(query.conditions)
            keys = order_keys(query.sort)
            found = (_json_page, query.resource.name, predicates, keys), values
        else:
            is_far = query.offset >= ANCHOR_INTERVAL
            found = (by_date.far_page if is_far else by_date.page, *listed[0]), listed[1]
        query.derived[_list_of] = found
    return found


def total_of(connection: ReadConnection, user_id: int, query: Query, rows: int) -> int | None:
    """Return the number of rows of the whole list, or None if the query does not ask for it.

    rows: the number of rows read for the page, including a row beyond it if there is one.
    """
    if not query.with_total:
        return None
    if rows <= query.limit and (rows or not query.offset):
        # This page is the last one, so its rows give the total.
        return query.offset + rows
    return count_rows(connection, user_id, query)


def count_rows(connection: ReadConnection, user_id: int, query: Query) -> int:
    """Return the number of rows of the whole list."""
    ids = connection.found_ids.get((user_id, query.conditions))
    if ids is not None:
        return len(ids)
    predicates, values = shape_and_values(query.conditions)
    shape: tuple[Any, ...] = (row_count, query.resource.name, predicates)
    if query.resource is RECORDS and not query.conditions and not connection.writes:
        shape = (_record_count,)
    return int(connection.fetch(*shape, values={**values, "user": user_id})[0][0])


_AFTER_ID = text_parameter("after_id")
_SOURCE = text_parameter("source")
#: Operators whose values an index can look up.
_LOOKED_UP = ("eq", "in", "in_json")


def _looks_up(predicates: tuple[Predicate, ...], *fields: str) -> bool:
    return any(p.field in fields and p.operator in _LOOKED_UP for p in predicates)


def _page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> sa.Select[Any]:
    table = DATA_TABLES[resource]
    rows = sa.select(*table.listed).where(*user_rows(database, table, predicates))
    order = ordering(database, table, keys, predicates)
    return rows.order_by(*order).limit(LIMIT).offset(OFFSET)


def _listed(database: str) -> sa.Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    rows = sa.select(*table.listed).where(table.user_id == USER)
    return looked_up(database, rows, table.columns["id"])


def _rows_by_key(database: str, resource: str, key: str) -> sa.Select[Any]:
    """Select rows by ids or source ids, each looked up in the key's index."""
    table = DATA_TABLES[resource]
    restriction = [table.user_id == USER]
    if key == "sourceId":
        restriction.append(table.columns["source"] == _SOURCE)
    return looked_up(database, sa.select(*table.persisted).where(*restriction), table.columns[key])


def _transfers(database: str) -> sa.Select[Any]:
    """Select the first two records of each transfer in IDS."""
    table = DATA_TABLES[RECORDS.name]
    record_id, transfer_id = table.columns["id"], table.columns["transferId"]
    ids = sa.select(json_elements(database, IDS).c.value)
    # Number the records. With a LIMIT for each transfer instead, both databases may read all the
    # user's records in the order of their ids.
    number = sa.func.row_number().over(partition_by=transfer_id, order_by=record_id).label("number")
    numbered = sa.select(record_id, number).where(table.user_id == USER, transfer_id.in_(ids))
    found = numbered.subquery("numbered").c
    first = sa.select(found.id).where(found.number <= sa.literal_column("2"))
    return sa.select(*table.persisted).where(table.user_id == USER, record_id.in_(first))


def _record_times(database: str) -> sa.Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    account, created, updated = (table.columns[n] for n in ("accountId", "createdAt", "updatedAt"))
    found = sa.select(account, sa.func.min(created), sa.func.max(created), sa.func.max(updated))
    void = group_column(database, "isVoid")
    return found.where(table.user_id == USER, ~void).group_by(account)


def _scan(database: str, resource: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    table = DATA_TABLES[resource]
    row_id: sa.ColumnElement[str] = table.columns["id"]
    if database == "sqlite" and _looks_up(predicates, "splitId", "transferId"):
        # Few records have these fields. The next line keeps SQLite from reading all records.
        row_id = row_id.concat(sa.literal_column("''"))
    rows = sa.select(*table.persisted).where(*user_rows(database, table, predicates))
    return rows.where(row_id > _AFTER_ID).order_by(row_id).limit(LIMIT)


class RowReader(Part, DataReader):
    """Reads pages, streams and single rows as JSON, and whole rows."""

    def get_state(self, user_id: int) -> DataState:
        self.connection.begin_snapshot()
        found = self.connection.fetch(STATE_OF_USER, values={"user": user_id})
        if not found:
            raise NotFound("there is no such user")
        return DataState(*found[0])

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        if DATA_TABLES[query.resource.name].revision is None:
            return super().list_json(user_id, query)
        if query.with_total:
            self.connection.begin_snapshot()
        searched_query = _searched(self.connection, user_id, query)
        shape, values = _list_of(searched_query)
        values = {**values, "user": user_id, "limit": query.limit + 1, "offset": query.offset}
        state, lines = self.connection.fetch_lines(*shape, values=values)
        check_whole(lines)
        # Count line ends by removing them: 3 µs for a page of 70 kB, where `count` takes 17.
        rows = len(lines) - len(lines.replace(b"\n", b"")) + 1 if lines else 0
        has_more = rows > query.limit
        total = total_of(self.connection, user_id, query, rows)
        return JsonPage(state, lines[: lines.rfind(b"\n")] if has_more else lines, has_more, total)

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        shape, values = _list_of(replace(query, offset=0))
        values = {**values, "user": user_id, "limit": NO_LIMIT, "offset": 0}
        return map(check_whole, self.connection.stream(*shape, values=values))

    def count_rows(self, user_id: int, query: Query) -> int:
        self.connection.begin_snapshot()
        return count_rows(self.connection, user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        if DATA_TABLES[resource.name].revision is None:
            return super().get_json(user_id, resource, ids)
        values = {"user": user_id, "ids": json.dumps(list(ids))}
        state, lines = self.connection.fetch_lines(_json_by_id, resource.name, values=values)
        return state, lines.split(b"\n") if ids else []

    def list_rows(self, user_id: int, query: Query) -> Page:
        self.connection.begin_snapshot()
        searched_query = _searched(self.connection, user_id, query)
        predicates, values = shape_and_values(searched_query.conditions)
        values |= {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
        shape = query.resource.name, predicates, order_keys(query.sort)
        load = DATA_TABLES[query.resource.name].load_listed
        # The index of these fields lacks ids, so SQLite would read the whole index by date.
        is_looked_up = _looks_up(predicates, "splitId", "transferId")
        if query.resource is RECORDS and not is_looked_up:
            # First select only the ids of the page's records: indexes have no whole rows.
            ids = [i for (i,) in self.connection.fetch(_chosen, *shape, "id", values=values)]
            values = {"user": user_id, "ids": json.dumps(ids[: query.limit])}
            by_id = {row["id"]: row for row in load(self.connection.fetch(_listed, values=values))}
            rows, number = [by_id[row_id] for row_id in ids[: query.limit]], len(ids)
        else:
            found = self.connection.fetch(_page, *shape, values=values)
            rows, number = load(found[: query.limit]), len(found)
        total = total_of(self.connection, user_id, query, number)
        return Page(rows, number > query.limit, total)

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        return self._rows_by_key(user_id, resource, "id", ids)

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        return self._rows_by_key(user_id, resource, "sourceId", source_ids, source)

    def _rows_by_key(
        self, user_id: int, resource: Resource, key: str, ids: Collection[str], source: str = ""
    ) -> dict[str, Row]:
        self.connection.begin_snapshot()
        values = {"user": user_id, "ids": json.dumps(list(ids)), "source": source}
        found = self.connection.fetch(_rows_by_key, resource.name, key, values=values)
        return {row[key]: row for row in DATA_TABLES[resource.name].load_persisted(found)}

    def get_transfers(self, user_id: int, ids: Collection[str]) -> dict[str, list[Row]]:
        self.connection.begin_snapshot()
        values = {"user": user_id, "ids": json.dumps(list(ids))}
        found = self.connection.fetch(_transfers, values=values)
        transfers: dict[str, list[Row]] = {}
        rows = DATA_TABLES[RECORDS.name].load_persisted(found)
        for row in sorted(rows, key=itemgetter("id")):
            transfers.setdefault(row["transferId"], []).append(row)
        return transfers

    def record_times(self, user_id: int) -> dict[str, tuple[int, int, int]]:
        self.connection.begin_snapshot()
        found = self.connection.fetch(_record_times, values={"user": user_id})
        return {account_id: (first, last, changed) for account_id, first, last, changed in found}

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        self.connection.begin_snapshot()
        predicates, values = shape_and_values(conditions)
        values |= {"user": user_id, "after_id": after_id}
        values["limit"] = NO_LIMIT if limit is None else limit
        found = self.connection.fetch(_scan, resource.name, predicates, values=values)
        return DATA_TABLES[resource.name].load_persisted(found)
