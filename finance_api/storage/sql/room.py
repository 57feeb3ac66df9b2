"""The plain room: data is read and written in the tables of the resources alone."""

import sqlalchemy as sa

from finance_api.storage.sql.connections.unit import ReadConnection, WriteConnection
from finance_api.storage.sql.reading import SqlDataReader
from finance_api.storage.sql.writing import SqlDataWriter


class Room:
    """What units of work are made of. reader, writer: the parts for users' data."""

    reader: type[SqlDataReader] = SqlDataReader
    writer: type[SqlDataWriter] = SqlDataWriter

    def reading(self, engine: sa.Engine) -> ReadConnection:
        """Return a connection for a unit of work that reads."""
        return ReadConnection(engine)

    def writing(self, connection: sa.Connection) -> WriteConnection:
        """Return a connection for a unit of work that writes."""
        return WriteConnection(connection)
