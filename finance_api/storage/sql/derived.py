"""The version of the data derived from rows.

It is a fingerprint of what is derived from sample rows, so it changes with the fields in the JSON,
with how the JSON is written, and with how texts are folded.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Kind, Resource
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.values import Row

#: A value of each kind, with what JSON escapes and what is folded.
_SAMPLES: Mapping[Kind, Any] = {
    Kind.TEXT: 'Straße ÉCOLE "quoted"\\ \t%_',
    Kind.NUMBER: -12_345_600,
    Kind.DATE: 1_767_225_600,
    Kind.DATETIME: 1_767_225_661,
    Kind.ID: "00000001-0000-4000-8000-000000000000",
    Kind.SERIAL: 31,
    Kind.CHOICE: "choice",
    Kind.BOOLEAN: True,
    Kind.TEXT_LIST: ("Straße", 'a "b", c'),
    Kind.ID_LIST: ("00000001-0000-4000-8000-000000000000",),
    Kind.LIMIT_LIST: ("2026-12-01=450.5",),
}


def samples() -> Iterator[tuple[Resource, Row, str]]:
    """Yield rows of each public resource, with and without values, and their JSON."""
    for resource in PUBLIC_RESOURCES:
        fields = (*resource.persisted_fields, *resource.computed_fields)
        full = {field.name: _SAMPLES[field.kind] for field in fields}
        for row in (full, full | {field.name: None for field in fields if field.nullable}):
            yield resource, row, encoder_of(resource).encode(row).decode()


def get_version(*further: Any) -> int:
    """Return the version of the derived data. further: what else it depends on."""
    derived = [
        (json, DATA_TABLES[resource.name].values(0, row, json)) for resource, row, json in samples()
    ]
    return int.from_bytes(hashlib.sha256(repr((derived, further)).encode()).digest()[:6])


VERSION = get_version()
