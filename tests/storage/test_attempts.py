"""A database that is away is not asked by everybody."""

import threading

import pytest

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.sql import attempts as module
from finance_api.storage.sql.attempts import Attempts
from finance_api.storage.sql.readers import Readers


class Away:
    """An engine whose database does not answer until ``error`` is None."""

    def __init__(self, engine):
        self.engine = engine
        self.dialect = engine.dialect
        self.error = StorageUnavailable("away")
        self.asked = 0

    def connect(self):
        self.asked += 1
        if self.error:
            raise self.error
        return self.engine.connect()

    def dispose(self):
        self.engine.dispose()


@pytest.fixture
def away(new_backend):
    return Away(new_backend("sqlite").readers.engine)


@pytest.fixture
def readers(away):
    made = Readers(away, 2, 5, Attempts())
    yield made
    made.close()


def test_after_a_failure_nobody_asks_for_a_while(readers, away, monkeypatch):
    for _ in range(5):
        with pytest.raises(StorageUnavailable):
            readers.take()
    assert away.asked == 1
    monkeypatch.setattr(module, "_REST_SECONDS", 0)
    away.error = None
    # All places are free again.
    taken = [readers.take() for _ in range(2)]
    assert away.asked == 3
    for reader in taken:
        readers.give_back(reader)
    readers.give_back(readers.take())
    assert away.asked == 3


def test_one_thread_at_a_time_tries_again(monkeypatch):
    monkeypatch.setattr(module, "_REST_SECONDS", 0)
    attempts = Attempts()
    inside, go_on = threading.Event(), threading.Event()

    def fail():
        raise StorageUnavailable("away")

    def wait():
        inside.set()
        assert go_on.wait(10)
        return "there"

    with pytest.raises(StorageUnavailable):
        attempts.make(fail)
    found = []
    prober = threading.Thread(target=lambda: found.append(attempts.make(wait)))
    prober.start()
    assert inside.wait(10)
    with pytest.raises(StorageUnavailable, match="does not answer"):
        attempts.make(lambda: found.append("asked"))
    go_on.set()
    prober.join(10)
    assert found == ["there"]
    assert attempts.make(lambda: "again") == "again"
