"""The read model: everything that exists for speed, behind `ReadModel`.

docs/decisions/fast-reads.md says what each part buys.

What it keeps: `records_by_date` (the list of records in its order, as JSON), `record_anchors`
(every 256th record of that list) and `record_sums` (sums of each month). `writer` changes them with
each change, in its transaction, through `projection`; `rebuilding` rebuilds them from the rows, if
their version is not this program's or if they are damaged. `lists`, `sums` and `changes` read them;
`finding` runs a search only once; `connection` runs SQL on the drivers themselves.
"""

import sqlalchemy as sa

from finance_api.storage.sql.connections.drivers import SqlCache
from finance_api.storage.sql.connections.unit import ReadConnection, WriteConnection
from finance_api.storage.sql.read_model.connection import FastConnection, FastWriteConnection
from finance_api.storage.sql.read_model.reader import FastDataReader
from finance_api.storage.sql.read_model.writer import FastDataWriter
from finance_api.storage.sql.room import Room


class ReadModel(Room):
    """The room in which reads are fast. dialect: of the database."""

    reader = FastDataReader
    writer = FastDataWriter

    def __init__(self, dialect: sa.Dialect) -> None:
        self._cache = SqlCache(dialect)

    def reading(self, engine: sa.Engine) -> ReadConnection:
        return FastConnection(engine, self._cache)

    def writing(self, connection: sa.Connection) -> WriteConnection:
        return FastWriteConnection(connection, self._cache)
