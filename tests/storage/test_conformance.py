"""Every storage of this project passes the shared tests."""

import pytest

from finance_api.storage.testing import StorageConformance


class TestMemory(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return new_backend("memory")


class TestSqlite(StorageConformance):
    @pytest.fixture
    def backend(self, emptied):
        return emptied("sqlite")


class TestPlainSqlite(StorageConformance):
    """Without the read model."""

    @pytest.fixture
    def backend(self, emptied):
        return emptied("sqlite", read_model=False)


class TestPostgresql(StorageConformance):
    @pytest.fixture
    def backend(self, emptied):
        return emptied("postgresql")


class TestPlainPostgresql(StorageConformance):
    """Without the read model."""

    @pytest.fixture
    def backend(self, emptied):
        return emptied("postgresql", read_model=False)
