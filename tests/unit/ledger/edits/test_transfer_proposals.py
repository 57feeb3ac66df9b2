"""The proposed transfers equal those found by a search of all records, after any imports."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api import resources
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import remove_records, void_duplicates
from finance_api.ledger.edits.transfer_pairs import find_pairs
from finance_api.values.time import date_text, parse_date
from support.ledger import Person, account, an_id, record
from support.nightly import count

_FIRST = parse_date("2025-12-20")
_DAY = 86_400

#: Records, each as its account, day and amount.
RECORDS = st.tuples(st.integers(0, 2), st.integers(0, 50), st.sampled_from([-7, -5, 5, 7]))
#: Files, each with a step after its import: none, or a record is removed or voided.
STEPS = st.lists(
    st.tuples(
        st.lists(RECORDS, min_size=1, max_size=6),
        st.sampled_from([None, remove_records, void_duplicates]),
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


def waiting(person):
    number = person.look(lambda s: s.ledger.count_proposals(person.user.id))
    found = person.look(lambda s: s.ledger.list_proposals(person.user.id, limit=1_000))
    assert len(found) == number
    return sorted(found)


def in_all_records(person):
    with changing(person.backend, person.user.email, 0, action="x", dry_run=True) as session:
        return sorted(find_pairs(session))


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
