"""The test suite of every storage: `StorageConformance`.

An implementation outside this project tests itself against the contract by inheriting it::

    class TestMine(StorageConformance):
        @pytest.fixture
        def backend(self):
            return MyBackend()

``backend`` is ready for use and empty. Needs pytest.
"""

from finance_api.storage.testing.changes import ChangesConformance
from finance_api.storage.testing.history import HistoryConformance
from finance_api.storage.testing.json_rows import JsonRowsConformance
from finance_api.storage.testing.owned import OwnedConformance
from finance_api.storage.testing.queries import QueriesConformance
from finance_api.storage.testing.rows import RowsConformance
from finance_api.storage.testing.searching import SearchingConformance
from finance_api.storage.testing.units import Unit, make_id, make_row
from finance_api.storage.testing.users import UsersConformance

__all__ = ["StorageConformance", "Unit", "make_id", "make_row"]


class StorageConformance(
    UsersConformance,
    OwnedConformance,
    RowsConformance,
    ChangesConformance,
    HistoryConformance,
    QueriesConformance,
    JsonRowsConformance,
    SearchingConformance,
):
    """Contains all tests. An implementation must not override or skip any."""
