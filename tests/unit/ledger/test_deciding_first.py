"""A change that decides first stores the same as any other, and locks the data only to store it."""

import random
import re
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.derivation import Rules
from finance_api.ledger.edits.records import remove_records
from finance_api.ledger.edits.rules import APPLY, apply_rules
from finance_api.ledger.session import DataMoved, LedgerSession
from finance_api.ledger.undo import undo
from finance_api.resources import RECORDS, RESOURCES
from finance_api.runtime.time_limit import TookTooLong, time_limit
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import DataState, HistoryEntry, Proposed, reading, unit_of_work
from finance_api.storage.sql.data_tables import DataTable
from support.household import Household
from support.ledger import Person, account, an_id, document, ofx_file, ofx_statement, record
from support.nightly import count

STORAGES = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
checked = settings(
    max_examples=count(8, 1_000), deadline=None, suppress_health_check=list(HealthCheck)
)
#: Random ids and tags.
_RANDOM = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|tag=-?[0-9]+")


class Given(Exception):
    """Ends a change that is not to be stored."""


class Deciding(Household):
    """A household that makes each edit and undo at once, rolls it back, and then decides first."""

    def edit(self, work, action="edit"):
        self.twice(action, work)

    def edit_file(self):
        """Make this change once, because its rows can be read only once."""
        self.twice = lambda action, work: self.made(action, work, decides_first=True)
        try:
            super().edit_file()
        finally:
            del self.twice

    def take_back(self, number, **options):
        self.twice(None, lambda session: undo(session, number, **options))

    def made(self, action, work, *, decides_first):
        person = self.person
        email, now = person.user.email, person.clock.now()
        with changing(
            person.backend, email, now, action=action, decides_first=decides_first
        ) as session:
            work(session)
            if not decides_first:
                raise Given(stored(session.storage, person.user.id))

    def twice(self, action, work):
        state = self.chance.getstate()
        try:
            self.made(action, work, decides_first=False)
        except Given as given:
            (expected,) = given.args
        except (ChangeRefused, Conflict) as refused:
            expected = str(refused)
        self.chance.setstate(state)
        try:
            self.made(action, work, decides_first=True)
        except (ChangeRefused, Conflict) as refused:
            assert str(refused) == expected
            raise
        with reading(self.person.backend) as storage:
            assert stored(storage, self.person.user.id) == expected
        self.person.audit()


def stored(storage, user_id):
    """Return everything that a change can store, without random values."""
    entries = storage.ledger.list_entries(user_id)
    images = [i for e in entries for i in storage.ledger.scan_before(user_id, e.number, limit=999)]
    proposals = [
        p for kind in Proposed for p in storage.ledger.list_proposals(user_id, kind, limit=999)
    ]
    state = storage.data.get_state(user_id)
    rows = [storage.data.scan_rows(user_id, resource) for resource in RESOURCES]
    found = [*rows, entries, images, proposals, [state]]
    return [sorted(_RANDOM.sub("?", repr(each)) for each in group) for group in found]


@STORAGES
def test_a_change_that_decides_first_stores_the_same(backends, storage):
    @checked
    @given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 8))
    def check(seed, steps):
        household = Deciding(Person(backends(storage)), random.Random(seed))
        for _ in range(steps):
            household.change()
        while household.live and household.chance.random() < 0.9:
            number = household.chance.choice(household.live)
            try:
                household.take_back(number, with_later=household.chance.random() < 0.5)
            except (ChangeRefused, Conflict):
                break

    check()


def applying(person, **options):
    now = person.clock.now()
    return changing(person.backend, person.user.email, now, action=APPLY, **options)


@pytest.fixture
def shopper(person):
    rule = document("RecordRule", 1, keywords=["shop"], categoryId=an_id(11))
    food = document("Category", 11, name="Food")
    person.native(account(), food, rule, record(1, payee="Corner shop"))
    return person


def test_others_can_write_until_everything_is_computed(shopper):
    with applying(shopper, decides_first=True) as session:
        apply_rules(session)
        with unit_of_work(shopper.backend, lock_timeout_seconds=0) as storage:
            storage.users.update(shopper.user.id, region="de-DE")
    (row,) = shopper.rows(RECORDS)
    assert row["category"] == "Food"
    shopper.audit()


@pytest.mark.parametrize("what", ["state", "history"])
def test_nothing_is_stored_if_the_data_changed_meanwhile(shopper, what):
    with pytest.raises(DataMoved), applying(shopper, decides_first=True) as session:
        apply_rules(session)
        with unit_of_work(shopper.backend, lock_timeout_seconds=0) as storage:
            state = storage.data.lock(shopper.user.id)
            if what == "state":
                storage.data.set_state(shopper.user.id, DataState(state.revision + 1, 1))
            else:
                entry = HistoryEntry(number=2, at=1, action="edit", by="page", revision=1)
                storage.ledger.add_entry(shopper.user.id, entry)
    (row,) = shopper.rows(RECORDS)
    assert row["category"] is None


def test_without_time_left_nothing_is_stored(shopper):
    before = shopper.everything()
    with (
        pytest.raises(TookTooLong),
        ExitStack() as stack,
        applying(shopper, decides_first=True) as session,
    ):
        apply_rules(session)
        stack.enter_context(time_limit(0))
    assert shopper.everything() == before


@pytest.mark.parametrize("many", [4, 5])
def test_rules_are_matched_before_an_import_locks_the_data(shopper, monkeypatch, many):
    """many: files of more entries make their records under the lock."""
    monkeypatch.setattr("finance_api.ledger.importing.MANY", many)
    events = []

    def noted(owner, name):
        before = getattr(owner, name)

        def call(*arguments, **options):
            events.append(name)
            return before(*arguments, **options)

        monkeypatch.setattr(owner, name, call)

    noted(Rules, "apply")
    noted(LedgerSession, "begin_storing")
    rows = [("20260101", "-5", f"F{n}", f"Shop {n}", "bread") for n in range(5)]
    shopper.ofx(ofx_file(ofx_statement(rows)), account_name="Giro")
    assert events.index("begin_storing") == events.count("apply") == 5
    assert [row["category"] for row in shopper.rows(RECORDS)].count("Food") == 5


@pytest.mark.parametrize(("most", "rows"), [(5, 0), (4, 5)])
def test_an_import_makes_its_records_before_it_locks_the_data_unless_they_are_very_many(
    shopper, monkeypatch, most, rows
):
    """rows: how many of the file's records are made under the lock."""
    made, storing = [], []
    begin, write = LedgerSession.begin_storing, LedgerSession.write

    def begun(session):
        begin(session)
        storing.append(session)

    def written(session, resource, pairs):
        pairs = list(pairs)
        if resource is RECORDS and storing:
            made.extend(pairs)
        write(session, resource, pairs)

    monkeypatch.setattr(LedgerSession, "begin_storing", begun)
    monkeypatch.setattr(LedgerSession, "write", written)
    monkeypatch.setattr("finance_api.ledger.importing.MANY", most)
    lines = [("20260101", "-5", f"F{n}", f"Shop {n}", "bread") for n in range(5)]
    shopper.ofx(ofx_file(ofx_statement(lines)), account_name="Giro")
    assert len(made) == rows
    assert len(shopper.rows(RECORDS)) == 6
    shopper.audit()


def test_last_day_of_an_account_is_right_if_its_newest_record_is_removed(shopper):
    shopper.native(record(2, recordDate="2026-05-01"), record(3, recordDate="2026-04-01"))
    with applying(shopper, decides_first=True) as session:
        remove_records(session, [an_id(2)])
    shopper.audit()


@pytest.mark.parametrize("storage", ["sqlite", "postgresql"])
def test_everything_that_is_stored_is_prepared_before_others_have_to_wait(
    backends, storage, monkeypatch
):
    """Making the columns, the JSON and the texts to search takes longer than storing them."""
    events = []
    person = Person(backends(storage))
    person.native(account(), record(1))
    write, values = person.backend.write, DataTable.values

    def begun(*arguments, **options):
        events.append("write")
        return write(*arguments, **options)

    def made(*arguments):
        events.append("values")
        return values(*arguments)

    monkeypatch.setattr(person.backend, "write", begun)
    monkeypatch.setattr(DataTable, "values", made)
    rows = [("20260101", "-5", f"F{n}", f"Shop {n}", "bread") for n in range(5)]
    person.ofx(ofx_file(ofx_statement(rows)), account_name="account 1")
    # Five records and their account.
    assert events == ["values"] * 6 + ["write"]
    events.clear()
    person.native(*(record(number) for number in range(2, 7)))
    assert events == ["values"] * 6 + ["write"]
    person.audit()
