"""Reads whole rows: for CSV, computed fields, imports and dumps."""

import json
from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, func, literal_column, select

from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataReader, Page
from finance_api.storage.sql.bulk import json_elements, looked_up
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.reading import pages
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    order_keys,
    ordering,
    shape_and_values,
    user_rows,
)
from finance_api.storage.sql.reading.sums import group_column
from finance_api.storage.sql.tables import IDS, LIMIT, NO_LIMIT, OFFSET, USER, text_parameter
from finance_api.values import Row

_AFTER_ID = text_parameter("after_id")
_SOURCE = text_parameter("source")
#: Operators for which an index looks values up.
_LOOKED_UP = ("eq", "in", "in_json")


def _page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> Select[Any]:
    """Select a page of a resource. Records are chosen by their ids: indexes have no whole rows."""
    table = DATA_TABLES[resource]
    order = ordering(database, table, keys, predicates)
    found = user_rows(database, table, predicates)
    # The index of transfers lacks ids: SQLite would rather read the whole index by date.
    is_of_transfers = any(p.field == "transferId" and p.operator in _LOOKED_UP for p in predicates)
    if resource != RECORDS.name or is_of_transfers:
        return select(*table.listed).where(*found).order_by(*order).limit(LIMIT).offset(OFFSET)
    chosen = select(table.columns["id"]).where(*found).order_by(*order).limit(LIMIT).offset(OFFSET)
    is_chosen = table.columns["id"].in_(select(chosen.subquery("chosen").c.id))
    return select(*table.listed).where(table.user_id == USER, is_chosen).order_by(*order)


def _rows_by_key(database: str, resource: str, key: str) -> Select[Any]:
    """Select rows by ids or source ids; looks up each one in the key's index."""
    table = DATA_TABLES[resource]
    restriction = [table.user_id == USER]
    if key == "sourceId":
        restriction.append(table.columns["source"] == _SOURCE)
    return looked_up(database, select(*table.persisted).where(*restriction), table.columns[key])


def _transfers(database: str) -> Select[Any]:
    """Select the first two records of each of some transfers."""
    table = DATA_TABLES[RECORDS.name]
    record_id, transfer_id = table.columns["id"], table.columns["transferId"]
    ids = select(json_elements(database, IDS).c.value)
    # Number the records: with a limit for each transfer, both databases may read all records in
    # the order of their ids.
    number = func.row_number().over(partition_by=transfer_id, order_by=record_id).label("number")
    numbered = select(record_id, number).where(table.user_id == USER, transfer_id.in_(ids))
    found = numbered.subquery("numbered").c
    first = select(found.id).where(found.number <= literal_column("2"))
    return select(*table.persisted).where(table.user_id == USER, record_id.in_(first))


def _record_times(database: str) -> Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    account, created, updated = (table.columns[n] for n in ("accountId", "createdAt", "updatedAt"))
    found = select(account, func.min(created), func.max(created), func.max(updated))
    void = group_column(database, "isVoid")
    return found.where(table.user_id == USER, ~void).group_by(account)


def _scan(database: str, resource: str, predicates: tuple[Predicate, ...]) -> Select[Any]:
    table = DATA_TABLES[resource]
    row_id = table.columns["id"]
    return (
        select(*table.persisted)
        .where(*user_rows(database, table, predicates), row_id > _AFTER_ID)
        .order_by(row_id)
        .limit(LIMIT)
    )


class RowReader(Part, DataReader):
    def list_rows(self, user_id: int, query: Query) -> Page:
        self.connection.begin_snapshot()
        predicates, values = shape_and_values(query.conditions)
        values |= {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
        shape = query.resource.name, predicates, order_keys(query.sort)
        found = self.connection.fetch(_page, *shape, values=values)
        total = pages.total_of(self.connection, user_id, query, len(found))
        rows = DATA_TABLES[query.resource.name].load_listed(found[: query.limit])
        return Page(rows, len(found) > query.limit, total)

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
