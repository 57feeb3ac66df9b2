"""Balances and record counts stay exact after any kind of change to records."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS
from support.ledger import Person, account, an_id, record
from support.nightly import count

TWO = [account(1, initialBalance=100), account(2)]


def test_void_records_do_not_count_and_count_again(person):
    person.native(*TWO, record(9), record(10, recordState="void"))
    assert person.balance() == "98.5"
    person.native(record(9, recordState="void"))
    assert person.balance() == "100"
    person.native(record(9, amount=3), record(10))
    assert person.balance() == "101.5"
    person.audit()


@pytest.mark.parametrize("sign", [1, -1])
def test_balance_that_does_not_fit_is_refused(person, sign):
    most = Decimal("922337203685477.5807") * sign
    person.native(*TWO, record(9, amount=most, accountId=an_id(2)))
    assert person.row(ACCOUNTS, 2)["balance"] == (2**63 - 1) * sign
    before = person.snapshot()
    for rows in (
        [record(10, accountId=an_id(2), amount=Decimal("0.0001") * sign)],
        [account(2, initialBalance=Decimal("0.0001") * sign)],
        [record(9, amount=most)] if sign > 0 else [account(2, initialBalance=most)],
    ):
        with pytest.raises(ImportRefused) as refused:
            person.native(*rows)
        assert "balance" in refused.value.reason
        assert person.snapshot() == before


def test_amounts_beyond_the_range_that_cancel_out_come_in(person):
    most = Decimal("922337203685477.5807")
    person.native(*TWO, *(record(n, amount=most * (-1) ** n) for n in range(10, 20)))
    assert person.balance() == "100"


records = st.builds(
    record,
    st.integers(10, 13),
    accountId=st.sampled_from([an_id(1), an_id(2)]),
    amount=st.sampled_from([Decimal(t) for t in ("0", "0.0001", "-1", "200719925474099.1")]),
    recordState=st.sampled_from([None, "cleared", "void"]),
)
accounts = st.builds(
    account,
    st.integers(1, 2),
    name=st.sampled_from(["a", "b"]),
    currencyCode=st.sampled_from(["EUR", "USD"]),
    initialBalance=st.integers(-2, 2),
)
imports = st.lists(
    st.lists(st.one_of(records, accounts), min_size=1, max_size=6), min_size=1, max_size=5
)


@pytest.mark.nightly
@pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
def test_books_agree_after_any_imports(backends, storage):
    @settings(max_examples=count(13, 150), deadline=None, suppress_health_check=list(HealthCheck))
    @given(imports)
    def check(files):
        person = Person(backends(storage))
        person.native(*TWO)
        revision = person.revision
        for rows in files:
            before = person.dump()
            report = person.native(*rows)
            changed = person.dump() != before
            revision += report.changed
            assert person.revision == revision
            assert report.changed or not changed
            person.audit()
            before = person.snapshot()
            assert not person.native(*rows[-1:]).changed
            assert person.snapshot() == before

    check()
