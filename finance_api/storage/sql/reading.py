"""Reading data: every statement here is bound to the user."""

import json
from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, literal_column, select, true

from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import (
    ChangeKey,
    Changes,
    DataReader,
    DataState,
    JsonPage,
    Page,
    RecordSum,
)
from finance_api.storage.sql import changes, json_rows, sums
from finance_api.storage.sql.clauses import (
    BindNames,
    OrderKey,
    Predicate,
    clauses,
    json_elements,
    order_keys,
    ordering,
    shape_and_values,
)
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.statements import IDS, LIMIT, OFFSET, USER, Part
from finance_api.storage.sql.tables import DATA_TABLES, has_json
from finance_api.values import Row

_AFTER_ID: ColumnElement[str] = bindparam("after_id", type_=CodePointText)
_SOURCE: ColumnElement[str] = bindparam("source", type_=CodePointText)


def _page(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    is_far: bool,
) -> Select[Any]:
    table = DATA_TABLES[resource]
    page = select(*table.listed).where(table.user_id == USER).order_by(*ordering(table, keys))
    if is_far:
        # The rows are chosen first, and then read.
        chosen = json_rows.id_page(database, resource, predicates, keys, is_far).subquery("chosen")
        return page.where(table.columns["id"].in_(select(chosen.c.id)))
    found = page.where(*clauses(database, table, predicates, BindNames()))
    return found.limit(LIMIT).offset(OFFSET)


def _rows_by_key(database: str, resource: str, key: str) -> Select[Any]:
    """The rows with some ids or source ids: a look-up in the key's index for each of them."""
    table = DATA_TABLES[resource]
    restriction = [table.user_id == USER]
    if key == "sourceId":
        restriction.append(table.columns["source"] == _SOURCE)
    column, ids = table.columns[key], json_elements(database, IDS)
    found = select(*table.persisted).where(*restriction)
    if database == "sqlite":
        return found.where(column.in_(select(ids.c.value)))
    # Written as a loop. PostgreSQL knows nothing yet of rows that this transaction has written,
    # takes them for few, and would read all of them for each IN.
    one = found.where(column == ids.c.value).limit(literal_column("1")).lateral()
    return select(one).select_from(ids.join(one, true()))


def _transfers(database: str) -> Select[Any]:
    """The two first records of some transfers."""
    table = DATA_TABLES[RECORDS.name]
    record_id, transfer_id = table.columns["id"], table.columns["transferId"]
    ids = select(json_elements(database, IDS).c.value)
    # By number, and not the first two of each: for those both databases may go through all records
    # in the order of their ids.
    number = func.row_number().over(partition_by=transfer_id, order_by=record_id).label("number")
    numbered = select(record_id, number).where(table.user_id == USER, transfer_id.in_(ids))
    found = numbered.subquery("numbered").c
    first = select(found.id).where(found.number <= literal_column("2"))
    return select(*table.persisted).where(table.user_id == USER, record_id.in_(first))


def _record_times(database: str) -> Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    account, created, updated = (table.columns[n] for n in ("accountId", "createdAt", "updatedAt"))
    found = select(account, func.min(created), func.max(created), func.max(updated))
    void = sums.group_column(database, "isVoid")
    return found.where(table.user_id == USER, ~void).group_by(account)


def _scan(
    database: str, resource: str, predicates: tuple[Predicate, ...], has_limit: bool
) -> Select[Any]:
    table = DATA_TABLES[resource]
    found = (
        select(*table.persisted)
        .where(
            table.user_id == USER,
            *clauses(database, table, predicates, BindNames()),
            table.columns["id"] > _AFTER_ID,
        )
        .order_by(table.columns["id"])
    )
    return found.limit(LIMIT) if has_limit else found


class SqlDataReader(Part, DataReader):
    #: Whether the stored sums are those of the records.
    has_stored_sums = True

    def get_state(self, user_id: int) -> DataState:
        return self.connection.get_data_state(user_id)

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        if has_json(query.resource):
            return json_rows.list_json(self.connection, user_id, query)
        return super().list_json(user_id, query)

    def count_rows(self, user_id: int, query: Query) -> int:
        self.connection.begin_snapshot()
        return json_rows.count_rows(self.connection, user_id, query)

    def stream_json(self, user_id: int, query: Query) -> Iterator[bytes]:
        return json_rows.stream_json(self.connection, user_id, query)

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        if has_json(resource):
            return json_rows.get_json(self.connection, user_id, resource, ids)
        return super().get_json(user_id, resource, ids)

    def list_rows(self, user_id: int, query: Query) -> Page:
        self.connection.begin_snapshot()
        predicates, values = shape_and_values(query.conditions)
        values |= {"user": user_id, "limit": query.limit + 1, "offset": query.offset}
        shape = (query.resource.name, predicates, order_keys(query.sort))
        found = self.connection.fetch(
            _page, *shape, query.offset >= json_rows.FAR_OFFSET, values=values
        )
        total = json_rows.total_of(self.connection, user_id, query, len(found))
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
        values |= {"user": user_id, "after_id": after_id, "limit": limit}
        shape = (resource.name, predicates, limit is not None)
        found = self.connection.fetch(_scan, *shape, values=values)
        return DATA_TABLES[resource.name].load_persisted(found)

    def list_changes(
        self,
        user_id: int,
        resources: Sequence[Resource],
        *,
        rows_after: ChangeKey,
        deletions_after: ChangeKey,
        limit: int,
        revisions: Collection[int] = (),
    ) -> Changes:
        return changes.list_changes(
            self.connection, user_id, resources, rows_after, deletions_after, limit, revisions
        )

    def has_sums(self, names: Sequence[str], conditions: Sequence[Condition]) -> bool:
        return self.has_stored_sums and sums.are_stored(names, conditions)

    def sum_by(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
        most: int | None = None,
    ) -> dict[tuple[Any, ...], RecordSum]:
        return sums.sum_by(
            self.connection,
            user_id,
            tuple(names),
            conditions,
            with_void=with_void,
            use_stored=self.has_stored_sums,
            most=most,
        )

    def list_amounts(
        self,
        user_id: int,
        names: Sequence[str],
        conditions: Sequence[Condition],
        *,
        with_void: bool = False,
    ) -> list[tuple[Any, ...]]:
        return sums.list_amounts(
            self.connection, user_id, tuple(names), conditions, with_void=with_void
        )
