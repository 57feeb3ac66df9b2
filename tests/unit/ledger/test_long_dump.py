"""A dump may take as long as its reader needs: the time limit of queries does not end it."""

from types import SimpleNamespace

import pytest

from finance_api.ledger.dump import dump
from finance_api.storage.sql.connections import engine
from support.ledger import account, record


@pytest.mark.parametrize("count", [4_000])
def test_dump_to_a_slow_reader_is_whole(person, monkeypatch, count):
    person.native(account(), *(record(n) for n in range(100, 100 + count)))
    now = [1_000.0]
    monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slowly(storage):
        pages = dump(storage, person.user.id)
        first = next(pages)
        now[0] += 3_600
        return b"".join([first, *pages]).count(b"\n")

    assert person.look(slowly) == count + 1
