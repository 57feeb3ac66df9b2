"""What the conditions of a request mean on a day, with the user's categories and accounts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from finance_api.planning.answers import Reading
from finance_api.planning.categories import with_subcategories
from finance_api.planning.counted import counted_only, with_flow
from finance_api.query.model import Query
from finance_api.resources.records import FLOW

#: The parameters that add conditions, besides ``flow``.
WITH_SUBCATEGORIES = "withSubcategories"
COUNTED = "counted"


def resolved(query: Query, values: Mapping[str, Any], reading: Reading) -> Query:
    """Return the query with relative days, subcategories, ``flow`` and ``counted`` resolved."""
    if query.is_relative:
        query = query.on(reading.today)
    storage, user_id, conditions = reading.storage, reading.user_id, query.conditions
    if values.get(WITH_SUBCATEGORIES):
        conditions = with_subcategories(storage, user_id, query.resource, conditions)
    if values.get(FLOW.name):
        conditions = with_flow(storage, user_id, values[FLOW.name], conditions)
    if values.get(COUNTED):
        conditions = counted_only(storage, user_id, conditions)
    return query if conditions is query.conditions else replace(query, conditions=conditions)
