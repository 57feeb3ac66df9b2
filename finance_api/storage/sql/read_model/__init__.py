"""The read model: everything that exists for speed, behind `ReadModel`.

docs/decisions/fast-reads.md says what each part buys.

What it keeps: `records_by_date` (the list of records in its order, as JSON), `record_anchors`
(every 256th record of that list) and `record_sums` (sums of each month). `writer` changes them with
each change, in its transaction, through `projection`. It rebuilds them from the rows, if their
version is not this program's or if `checking` finds that they are damaged. `lists`, `sums` and
`changes` read them; `finding` runs a search only once; `connection` runs SQL on the drivers
themselves: `drivers` and `libpq`.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from finance_api.resources import RECORDS
from finance_api.storage.interface import Fault
from finance_api.storage.sql import derived
from finance_api.storage.sql.connections.unit import ReadConnection, WriteConnection
from finance_api.storage.sql.read_model.checking import find_faults
from finance_api.storage.sql.read_model.connection import FastConnection, FastWriteConnection
from finance_api.storage.sql.read_model.counting import Comparisons
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.read_model.projection import SUM_KEY, listed
from finance_api.storage.sql.read_model.reader import FastDataReader
from finance_api.storage.sql.read_model.tables import GRAINS, READ_MODEL
from finance_api.storage.sql.read_model.writer import FastDataWriter
from finance_api.storage.sql.room import Room


def get_version() -> int:
    """Return the version of the read model that this program uses; see `derived`."""
    rows = derived.samples()
    records = [listed(0, "", json) for resource, _, json in rows if resource is RECORDS]
    return derived.get_version([sorted(grain) for grain in GRAINS], SUM_KEY, records)


class ReadModel(Room):
    """The room in which reads are fast. dialect: of the database."""

    reader = FastDataReader
    writer = FastDataWriter
    tables = READ_MODEL
    version = get_version()

    def __init__(self, dialect: sa.Dialect) -> None:
        self._cache = SqlCache(dialect)
        self.comparisons = Comparisons()

    def reading(self, engine: sa.Engine) -> ReadConnection:
        return FastConnection(engine, self._cache, self.comparisons)

    def writing(self, connection: sa.Connection) -> WriteConnection:
        return FastWriteConnection(connection, self._cache, self.comparisons)

    def find_faults(self, connection: sa.Connection, user_id: int, email: str) -> Iterator[Fault]:
        return find_faults(connection, user_id, email)
