"""The revision: +1 for an import that changes something, +0 for any other."""

import pytest

from finance_api.importers.interface import ImportRefused
from support.ledger import account, document, ofx_file, ofx_statement, record

STATEMENT = ofx_file(ofx_statement([("20260101", "-5", "1", "Shop")], balance=("95", "20260102")))


def test_every_way_to_change_something_counts_once(person):
    steps = [
        [account()],
        [record(9)],
        [record(9, note="x")],
        [account(name="y")],
        [document("Contact", 9)],
        [document("Contact", 9, phone="1")],
        [account(archived=True, name="y"), record(9), record(10), document("Label", 1)],
    ]
    for number, rows in enumerate(steps, start=1):
        person.native(*rows)
        assert person.revision == number


def test_unchanged_refused_and_dry_imports_do_not_count(person):
    rows = [account(), record(9)]
    person.native(*rows)
    before = person.snapshot()
    person.native(*rows)
    with pytest.raises(ImportRefused):
        person.native(record(10), record(11, amount="x"))
    person.ofx(STATEMENT, dry_run=True)
    assert person.snapshot() == before


def test_time_of_the_last_change_moves_with_the_revision_only(person):
    def changed_at():
        return person.look(lambda s: s.data.get_state(person.user.id)).changed_at

    person.clock.set("2026-05-01T00:00:00Z")
    person.native(account())
    first = changed_at()
    assert first == person.clock.now()
    person.clock.set("2026-06-01T00:00:00Z")
    person.native(account())
    assert changed_at() == first
    person.native(account(name="z"))
    assert changed_at() == person.clock.now()


def test_there_and_back_in_one_file_is_no_change(person):
    person.native(account(), record(9))
    before = person.snapshot()
    times = {"updatedAt": "2026-03-18T12:00:00Z"}
    person.native(record(9, note="x", **times), record(9, **times))
    assert person.dump() == before[1]
