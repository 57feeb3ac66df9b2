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


class TestPlainSqlite(StorageConformance):
    """Without the read model."""

    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("sqlite", read_model=False)


@pytest.fixture(scope="module")
def new_postgresql_backend(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[bool], SqlBackend]]:
    """Yield a function that returns one of two backends, with the read model or without, emptied.

    They serve all tests, because making a database takes longer than most tests.
    """
    made: dict[bool, SqlBackend] = {}

    def make(read_model: bool) -> SqlBackend:
        if read_model not in made:
            url = new_settings("postgresql")["sqlalchemy.url"]
            made[read_model] = SqlBackend(url, read_model=read_model)
            made[read_model].upgrade()
        with made[read_model].engine.begin() as connection:
            for table in reversed(metadata.sorted_tables):
                if table is not projection_version:
                    connection.execute(delete(table))
        return made[read_model]

    yield make
    for backend in made.values():
        backend.close()


class TestPostgresql(StorageConformance):
    @pytest.fixture
    def backend(self, new_postgresql_backend):
        return new_postgresql_backend(True)


class TestPlainPostgresql(StorageConformance):
    """Without the read model."""

    @pytest.fixture
    def backend(self, new_postgresql_backend):
        return new_postgresql_backend(False)
