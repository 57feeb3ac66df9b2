"""The version of the projection, and how it is rebuilt from the rows."""

from collections.abc import Sequence

import sqlalchemy as sa

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState
from finance_api.storage.sql.connections.unit import SqlCache, WriteConnection
from finance_api.storage.sql.data_tables import JSON_TABLES, RevisionOf
from finance_api.storage.sql.tables import (
    data_states,
    projection_version,
    record_anchors,
    record_sums,
    records_by_date,
    tombstones,
    user_data,
)
from finance_api.storage.sql.writing import SqlDataWriter
from finance_api.storage.sql.writing.projection import Projection, projected

#: The version of the projection that this program uses. Raise it with every change to the fields in
#: the JSON, to how the JSON is written, or to how texts are folded.
VERSION = 10

_PAGE = 1_000


def rebuild_all(connection: sa.Connection) -> None:
    """Rebuild every user's projection, even if it is up to date, in a transaction that writes."""
    for user_id in connection.execute(sa.select(user_data.c.user_id)).scalars().all():
        rebuild(connection, user_id)
    connection.execute(sa.delete(projection_version))
    connection.execute(sa.insert(projection_version).values(version=VERSION))


class _Rebuilder(SqlDataWriter):
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
    projection = Projection(connection)
    unit = WriteConnection(connection, SqlCache(connection.dialect))
    data = _Rebuilder(unit, projection)
    for resource in (each for each in RESOURCES if each.name in JSON_TABLES):
        for page in data.scan_pages(user_id, resource, _PAGE):
            if resource is RECORDS:
                revision_of = data.revision_of(user_id, resource, ())
                records = [projected(row, revision_of) for row in page]
                projection.of(user_id).add(records, set(), revision_of)
            else:
                data.put_rows(user_id, resource, new=(), changed=page)
    projection.finish()
    # Use a new tag, because rows that clients have read may look different now.
    state = data.get_state(user_id)
    data.set_state(user_id, DataState(state.revision, state.changed_at))
