"""Every storage of this project passes the shared tests."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import delete

from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.tables import metadata, projection_version
from finance_api.storage.testing import StorageConformance


class TestMemory(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("memory")


class TestSqlite(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("sqlite")


@pytest.fixture(scope="module")
def postgresql(new_settings: Callable[[str], dict[str, str]]) -> Iterator[SqlBackend]:
    """One backend for all tests, because making a database takes longer than most tests."""
    backend = SqlBackend(new_settings("postgresql")["sqlalchemy.url"])
    yield backend
    backend.close()


class TestPostgresql(StorageConformance):
    @pytest.fixture
    def backend(self, postgresql):
        with postgresql.engine.begin() as connection:
            for table in reversed(metadata.sorted_tables):
                if table is not projection_version:
                    connection.execute(delete(table))
        return postgresql
