"""The plain room: data is read and written in the tables of the resources alone."""

from collections.abc import Iterator

import sqlalchemy as sa

from finance_api.storage.interface import Fault
from finance_api.storage.sql.connections.unit import ReadConnection, WriteConnection
from finance_api.storage.sql.derived import VERSION
from finance_api.storage.sql.reading import SqlDataReader
from finance_api.storage.sql.writing import SqlDataWriter


class Room:
    """What units of work are made of, and what is derived from the rows.

    reader, writer: the parts for users' data. tables: the tables that can be rebuilt from others.
    version: of the derived data, as it is written here. A database has the version of the room that
    wrote its derived data, so the other room refuses it until `schema.upgrade` has rebuilt that.
    """

    reader: type[SqlDataReader] = SqlDataReader
    writer: type[SqlDataWriter] = SqlDataWriter
    tables: tuple[sa.Table, ...] = ()
    version = VERSION

    def reading(self, engine: sa.Engine) -> ReadConnection:
        """Return a connection for a unit of work that reads."""
        return ReadConnection(engine)

    def writing(self, connection: sa.Connection) -> WriteConnection:
        """Return a connection for a unit of work that writes."""
        return WriteConnection(connection)

    def rebuild(self, connection: sa.Connection, user_id: int) -> None:
        """Rebuild all data derived from a user's rows, in a transaction that writes."""
        self.writer(self.writing(connection)).rebuild(user_id)

    def find_faults(self, connection: sa.Connection, user_id: int, email: str) -> Iterator[Fault]:
        """Yield the faults of derived data that only this room has."""
        yield from ()
