"""Runs a search for texts only once for a page, its total and its sums."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import sqlalchemy as sa

from finance_api.query.model import Condition, Span, any_of
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.storage.sql.connections.unit import ReadConnection
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.parameters import LIMIT
from finance_api.storage.sql.reading import by_date
from finance_api.storage.sql.reading.conditions import (
    Predicate,
    searches_texts,
    shape_and_values,
    user_rows,
    values_by_name,
)
from finance_api.values.number import MAX_UNITS

#: Maximum number of records to look up by their ids.
MAX_FOUND = 10_000
#: A number in a search may be a text or an amount. Up to this many combinations of the two are
#: searched one by one.
MAX_ALTERNATIVES = 4

#: Texts to search for, and whether dates have an upper and a lower bound.
_Search = tuple[tuple[by_date.SearchTerm, ...], tuple[bool, bool]]


def searched(conditions: Sequence[Condition]) -> tuple[_Search, dict[str, Any]] | None:
    """Return the conditions as a search, and the values that it binds.

    Returns None if `records_by_date` cannot answer all conditions.
    """
    low, high = -MAX_UNITS, MAX_UNITS
    terms, texts = [], []
    for condition in conditions:
        is_dated = condition.field.name == "recordDate" and condition.operator is not Operator.NE
        if is_dated and isinstance(condition.operand, Span):
            first, last = condition.bounds() or (MAX_UNITS, -MAX_UNITS)
            low, high = max(low, first), min(high, last)
        elif (search := by_date.search_of(condition)) is not None:
            terms.append(search[0])
            texts += search[1]
        else:
            return None
    bounds = high < MAX_UNITS, low > -MAX_UNITS
    return (tuple(terms), bounds), {"first": -high, "last": -low, **values_by_name(texts)}


def with_found_ids(
    connection: ReadConnection, user_id: int, given: tuple[Condition, ...], is_needed: bool = True
) -> tuple[Condition, ...]:
    """Return a condition on the ids of the records that a search for texts finds, if they are few.

    If they are too many, returns ``given``. A search reads all texts of a user, and PostgreSQL may
    read them several times for one query. is_needed: whether to search; if not, only ids that the
    snapshot already knows are used.
    """
    if connection.writes or not given or not (is_needed or connection.found_ids):
        return given
    if not searches_texts(shape_and_values(given)[0]):
        return given
    key = user_id, given
    if is_needed and key not in connection.found_ids:
        connection.begin_snapshot()
        # A number is a text or an amount: two searches that use indexes are faster than one.
        parts = [each.parts if each.field is WORDS else (each,) for each in given]
        alternatives = (
            product(*parts) if math.prod(map(len, parts)) <= MAX_ALTERNATIVES else [given]
        )
        ids = {row_id for each in alternatives for row_id in _find(connection, user_id, each)}
        connection.found_ids[key] = list(ids) if len(ids) <= MAX_FOUND else None
    known = connection.found_ids.get(key)
    # If nothing was found, ask for the id "": SQLAlchemy drops the user from a query for no ids.
    return given if known is None else (any_of("id", known or [""]),)


def _find(connection: ReadConnection, user_id: int, conditions: tuple[Condition, ...]) -> list[str]:
    """Return the ids of up to `MAX_FOUND` + 1 records that meet all conditions."""
    predicates, values = shape_and_values(conditions)
    shape: tuple[Any, ...] = (_found, predicates)
    if (search := searched(conditions)) is not None:
        (terms, bounds), values = search
        shape = (by_date.found, terms, *bounds)
    values |= {"user": user_id, "limit": MAX_FOUND + 1}
    return [row_id for (row_id,) in connection.fetch(*shape, values=values)]


def _found(database: str, predicates: tuple[Predicate, ...]) -> sa.Select[Any]:
    table = DATA_TABLES[RECORDS.name]
    found = sa.select(table.columns["id"]).where(*user_rows(database, table, predicates))
    return found.limit(LIMIT)
