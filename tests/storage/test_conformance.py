"""Every storage of this project passes the suite."""

import pytest

from finance_api.storage.testing import StorageConformance


class TestMemory(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("memory")


class TestSqlite(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("sqlite")


class TestPostgresql(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("postgresql")
