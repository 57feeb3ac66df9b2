"""A dry run reports the same as the change itself, stores nothing, and makes nobody wait."""

import io
import itertools
import random
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.interface import ChangeRefused
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.ledger.changing import changing
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.ledger.rehearsal import rehearse
from finance_api.ledger.undo import undo
from finance_api.query.evaluate import matching
from finance_api.query.model import dated
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import DataState, reading, unit_of_work
from support.household import Household
from support.ledger import Person, account, ofx_file, ofx_statement, record
from support.nightly import count
from support.service import native_line
from support.statements import Bank, entry

STORAGES = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
checked = settings(
    max_examples=count(6, 1_000), deadline=None, suppress_health_check=list(HealthCheck)
)


class Rehearsed(Household):
    """A household that rehearses each change before making it."""

    def import_twice(self, backend, order, **steps):
        def run(dry_run):
            order.stream.seek(0)
            return import_file(backend, replace(order, dry_run=dry_run), **steps)

        return self.twice(run)

    def edit(self, work, action="edit"):
        person = self.person
        now = person.clock.now()

        def run(dry_run):
            with changing(
                person.backend, person.user.email, now, action=action, dry_run=dry_run
            ) as session:
                return work(session)

        return self.twice(run)

    def edit_file(self):
        """Make this change without a rehearsal, because its rows can be read only once."""
        self.twice = lambda run: run(False)
        try:
            super().edit_file()
        finally:
            del self.twice

    def take_back(self, number, **options):
        person = self.person

        def run(dry_run):
            now = person.clock.now()
            with changing(
                person.backend, person.user.email, now, action=None, dry_run=dry_run
            ) as session:
                return undo(session, number, **options)

        return self.twice(run)

    def twice(self, run):
        """Check that rehearsal and change report the same, and that the rehearsal changes
        nothing.
        """
        state, before = self.chance.getstate(), self.person.everything()
        revision, history = self.person.revision, self.person.history()
        try:
            rehearsed = said(run(True))
        except (ChangeRefused, Conflict) as refused:
            rehearsed = str(refused)
        assert self.person.everything() == before
        assert (self.person.revision, self.person.history()) == (revision, history)
        self.chance.setstate(state)
        try:
            report = run(False)
        except (ChangeRefused, Conflict) as refused:
            assert rehearsed == str(refused)
            raise
        assert rehearsed == said(report)
        return report


_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def said(report):
    """Return the report with numbers in place of ids, because some ids are random."""
    numbers = defaultdict(itertools.count().__next__)
    return _ID.sub(lambda found: f"id {numbers[found[0]]}", repr(report))


@STORAGES
def test_a_dry_run_reports_what_the_change_itself_reports(backends, storage, monkeypatch):
    @checked
    # An undo that attributes a category to an earlier entry, and then undoes that entry, too.
    @example(seed=12083, steps=6)
    @given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 8))
    def check(seed, steps):
        household = Rehearsed(Person(backends(storage)), random.Random(seed))
        for module in ("ledger", "statements"):
            monkeypatch.setattr(f"support.{module}.import_file", household.import_twice)
        for _ in range(steps):
            household.change()
        while household.live and household.chance.random() < 0.8:
            number = household.chance.choice(household.live)
            try:
                household.take_back(number, with_later=household.chance.random() < 0.5)
            except ChangeRefused:
                break

    check()


# -- what is read after something was written


def test_a_rehearsal_refuses_an_id_and_a_source_that_are_there_already(person):
    person.native(account(), record(1, sourceId="s1"), record(2, sourceId="s2"))
    one, other = person.rows(RECORDS)
    new = {**one, "id": "ffffffff-0000-4000-8000-000000000000"}
    with reading(person.backend) as reader:
        data, user_id = rehearse(reader).data, person.user.id
        for rows in ([one], [new]):
            with pytest.raises(Conflict):
                data.put_rows(user_id, RECORDS, new=rows, changed=())
        with pytest.raises(Conflict):
            changed = {**other, "sourceId": one["sourceId"]}
            data.put_rows(user_id, RECORDS, new=(), changed=[changed])
        # Two rows may exchange their source ids, and a deleted row's source id becomes free.
        exchanged = [{**one, "sourceId": other["sourceId"]}, {**other, "sourceId": one["sourceId"]}]
        data.put_rows(user_id, RECORDS, new=(), changed=exchanged)
        data.delete_rows(user_id, RECORDS, [other["id"]])
        data.put_rows(user_id, RECORDS, new=[new], changed=())
        found = data.get_rows_by_source(user_id, RECORDS, "native", ["s1", "s2"])
        assert {source_id: row["id"] for source_id, row in found.items()} == {
            "s1": new["id"],
            "s2": one["id"],
        }


def test_a_rehearsal_looks_at_written_records_of_the_days_that_are_asked_for(person, monkeypatch):
    """Transfers and duplicates are looked for by month: a file of many years is read in time."""
    tested = []

    def noted(rows, conditions, **options):
        rows = list(rows)
        tested.append(len(rows))
        return matching(rows, conditions, **options)

    monkeypatch.setattr("finance_api.ledger.rehearsal.matching", noted)
    years = range(1990, 2026)
    rows = [record(n, recordDate=f"{year}-06-01") for n, year in enumerate(years, 1)]
    person.native(account(), *rows)
    assert sum(tested) <= 4 * len(rows)
    with reading(person.backend) as reader:
        rehearsal = rehearse(reader)
        data, user_id = rehearsal.data, person.user.id
        first, *others = person.rows(RECORDS)
        moved = {**first, "recordDate": others[0]["recordDate"]}
        data.put_rows(user_id, RECORDS, new=(), changed=[moved])
        data.delete_rows(user_id, RECORDS, [others[1]["id"]])
        day = others[0]["recordDate"]
        for span, ids in (
            ((first["recordDate"], first["recordDate"] + 1), []),
            ((day, day + 1), [first["id"], others[0]["id"]]),
            ((others[1]["recordDate"], others[1]["recordDate"] + 1), []),
        ):
            found = data.list_amounts(user_id, ["id"], [dated(*span)])
            assert sorted(row_id for row_id, _ in found) == ids
            sums = data.sum_by(user_id, ["accountId"], [dated(*span)])
            assert sum(each.number for each in sums.values()) == len(ids)


# -- nobody waits

_CSV = "date,amount,account,currency,payee\n2026-01-01,-5,Giro,EUR,Shop\n"
FILES = {
    "native": ("".join(map(native_line, [account(), record(9)])), None),
    "ofx": (ofx_file(ofx_statement([("20260101", "-1", "1", "Shop")])), OfxImporter()),
    "csv": (_CSV, CsvImporter(Mapping())),
}
KINDS = pytest.mark.parametrize("kind", FILES)


def run(person, kind, *, dry_run=False, **steps):
    data, importer = FILES[kind]
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    now = person.clock.now()
    order = ImportOrder(person.user.email, stream, importer, now=now, dry_run=dry_run)
    return import_file(person.backend, order, **steps)


def write_beside(person):
    """Change the same user's data from elsewhere, without waiting for anybody."""
    with unit_of_work(person.backend, lock_timeout_seconds=0) as storage:
        state = storage.data.lock(person.user.id)
        storage.data.set_state(person.user.id, DataState(state.revision + 1, state.changed_at))


@KINDS
def test_others_can_write_during_a_dry_run(person, kind):
    def step(session, report):
        write_beside(person)

    report = run(person, kind, dry_run=True, begin=step, end=step)
    assert report.created >= 1
    assert person.rows(RECORDS) == []
    assert person.revision == 2


@KINDS
def test_others_can_write_until_an_import_has_decided_which_starts_over_then(person, kind):
    """After two other changes, the import locks the data before it decides."""
    begun = []

    def begin(session, report):
        begun.append(session.before.revision)
        if len(begun) < 3:
            write_beside(person)

    run(person, kind, begin=begin)
    assert begun == [0, 1, 2]
    assert len(person.rows(RECORDS)) == 1
    assert (person.revision, len(person.history())) == (3, 1)
    person.audit()


def test_an_import_beside_another_one_decides_by_what_that_has_stored(person):
    """The same file twice at once is one set of records, even where nothing visible changes."""
    bank = Bank(person)
    bank.file(entry("1", "-5", "Shop", "F1"))
    begun = []

    def begin(session, report):
        begun.append(len(session.history))
        if len(begun) == 1:
            bank.file(entry("1", "-5", "Shop", "F1"), entry("2", "-6", "Shop", "F2"))

    report = bank.file(entry("1", "-5", "Shop", "F1"), entry("2", "-6", "Shop", "F2"), begin=begin)
    assert begun == [1, 2]
    assert (report.created, report.unchanged) == (0, 2)
    assert len(person.rows(RECORDS)) == 2


def test_a_change_that_only_the_history_shows_makes_an_import_start_over(person):
    """Values stated by files are private: the data's tag stays the same."""
    bank = Bank(person)
    bank.file(entry("1", "-5", "Shop", "F1"))
    begun = []

    def begin(session, report):
        begun.append(session.number)
        if len(begun) == 1:
            csv = Bank(person, "csv", replace(bank.account, key="Giro", name="Giro"))
            revision = person.revision
            csv.file(entry("1", "-5", "Shop"), account_name="Checking 100")
            assert person.revision == revision

    bank.file(entry("2", "-6", "Shop", "F2"), begin=begin)
    assert begun == [2, 3]
    assert [each.number for each in person.history()] == [1, 2, 3]


@KINDS
def test_a_dry_run_leaves_the_files_of_sqlite_as_they_are(backends, kind):
    person = Person(backends("sqlite"))
    path = Path(person.backend.engine.url.database)
    files = [path, path.with_name(f"{path.name}-wal")]
    before = [each.read_bytes() for each in files]
    run(person, kind, dry_run=True)
    assert [each.read_bytes() for each in files] == before


@KINDS
def test_a_dry_run_takes_no_lock_of_postgresql_but_those_of_reading(backends, kind):
    person = Person(backends("postgresql"))
    found = []

    def step(session, report):
        with person.backend.read_engine.connect() as connection:
            found.extend(
                connection.execute(
                    text(
                        "SELECT DISTINCT mode FROM pg_locks JOIN pg_database ON oid = database "
                        "WHERE datname = current_database() UNION SELECT 'transaction' FROM "
                        "pg_stat_activity WHERE datname = current_database() "
                        "AND backend_xid IS NOT NULL"
                    )
                ).scalars()
            )

    run(person, kind, dry_run=True, begin=step, end=step)
    assert set(found) == {"AccessShareLock"}


class Watched(io.BytesIO):
    """Calls ``note`` each time it is read."""

    def read(self, *size):
        self.note()
        return super().read(*size)

    def readline(self, *size):
        self.note()
        return super().readline(*size)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_before_others_are_made_to_wait(person, kind, monkeypatch):
    data, importer = FILES[kind]
    done, write = [], person.backend.write
    monkeypatch.setattr(
        person.backend, "write", lambda *a, **k: done.append("written") or write(*a, **k)
    )
    stream = Watched(data.encode() if isinstance(data, str) else data)
    stream.note = lambda: done.append("read")
    now = person.clock.now()
    import_file(person.backend, ImportOrder(person.user.email, stream, importer, now=now))
    assert done[0] == "read"
    assert "read" not in done[done.index("written") :]
    assert len(person.rows(RECORDS)) == 1


def test_statements_are_read_again_if_their_account_was_changed_meanwhile(person):
    """Guard: `are_as_read_for`. Without it, the entry of the file is stored twice.

    A row's source id is made from the first name of the account that it goes to.
    """
    person.csv(_CSV.replace("Giro", "Old"))
    old = person.only(ACCOUNTS)

    class Meanwhile(CsvImporter):
        """While this file is read, another import gives the account the name in the file."""

        def read(self, stream, known_accounts):
            found = super().read(stream, known_accounts)
            if person.rows(ACCOUNTS)[0]["name"] == "Old":
                person.native(account(id=old["id"], name="Giro", source="csv", sourceId="Old"))
            return found

    report = person.file(_CSV, Meanwhile(Mapping()))
    assert (report.created, report.unchanged) == (0, 1)
    assert len(person.rows(RECORDS)) == 1
