"""The version of the derived data, and how it is rebuilt from the rows."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from finance_api.resources import PUBLIC_RESOURCES, RECORDS, RESOURCES
from finance_api.resources.field import Kind, Resource
from finance_api.serialization.rows import encoder_of
from finance_api.storage.interface import DataState
from finance_api.storage.sql.connections.drivers import SqlCache
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.connection import FastWriteConnection
from finance_api.storage.sql.read_model.projection import SUM_KEY, listed
from finance_api.storage.sql.read_model.tables import (
    GRAINS,
    projection_version,
    record_anchors,
    record_sums,
    records_by_date,
)
from finance_api.storage.sql.read_model.writer import FastDataWriter
from finance_api.storage.sql.tables import data_states, tombstones, user_data
from finance_api.storage.sql.writing.preparing import RevisionOf

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
}


def get_version() -> int:
    """Return the version of the projection that this program uses.

    It is a fingerprint of the data derived from sample rows, so it changes with the fields in the
    JSON, with how the JSON is written, and with how texts are folded.
    """
    derived: list[Any] = [[sorted(grain) for grain in GRAINS], SUM_KEY]
    for resource in PUBLIC_RESOURCES:
        fields = (*resource.persisted_fields, *resource.computed_fields)
        full = {field.name: _SAMPLES[field.kind] for field in fields}
        for row in (full, full | {field.name: None for field in fields if field.nullable}):
            json = encoder_of(resource).encode(row).decode()
            derived.append(json)
            if resource is RECORDS:
                derived += [listed(0, "", json), DATA_TABLES[resource.name].values(0, row, json)]
    return int.from_bytes(hashlib.sha256(repr(derived).encode()).digest()[:6])


VERSION = get_version()

_PAGE = 1_000


def rebuild_all(connection: sa.Connection) -> None:
    """Rebuild every user's projection, even if it is up to date, in a transaction that writes."""
    for user_id in connection.execute(sa.select(user_data.c.user_id)).scalars().all():
        rebuild(connection, user_id)
    connection.execute(sa.delete(projection_version))
    connection.execute(sa.insert(projection_version).values(version=VERSION))


class _Rebuilder(FastDataWriter):
    """A writer that gives every row the stored revision of the data."""

    def revision_of(self, user_id: int, resource: Resource, ids: Sequence[str]) -> RevisionOf:
        revision = self.get_state(user_id).revision
        return lambda row_id, json: revision


def rebuild(connection: sa.Connection, user_id: int) -> None:
    """Rebuild the projection of a user, in a transaction that writes."""
    for table in (record_anchors, records_by_date, record_sums, data_states, tombstones):
        connection.execute(sa.delete(table).where(table.c.user_id == user_id))
    own = user_data.c.user_id == user_id
    connection.execute(sa.update(user_data).where(own).values(record_count=0))
    data = _Rebuilder(FastWriteConnection(connection, SqlCache(connection.dialect)))
    for resource in RESOURCES:
        for page in data.scan_pages(user_id, resource, _PAGE):
            data.put_rows(user_id, resource, new=(), changed=page)
    data.finish()
    # Use a new tag, because rows that clients have read may look different now.
    state = data.get_state(user_id)
    data.set_state(user_id, DataState(state.revision, state.changed_at))
