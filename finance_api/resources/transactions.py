"""Transactions: what the internal surface calls records, and how it writes them."""

from finance_api.resources.field import Field
from finance_api.resources.records import RECORDS, VOID
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row
from finance_api.values.time import instant_text

#: Name in a transaction -> name in a record, in the transaction's order.
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

_encoder = RowEncoder(
    tuple(TRANSACTION_FIELDS.values()),
    {"recordDate": instant_text},
    keys=tuple(TRANSACTION_FIELDS),
)


def transaction(record: Row) -> dict[str, object]:
    """The document of a record, for orjson; its state is void or active."""
    document = _encoder.document(record)
    document["record_state"] = VOID if record["recordState"] == VOID else "active"
    return document
