"""Rows as the JSON objects that answers hold: written at import, read as they are."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, Select, cast, func, select

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, JsonPage, Storage
from finance_api.storage.sql.clauses import (
    BindNames,
    OrderKey,
    Predicate,
    clauses,
    order_key,
    ordering,
    shape_of,
    values_by_name,
)
from finance_api.storage.sql.fetching import Fetching
from finance_api.storage.sql.parts import COUNT, IDS, SKIP, USER
from finance_api.storage.sql.projection.reading import RecordsByDateQuery, page_by_date
from finance_api.storage.sql.tables import DATA_TABLES, has_json, records_by_date

#: The elements of the list of ids, as a table.
_EACH_OF_IDS = {
    "sqlite": func.json_each(IDS).table_valued("value"),
    "postgresql": func.json_array_elements_text(cast(IDS, JSON)).table_valued(
        "value", with_ordinality="ordinality"
    ),
}


def _json_page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> Select[Any]:
    """A page of a resource whose table holds the rows."""
    table = DATA_TABLES[resource]
    assert table.json is not None
    return (
        select(table.json)
        .where(table.user_id == USER, *clauses(table, predicates, BindNames()))
        .order_by(*ordering(table, keys))
        .limit(COUNT)
        .offset(SKIP)
    )


def _id_page(
    database: str, resource: str, predicates: tuple[Predicate, ...], keys: tuple[OrderKey, ...]
) -> Select[Any]:
    """The ids of a page: what is not on it is sorted and passed over without its columns."""
    table = DATA_TABLES[resource]
    return (
        select(table.columns["id"])
        .where(table.user_id == USER, *clauses(table, predicates, BindNames()))
        .order_by(*ordering(table, keys))
        .limit(COUNT)
        .offset(SKIP)
    )


def _number(database: str, resource: str, predicates: tuple[Predicate, ...]) -> Select[Any]:
    """How many rows meet the conditions."""
    table = DATA_TABLES[resource]
    return (
        select(func.count())
        .select_from(table.table)
        .where(table.user_id == USER, *clauses(table, predicates, BindNames()))
    )


def _json_of_ids(database: str, resource: str) -> Select[Any]:
    """The rows of some ids, in their order; empty where there is no such row."""
    columns = (records_by_date if resource == RECORDS.name else DATA_TABLES[resource].table).c
    ids = _EACH_OF_IDS[database]
    # A value and not a join, for which PostgreSQL may read all of the user's rows.
    body = (
        select(columns.json)
        .where(columns.user_id == USER, columns.id == ids.c.value)
        .correlate(ids)
        .scalar_subquery()
    )
    found = select(func.coalesce(body, "")).select_from(ids)
    # SQLite goes through the ids as they come, which is in order, and would sort them once more.
    return found if database == "sqlite" else found.order_by(ids.c.ordinality)


def _conditions(user_id: int, query: Query) -> tuple[tuple[Predicate, ...], dict[str, Any]]:
    """The shape of a query's conditions, and what they bind."""
    parts = [shape_of(condition) for condition in query.conditions]
    values = values_by_name([value for _, given in parts for value in given])
    return tuple([predicate for predicate, _ in parts]), values | {"user": user_id}


class JsonRows(Fetching, Storage):
    """The part of a unit of work that reads rows as JSON objects."""

    def list_json(self, user_id: int, query: Query) -> JsonPage:
        if not has_json(query.resource):
            return super().list_json(user_id, query)
        if query.with_total:
            self.begin_snapshot()
        listed = RecordsByDateQuery.of(query)
        if listed is not None:
            state, found = page_by_date(self, user_id, listed, query.limit + 1, query.offset)
        else:
            state, found = self._page(user_id, query)
        total = self._total(user_id, query) if query.with_total else None
        has_more = found.count(b"\n") == query.limit
        return JsonPage(state, found[: found.rfind(b"\n")] if has_more else found, has_more, total)

    def _page(self, user_id: int, query: Query) -> tuple[DataState, bytes]:
        predicates, values = _conditions(user_id, query)
        values |= {"count": query.limit + 1, "skip": query.offset}
        shape = (query.resource.name, predicates, tuple([order_key(key) for key in query.sort]))
        if query.resource is not RECORDS:
            return self.fetch_lines(_json_page, *shape, values=values)
        self.begin_snapshot()
        ids = [row[0] for row in self.fetch(_id_page, *shape, values=values)]
        state, rows = self.get_json(user_id, RECORDS, ids)
        if b"" in rows:
            raise LookupError("a record is not listed")
        return state, b"\n".join(rows)

    def _total(self, user_id: int, query: Query) -> int:
        predicates, values = _conditions(user_id, query)
        return int(self.fetch(_number, query.resource.name, predicates, values=values)[0][0])

    def get_json(
        self, user_id: int, resource: Resource, ids: Sequence[str]
    ) -> tuple[DataState, list[bytes]]:
        if not has_json(resource):
            return super().get_json(user_id, resource, ids)
        values = {"user": user_id, "ids": json.dumps(list(ids))}
        state, found = self.fetch_lines(_json_of_ids, resource.name, values=values)
        return state, found.split(b"\n") if ids else []
