"""A change that is rehearsed first leaves the storage as if it had written there at once."""

import pytest

from finance_api.ledger.rehearsal import rehearse
from finance_api.storage.testing import StorageConformance


class Rehearsing:
    """A backend whose units of work write to a rehearsal, and store it before they commit."""

    def __init__(self, backend):
        self._backend = backend

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def write(self, tm, **options):
        storage = self._backend.write(tm, **options)
        rehearsal = rehearse(storage, storage.origin)
        tm.get().addBeforeCommitHook(rehearsal.prepare, (self._backend,))
        tm.get().addBeforeCommitHook(rehearsal.store, (storage,))
        return rehearsal


class TestRehearsal(StorageConformance):
    @pytest.fixture
    def backend(self, new_backend):
        return Rehearsing(new_backend("memory"))
