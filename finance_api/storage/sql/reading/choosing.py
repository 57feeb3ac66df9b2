"""Which rows are on a page: SQL that selects them in order, and counts all in the same scan."""

from dataclasses import replace
from typing import Any

from sqlalchemy import CTE, ColumnElement, ScalarSelect, Select, func, select, union_all

from finance_api.query.model import Query
from finance_api.resources import RECORDS
from finance_api.storage.sql.connections.unit import ReadConnection
from finance_api.storage.sql.data_tables import DATA_TABLES, ConditionTable, has_long_payee
from finance_api.storage.sql.parameters import LIMIT, OFFSET, USER
from finance_api.storage.sql.reading.conditions import (
    OrderKey,
    Predicate,
    ordering,
    searches_texts,
    shape_and_values,
    user_rows,
)


def counts_in_scan(connection: ReadConnection, query: Query) -> bool:
    """Whether one query selects the page and counts all rows, so that texts are searched once.

    SQLite reads a small index with the texts, and is fast enough with two queries.
    """
    if not query.with_total or connection.database != "postgresql":
        return False
    return query.resource is RECORDS and searches_texts(shape_and_values(query.conditions)[0])


def chosen_rows(
    database: str,
    resource: str,
    predicates: tuple[Predicate, ...],
    keys: tuple[OrderKey, ...],
    fields: tuple[str, ...],
    *,
    counted: bool,
) -> tuple[Select[Any], ScalarSelect[int] | None]:
    """Return the SELECT of a page's rows with these fields, and the number of all if counted."""
    table: ConditionTable = DATA_TABLES[resource]
    clauses = user_rows(database, table, predicates)
    number = None
    if counted:
        names = dict.fromkeys((*fields, *[key.field for key in keys]))
        columns = [table.columns[name].label(name) for name in names]
        found = select(*columns).where(*clauses).cte("found")
        table, clauses, number = _with_columns(table, found), [], number_of(found)
    elif database == "postgresql" and not predicates and _is_by_payee(resource, keys):
        table, clauses = _with_columns(table, _by_payee(keys, fields)), []
    rows = select(*[table.columns[name] for name in fields]).where(*clauses)
    order = ordering(database, table, keys, predicates)
    return rows.order_by(*order).limit(LIMIT).offset(OFFSET), number


def number_of(found: CTE) -> ScalarSelect[int]:
    """Count the rows. PostgreSQL computes ``found`` only once, though it is read twice."""
    return select(func.count()).select_from(found).scalar_subquery()


def _is_by_payee(resource: str, keys: tuple[OrderKey, ...]) -> bool:
    return resource == RECORDS.name and bool(keys) and keys[0].field == "payee"


def _by_payee(keys: tuple[OrderKey, ...], fields: tuple[str, ...]) -> CTE:
    """Select the first records of the user in order of payee, up to the end of the page.

    PostgreSQL's index leaves out long payees, and always has missing ones at the same end. So three
    parts are read in order, each up to the end of the page.
    """
    table = DATA_TABLES[RECORDS.name]
    payee, plain_keys = table.columns["payee"], [replace(key, nullable=False) for key in keys]
    names = dict.fromkeys((*fields, *[key.field for key in keys]))
    rows = select(*[table.columns[name].label(name) for name in names])
    order = ordering("postgresql", table, plain_keys, ())
    rows = rows.where(table.user_id == USER).order_by(*order).limit(LIMIT + OFFSET)
    is_long, is_missing = has_long_payee(payee), payee.is_(None)
    parts = [(~is_long, ~is_missing), (is_long,), (~is_long, is_missing)]
    read = [rows.where(*which).subquery() for which in parts]
    return union_all(*[select(part) for part in read]).cte("by_payee")


def _with_columns(table: ConditionTable, rows: CTE) -> ConditionTable:
    columns: dict[str, ColumnElement[Any]] = {column.name: column for column in rows.c}
    return ConditionTable(table.user_id, columns, {}, table.lists)
