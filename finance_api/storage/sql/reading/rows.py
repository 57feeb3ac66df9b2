"""Reads rows from the tables of the resources: lists, and whole rows for imports and dumps."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource, names_of
from finance_api.serialization.rows import encoder_of
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import DataReader, DataState, Page
from finance_api.storage.sql.bulk import looked_up
from finance_api.storage.sql.connections.unit import STATE_OF_USER, Part
from finance_api.storage.sql.data_tables import DATA_TABLES, ConditionTable, has_long_payee
from finance_api.storage.sql.parameters import LIMIT, NO_LIMIT, OFFSET, USER, text_parameter
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    order_keys,
    ordering,
    searches_texts,
    shape_and_values,
    user_rows,
)
from finance_api.storage.sql.reading.sums import group_column
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


def chosen(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_near: bool,
    *fields: str,
) -> sa.Select[Any]:
    """Select these fields of a page's rows, in order.

    is_near: whether so many records match a search that the page is near in that order.
    """
    table: ConditionTable = DATA_TABLES[resource]
    clauses = user_rows(database, table, predicates)
    is_by_payee = resource == RECORDS.name and bool(keys) and keys[0].field == "payee"
    if database == "postgresql" and not predicates and is_by_payee:
        columns = {column.name: column for column in _by_payee(keys, fields).c}
        table, clauses = ConditionTable(table.user_id, columns, {}, table.lists), []
    is_by_date = bool(keys) and keys[0].field == "recordDate"
    if database == "sqlite" and searches_texts(predicates) and not is_by_date:
        # Search in the index of texts, so that another index can have the order. If a page is near,
        # search only in the texts of the records before it. The subquery has a table of its own.
        searched, table = table, table.alias()
        found = sa.select(searched.columns["id"]).where(*clauses).correlate(table.user_id.table)
        if is_near:
            found = found.where(searched.columns["id"] == table.columns["id"])
        clauses, predicates = [table.user_id == USER, table.columns["id"].in_(found)], ()
    rows = sa.select(*[table.columns[name] for name in fields]).where(*clauses)
    order = ordering(database, table, keys, predicates)
    return rows.order_by(*order).limit(LIMIT).offset(OFFSET)


def _row_count(database: str, resource: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    """Count the rows that match the conditions."""
    table = DATA_TABLES[resource]
    rows = sa.select(sa.func.count()).select_from(table.table)
    return rows.where(*user_rows(database, table, predicates))


_AFTER_ID = text_parameter("after_id")
_SOURCE = text_parameter("source")
#: Operators whose values an index can look up.
_LOOKED_UP = ("eq", "in", "in_json")


def _looks_up(predicates: tuple[Predicate, ...], *fields: str) -> bool:
    return any(p.field in fields and p.operator in _LOOKED_UP for p in predicates)


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


def _record_times(database: str) -> sa.Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    account, created, updated = (table.columns[n] for n in ("accountId", "createdAt", "updatedAt"))
    found = sa.select(account, sa.func.min(created), sa.func.max(created), sa.func.max(updated))
    void = group_column(database, "isVoid")
    return found.where(table.user_id == USER, ~void).group_by(account)


def _scan(database: str, resource: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    table = DATA_TABLES[resource]
    where = user_rows(database, table, predicates)
    row_id: sa.ColumnElement[str] = table.columns["id"]
    rows = sa.select(*table.persisted)
    # Compared in this form, ids do not make databases read all records in their order.
    unordered = row_id.concat(sa.literal_column("''"))
    if _looks_up(predicates, "importId"):
        # An index has the ids of an import's records, so only the rows of this page are read.
        ids = sa.select(row_id).where(*where, unordered > _AFTER_ID)
        page = row_id.in_(ids.order_by(unordered).limit(LIMIT))
        return rows.where(table.user_id == USER, page).order_by(row_id)
    if _looks_up(predicates, "splitId", "transferId"):
        # Few records have these fields.
        row_id = unordered
    return rows.where(*where, row_id > _AFTER_ID).order_by(row_id).limit(LIMIT)


class RowReader(Part, DataReader):
    """Reads pages, streams and single rows as JSON, and whole rows."""

    def get_state(self, user_id: int) -> DataState:
        found = self.connection.read(STATE_OF_USER, values={"user": user_id})
        if not found:
            raise NotFound("there is no such user")
        return DataState(*found[0])

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        bound = {"user": user_id, "limit": NO_LIMIT, "offset": 0}
        predicates, values = shape_and_values(query.conditions, **bound)
        shape = query.resource.name, predicates, order_keys(query.sort)
        names = names_of(query.resource.listed_fields)
        load, encoder = DATA_TABLES[query.resource.name].load_listed, encoder_of(query.resource)
        for found in self.connection.stream_rows(chosen, *shape, False, *names, values=values):
            yield encoder.lines(load(found))

    def count_rows(self, user_id: int, query: Query) -> int:
        predicates, values = shape_and_values(query.conditions, user=user_id)
        found = self.connection.read(_row_count, query.resource.name, predicates, values=values)
        return int(found[0][0])

    def total(self, user_id: int, query: Query, rows: int) -> int | None:
        """Return the number of rows of the whole list, or None if the query does not ask for it.

        rows: the number of rows read for the page, including a row beyond it if there is one.
        """
        if not query.with_total:
            return None
        if rows <= query.limit and (rows or not query.offset):
            # This page is the last one, so its rows give the total.
            return query.offset + rows
        return self.count_rows(user_id, query)

    def finds_many(self, user_id: int, query: Query) -> bool:
        """Whether a search of the query is known to find many records."""
        return False

    def list_rows(self, user_id: int, query: Query) -> Page:
        bound = {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
        predicates, values = shape_and_values(query.conditions, **bound)
        keys = order_keys(query.sort)
        shape = query.resource.name, predicates, keys, self.finds_many(user_id, query)
        load = DATA_TABLES[query.resource.name].load_listed
        # The index of these fields lacks ids, so SQLite would read the whole index by date.
        if query.resource is RECORDS and not _looks_up(predicates, "splitId", "transferId"):
            # First select only the ids of the page's records: indexes have no whole rows.
            ids = [i for (i,) in self.connection.read(chosen, *shape, "id", values=values)]
            values = {"user": user_id, "ids": json.dumps(ids[: query.limit])}
            by_id = {row["id"]: row for row in load(self.connection.read(_listed, values=values))}
            rows, number = [by_id[row_id] for row_id in ids[: query.limit]], len(ids)
        else:
            names = names_of(query.resource.listed_fields)
            found = self.connection.read(chosen, *shape, *names, values=values)
            rows, number = load(found[: query.limit]), len(found)
        return Page(rows, number > query.limit, self.total(user_id, query, number))

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        return self._rows_by_key(user_id, resource, "id", ids)

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        return self._rows_by_key(user_id, resource, "sourceId", source_ids, source)

    def _rows_by_key(
        self, user_id: int, resource: Resource, key: str, ids: Collection[str], source: str = ""
    ) -> dict[str, Row]:
        values = {"user": user_id, "ids": json.dumps(list(ids)), "source": source}
        found = self.connection.read(_rows_by_key, resource.name, key, values=values)
        return {row[key]: row for row in DATA_TABLES[resource.name].load_persisted(found)}

    def record_times(self, user_id: int) -> dict[str, tuple[int, int, int]]:
        found = self.connection.read(_record_times, values={"user": user_id})
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
        most = NO_LIMIT if limit is None else limit
        bound = {"user": user_id, "after_id": after_id, "limit": most}
        predicates, values = shape_and_values(conditions, **bound)
        found = self.connection.read(_scan, resource.name, predicates, values=values)
        return DATA_TABLES[resource.name].load_persisted(found)
