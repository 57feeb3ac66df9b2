"""Storing exchange rates: how a file changes the existing rates."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import reading
from finance_api.storage.testing.units import Unit

DAY = 86_400

STORAGES = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])


def day(number, base="EUR", **rates):
    return DayRates(number * DAY, base, {code: Decimal(rate) for code, rate in rates.items()})


class Installation:
    def __init__(self, backend):
        self.backend = backend

    def load(self, *days, **options):
        """Return the numbers of new, changed and unchanged days."""
        report = import_rates(self.backend, days, 10, **options)
        return report.new, report.changed, report.unchanged

    @property
    def days(self):
        with reading(self.backend) as storage:
            return storage.rates.list_days()

    @property
    def state(self):
        with reading(self.backend) as storage:
            return storage.rates.get_state()


@pytest.fixture
def installation(new_backend, storage):
    return Installation(new_backend(storage))


@STORAGES
def test_days_that_differ_are_replaced_and_counted(installation):
    first = [day(n, USD="1.1", JPY="160") for n in range(5)]
    assert installation.load(*first) == (5, 0, 0)
    assert installation.load(*first) == (0, 0, 5)
    second = [day(3, USD="1.10", JPY="160.0"), day(4, USD="1.2", JPY="160"), day(9, USD="1.1")]
    assert installation.load(*second) == (1, 1, 1)
    assert installation.days == [*first[:4], *second[1:]]


@STORAGES
def test_what_a_file_does_not_have_of_a_day_stays(installation):
    installation.load(day(0, USD="1.1", JPY="160"), day(1, USD="1.1"))
    assert installation.load(day(0, AED="4", USD="1.3"), day(1, "USD", AED="3.6")) == (0, 2, 0)
    assert installation.days == [
        day(0, AED="4", JPY="160", USD="1.3"),
        day(1, USD="1.1"),
        day(1, "USD", AED="3.6"),
    ]
    assert installation.load(day(1, "USD", AED="3.6")) == (0, 0, 1)


@STORAGES
def test_the_state_changes_with_what_is_stored_and_only_then(installation):
    none = installation.state
    installation.load(day(0, USD="1.1"), dry_run=True)
    assert (installation.days, installation.state) == ([], none)
    installation.load(day(0, USD="1.1"))
    first = installation.state
    assert (first.revision, first.changed_at) == (1, 10)
    assert first.currencies == {"EUR", "USD"}
    assert first.tag != none.tag
    installation.load(day(0, USD="1.1"))
    assert installation.state == first
    installation.load(day(0, "GBP", CHF="1.1"))
    second = installation.state
    assert (second.revision, second.currencies) == (2, {"EUR", "USD", "GBP", "CHF"})
    assert second.tag not in (none.tag, first.tag)


@STORAGES
def test_files_that_come_at_once_are_stored_one_after_the_other(installation):
    """No file is lost, although all add rates to the same days."""
    codes = ["USD", "JPY", "CHF", "GBP", "CZK", "PLN"]
    with ThreadPoolExecutor(len(codes)) as pool:
        works = [
            pool.submit(installation.load, *(day(n, **{code: "2"}) for n in range(50)))
            for code in codes
        ]
        found = [work.result() for work in works]
    assert sorted(found) == [(0, 50, 0)] * 5 + [(50, 0, 0)]
    assert installation.days == [day(n, **dict.fromkeys(sorted(codes), "2")) for n in range(50)]
    assert installation.state.revision == 6
    assert installation.state.currencies == {"EUR", *codes}


@STORAGES
def test_a_report_has_the_days_and_currencies_of_the_file(installation):
    installation.load(day(77, CZK="25"))
    report = import_rates(installation.backend, [day(4, USD="1"), day(2, "GBP", CHF="1")], 10)
    assert (report.first, report.last, report.revision) == (2 * DAY, 4 * DAY, 2)
    assert report.currencies == ("CHF", "EUR", "GBP", "USD")


@STORAGES
def test_rates_leave_the_data_of_users_as_it_is(installation):
    unit = Unit(installation.backend)
    with unit.reading() as storage:
        before = storage.data.get_state(unit.user.id)
    installation.load(day(0, USD="1.1"))
    with unit.reading() as storage:
        assert storage.data.get_state(unit.user.id) == before
