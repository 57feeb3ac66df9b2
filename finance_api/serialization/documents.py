"""Transactions and documents of the internal API, with keys in snake_case."""

import json
from collections.abc import Set
from functools import cache
from typing import Any

import orjson

from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Resource, is_camel_case, names_of, snake_case
from finance_api.resources.records import VOID
from finance_api.serialization.rows import RowEncoder
from finance_api.values import Row
from finance_api.values.time import instant_text

_NAMES = "id note payee amount currencyCode recordDate category recordState".split()
#: Member of a transaction -> field of a record, in the transaction's order: ``currency``.
TRANSACTION_FIELDS: dict[str, Field] = {
    snake_case(name).removesuffix("_code"): RECORDS[name] for name in _NAMES
}

_transaction_encoder = RowEncoder(
    tuple(TRANSACTION_FIELDS.values()), {"recordDate": instant_text}, keys=tuple(TRANSACTION_FIELDS)
)


def transaction(record: Row) -> dict[str, object]:
    """Return the document of a record, for orjson; its state is either void or active."""
    members = _transaction_encoder.document(record)
    members["record_state"] = VOID if record["recordState"] == VOID else "active"
    return members


def document(resource: Resource, row: Row) -> dict[str, Any]:
    """Return the document of a row, for orjson.

    row: all stored fields if the type is open-ended; otherwise the listed fields.
    """
    data = _data_encoder(resource).document(row)
    if resource.open_ended:
        data |= _extra_members(row["extra"], data.keys())
    return {"id": row["id"], "reserved_model_type": resource.model_type, "data": data}


@cache
def _data_encoder(resource: Resource) -> RowEncoder:
    fields = [f for f in resource.listed_fields if f.name != "id"]
    return RowEncoder(fields, keys=[snake_case(name) for name in names_of(fields)])


def _extra_members(text: str | None, declared: Set[str]) -> dict[str, Any]:
    """Return the undeclared members that an import brought, with numbers as stored.

    Writes a top-level key in snake_case, like the declared members, unless that key is taken.
    """
    if text is None:
        return {}
    given = json.loads(text, parse_float=orjson.Fragment, parse_int=orjson.Fragment)
    taken = declared | given.keys()
    members = {}
    for key, member in given.items():
        if key in declared:
            continue
        name = snake_case(key) if is_camel_case(key) else key
        if name in taken:
            name = key
        taken.add(name)
        members[name] = member
    return members
