"""The internal surface's form of data: transactions (records) and documents of other types."""

import json
from collections.abc import Set
from functools import cache
from typing import Any

import orjson

from finance_api.resources.field import Field, Resource, names_of
from finance_api.resources.naming import is_camel_case, snake_case
from finance_api.resources.records import RECORDS, VOID
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row
from finance_api.values.time import instant_text


@cache
def _encoder_of(resource: Resource) -> RowEncoder:
    fields = [f for f in resource.listed_fields if f.name != "id"]
    return RowEncoder(fields, keys=[snake_case(name) for name in names_of(fields)])


def document(resource: Resource, row: Row) -> dict[str, Any]:
    """Return the document of a row, for orjson.

    row: for an open-ended type, all that is stored of it; for others, its listed fields.
    """
    data = _encoder_of(resource).document(row)
    if resource.open_ended:
        data |= _extra_members(row["extra"], data.keys())
    return {"id": row["id"], "reserved_model_type": resource.model_type, "data": data}


def _extra_members(text: str | None, declared: Set[str]) -> dict[str, Any]:
    """Return the undeclared members that an import brought, with numbers as stored.

    Writes a top-level key in snake_case, like the declared members, unless that key is taken.
    """
    if text is None:
        return {}
    given = json.loads(text, parse_float=orjson.Fragment, parse_int=orjson.Fragment)
    taken = declared | given.keys()
    members = {}
    for key, value in given.items():
        if key in declared:
            continue
        name = snake_case(key) if is_camel_case(key) else key
        if name in taken:
            name = key
        taken.add(name)
        members[name] = value
    return members


#: Maps the names of a transaction's members to those of a record, in the transaction's order.
_NAMES = {
    "id": "id",
    "note": "note",
    "payee": "payee",
    "amount": "amount",
    "currency": "currencyCode",
    "record_date": "recordDate",
    "category": "category",
    "record_state": "recordState",
}


TRANSACTION_FIELDS: dict[str, Field] = {key: RECORDS[name] for key, name in _NAMES.items()}

_transaction_encoder = RowEncoder(
    tuple(TRANSACTION_FIELDS.values()),
    {"recordDate": instant_text},
    keys=tuple(TRANSACTION_FIELDS),
)


def transaction(record: Row) -> dict[str, object]:
    """Return the document of a record, for orjson; its state is either void or active."""
    document = _transaction_encoder.document(record)
    document["record_state"] = VOID if record["recordState"] == VOID else "active"
    return document
