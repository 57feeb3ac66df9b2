"""A dump takes as long as whoever reads it: a limit on statements does not end it."""

import itertools
from types import SimpleNamespace

import pytest

from finance_api.ledger.dump import dump_lines
from finance_api.storage.sql import engine
from support.ledger import account, record


@pytest.mark.parametrize("count", [4_000])
def test_dump_to_a_slow_reader_is_whole(person, monkeypatch, count):
    person.native(account(), *(record(n) for n in range(100, 100 + count)))
    now = [1_000.0]
    monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slowly(storage):
        lines = dump_lines(storage, person.user.id)
        first = list(itertools.islice(lines, 10))
        now[0] += 3_600
        return len(first) + sum(1 for _ in lines)

    assert person.look(slowly) == count + 1
