"""The proposed pairs equal those found by a search of all records, after any imports and edits."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api import resources
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.duplicates import keep_both, void_earlier, void_later
from finance_api.ledger.edits.records import change_records, remove_records, void_duplicates
from finance_api.ledger.edits.transfer_pairs import find_pairs
from finance_api.ledger.matching.duplicates import find_duplicates
from finance_api.storage.interface import Proposed
from finance_api.values.time import date_text, parse_date
from support.edits import edited
from support.ledger import Person, account, an_id, record
from support.nightly import count

_FIRST = parse_date("2025-12-20")
_DAY = 86_400


def rename(session, ids):
    change_records(session, ids, {"payee": "Kiosk"})


#: Records, each as its account, day and amount.
RECORDS = st.tuples(st.integers(0, 2), st.integers(0, 50), st.sampled_from([-7, -5, 5, 7]))
#: Files, each with a step after its import: none, or a record is removed, voided or renamed.
STEPS = st.lists(
    st.tuples(
        st.lists(RECORDS, min_size=1, max_size=6),
        st.sampled_from([None, remove_records, void_duplicates, rename]),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=4,
)
_ACCOUNTS = [account(900 + n) for n in range(3)]


def _record(number, place, day, amount):
    return record(
        number,
        accountId=an_id(900 + place),
        amount=amount,
        recordDate=date_text(_FIRST + day * _DAY),
    )


def of_kind(person, kind):
    number = person.look(lambda s: s.ledger.count_proposals(person.user.id, kind))
    found = person.look(lambda s: s.ledger.list_proposals(person.user.id, kind, limit=1_000))
    assert len(found) == number
    return found


def waiting(person):
    return sorted(pair for kind in Proposed for pair in of_kind(person, kind))


def in_all_records(person):
    with changing(person.backend, person.user.email, 0, action="x", dry_run=True) as session:
        doubled = find_duplicates(session.storage, person.user.id)
        return sorted([*find_pairs(session), *doubled])


def test_pairs_that_wait_are_those_of_all_records(backends):
    @settings(max_examples=count(15, 200), deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def check(steps):
        person = Person(backends("memory"))
        person.native(*_ACCOUNTS)
        number = 0
        for records, after, which in steps:
            rows = [_record(number + n, *each) for n, each in enumerate(records)]
            number += len(rows)
            person.native(*rows)
            assert waiting(person) == in_all_records(person)
            if after is not None:
                now = person.clock.now()
                with changing(person.backend, person.user.email, now, action="x") as session:
                    wanted = an_id(which % number)
                    if session.storage.data.get_rows(person.user.id, resources.RECORDS, [wanted]):
                        after(session, [wanted])
                assert waiting(person) == in_all_records(person)
        before = waiting(person)
        person.native(*[_record(5_000 + n, *each) for n, each in enumerate(steps[0][0])])
        person.undo()
        assert waiting(person) == before

    check()


# -- duplicates


@pytest.fixture
def doubled(person):
    person.native(account(initialBalance=100), record(10, payee="Café"))
    person.native(record(11, payee="Café"))
    return person


def duplicates(person):
    return [pair.ids for pair in of_kind(person, Proposed.DUPLICATE)]


PAIR = (an_id(10), an_id(11))


@pytest.mark.parametrize(("settle", "kept"), [(void_earlier, 11), (void_later, 10)])
def test_one_of_two_is_voided(doubled, settle, kept):
    assert duplicates(doubled) == [PAIR]
    edited(doubled, settle, [PAIR])
    rows = doubled.look(lambda s: s.data.get_rows(doubled.user.id, resources.RECORDS, PAIR))
    assert [i for i, row in rows.items() if row["recordState"] != "void"] == [an_id(kept)]
    assert duplicates(doubled) == []
    doubled.audit()


def test_a_pair_is_settled_once(doubled):
    """Two windows must not void both records."""
    edited(doubled, void_later, [PAIR])
    for settle in (void_earlier, keep_both):
        with pytest.raises(ChangeRefused, match="no longer waiting for your decision"):
            edited(doubled, settle, [PAIR])


def test_two_right_records_are_not_proposed_again_until_that_is_undone(doubled):
    edited(doubled, keep_both, [PAIR])
    assert duplicates(doubled) == []
    # Nor after a change of the days around them.
    doubled.native(record(12, payee="Kiosk", amount=-1))
    assert duplicates(doubled) == []
    assert in_all_records(doubled) == []
    doubled.undo()
    doubled.undo()
    assert duplicates(doubled) == [PAIR]


def test_a_third_record_is_compared_with_right_ones(doubled):
    edited(doubled, keep_both, [PAIR])
    doubled.native(record(12, payee="Café"))
    assert duplicates(doubled) == [(an_id(10), an_id(12))]
