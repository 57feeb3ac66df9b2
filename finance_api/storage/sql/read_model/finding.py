"""Runs a search only once for a page, its total and its sums: for texts, or an import's records.

A search reads all of the user's records. An index over the texts of all users would find rare texts
faster, but its speed would reveal how common a text is among other users' records.
"""

from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, any_of
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.reading.conditions import (
    Predicate,
    searches_texts,
    shape_and_values,
    user_rows,
)

#: Maximum number of records to look up by their ids.
MAX_FOUND = 10_000


def with_found_ids(
    connection: FastConnection, user_id: int, given: tuple[Condition, ...], is_needed: bool = True
) -> tuple[Condition, ...]:
    """Return a condition on the ids of the records that a search finds, if they are few.

    If they are too many, returns ``given``. A search reads all records of a user, and PostgreSQL
    may read them several times for one query. It also searches for the records that do not meet all
    of some conditions: SQLite reads them only once. is_needed: whether to search; if not, only ids
    that the snapshot already knows are used.
    """
    if connection.writes or not given or not (is_needed or connection.found_ids):
        return given
    predicates, values = shape_and_values(given, user=user_id, limit=MAX_FOUND + 1)
    is_rest = given[-1].operator is Operator.NOT_ALL
    is_slow = searches_texts(predicates) or Predicate("importId", "eq") in predicates
    if not (connection.database == "postgresql" if is_rest else is_slow):
        return given
    key = user_id, given
    if is_needed and key not in connection.found_ids:
        ids = [row_id for (row_id,) in connection.read(_found, predicates, values=values)]
        connection.found_ids[key] = ids if len(ids) <= MAX_FOUND else None
    known = connection.found_ids.get(key)
    # If nothing was found, ask for the id "": SQLAlchemy drops the user from a query for no ids.
    return given if known is None else (any_of("id", known or [""]),)


def _found(database: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    """Select the ids of up to LIMIT records that meet all conditions."""
    table = DATA_TABLES[RECORDS.name]
    found = sa.select(table.columns["id"]).where(*user_rows(database, table, predicates))
    return found.limit(LIMIT)
