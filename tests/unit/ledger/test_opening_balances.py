"""Initial balances follow from what files brought; what a person did since shows as a difference.

`Household` knows what is right: the files that are not undone, and the records that were voided as
duplicates. It compares the files' rows with the stored records.
"""

from itertools import pairwise
from random import Random

import pytest

from finance_api.importers.interface import (
    BankBalance,
    ChangeRefused,
    Entry,
    Statement,
    StatementAccount,
)
from finance_api.ledger import balances
from finance_api.ledger.balances import compare_balances
from finance_api.ledger.brought import NOWHERE
from finance_api.ledger.changing import changing
from finance_api.ledger.checking import find_faults
from finance_api.ledger.differences import list_differences
from finance_api.ledger.edits.records import (
    add_record,
    change_records,
    remove_records,
    void_duplicates,
)
from finance_api.ledger.edits.splits import Part, join_parts, split_record
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.storage.interface import reading
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person, account, an_id, record, units
from support.nightly import count
from support.statements import OFX_ACCOUNT, Bank, Reader, day, entry, statement

#: A period has this many days. Its statement ends with the balance of the last day, which has no
#: records, like the first day.
DAYS = 12
PERIODS = 4
FIRST = 20_454
OTHER = an_id(2)


def changed(person, function, *arguments, **options):
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit") as session:
        function(session, *arguments, **options)


def counted(row):
    return 0 if row["recordState"] == "void" else row["amount"]


class Household:
    """A person with an account at a bank, and another account without statements.

    bank: the rows of each period, with day and amount. lost: the rows that no file has so far.
    files: the imports that are not undone: number -> period, and rows by place.
    voided: the edits of states that are not undone: number -> a record's id, and whether the edit
    voided it as a duplicate. has_kept: whether an undo has kept changed records.
    """

    def __init__(self, backend, random):
        self.person, self.random = Person(backend), random
        self.person.native(account(2, name="other"))
        self.bank = {
            period: [(self.a_day(period), self.an_amount()) for _ in range(random.randint(1, 4))]
            for period in range(PERIODS)
        }
        self.start = self.an_amount()
        self.lost = {
            (period, place)
            for period, rows in self.bank.items()
            for place in range(len(rows))
            if random.random() < 0.2
        }
        self.files, self.voided = {}, {}
        self.has_kept = False

    def a_day(self, period):
        return FIRST + period * DAYS + self.random.randint(2, DAYS - 3)

    def an_amount(self):
        return self.random.choice([-3000, -2000, -1000, 1000, 2000, 5000]) * 100

    # -- what is right

    def closing(self, period):
        known = (amount for each in range(period + 1) for _, amount in self.bank[each])
        return FIRST + (period + 1) * DAYS - 1, self.start + sum(known)

    def file_rows(self):
        """Return day and amount of all rows that live files have and that are no duplicates."""
        rows = {}
        for _, (period, places) in sorted(self.files.items()):
            rows |= {(period, place): row for place, row in places.items()}
        stored = {row["id"]: row for r in (RECORDS, SPLITS) for row in self.person.rows(r)}
        last = {row_id: is_duplicate for _, (row_id, is_duplicate) in sorted(self.voided.items())}
        duplicates = [i for i, is_duplicate in last.items() if is_duplicate and i in stored]
        for row in map(stored.get, duplicates):
            keys = (row["sourceId"] or "", *row["furtherSources"])
            names = {key.rpartition("/")[2] for key in keys}
            rows = {key: row for key, row in rows.items() if "row {}-{}".format(*key) not in names}
        return list(rows.values())

    def expected(self):
        """Return the initial balance, the unexplained amount, and the difference at the end."""
        files = self.file_rows()
        stored = [
            (row["recordDate"] // DAY_SECONDS, counted(row))
            for row in self.person.rows(RECORDS)
            if row["accountId"] != OTHER
        ]
        closings = sorted({self.closing(period) for period, _ in self.files.values()})
        if not closings:
            return 0, 0, None
        of_files = [b - sum(n for day, n in files if day <= last) for last, b in closings]
        of_records = [b - sum(n for day, n in stored if day <= last) for last, b in closings]
        by_hand = [one - other for one, other in zip(of_files, of_records, strict=True)]
        initial, unexplained = of_files[-1], abs(by_hand[0])
        for number, (before, after) in enumerate(pairwise(of_records), 1):
            unexplained += abs(after - before)
            gap = of_files[number] - of_files[number - 1]
            if abs(after - before) < abs(gap):
                initial -= by_hand[number] - by_hand[number - 1]
        return initial, unexplained, initial - of_records[-1]

    def check(self):
        rows = [row for row in self.person.rows(ACCOUNTS) if row["id"] != OTHER]
        initial, unexplained, difference = self.expected()
        if rows:
            (row,) = rows
            assert (row["initialBalance"], row["unexplained"]) == (initial, unexplained)
            assert (row["unexplainedSince"] is None) == (unexplained == 0)
            with reading(self.person.backend) as storage:
                compared = compare_balances(UserRows(storage, self.person.user), row["id"])
            if compared.deciding is None:
                assert difference is None
            else:
                assert compared.difference(compared.deciding) == difference
        self.person.audit()
        backend, now = self.person.backend, self.person.clock.now()
        for repair in (False, True):
            assert list(find_faults(backend, self.person.user, now=now, repair=repair)) == []

    # -- steps

    def a_record(self):
        rows = sorted(
            self.person.rows(RECORDS),
            key=lambda row: (row["recordDate"], row["amount"], row["payee"]),
        )
        return self.random.choice(rows) if rows else None

    def import_file(self):
        period, rows = self.random.randrange(PERIODS), None
        rows = self.bank[period]
        if len(rows) > 1 and self.random.random() < 0.3:
            # A correction that keeps the closing balance.
            (day, amount), (last_day, last) = rows[0], rows[-1]
            rows[0], rows[-1] = (day, amount + 700), (last_day, last - 700)
        if self.random.random() < 0.5:
            self.lost -= {(period, place) for place in range(len(rows))}
        places = {n: row for n, row in enumerate(rows) if (period, n) not in self.lost}
        told = Statement(
            StatementAccount("1", "account 1", currency="EUR"),
            first_day=(FIRST + period * DAYS) * DAY_SECONDS,
            last_day=(FIRST + (period + 1) * DAYS - 1) * DAY_SECONDS,
            closing=BankBalance(self.closing(period)[1], self.closing(period)[0] * DAY_SECONDS),
        )
        entries = [
            Entry(
                n + 1, day * DAY_SECONDS, amount, payee=f"P{period}{n}", bank_id=f"row {period}-{n}"
            )
            for n, (day, amount) in places.items()
        ]
        before = len(self.person.history())
        self.person.statement(Reader("made", (told, entries)), ids="stable")
        # A file that changes nothing is not noted.
        if len(self.person.history()) > before:
            self.files[self.person.history()[-1].number] = period, places

    def add(self):
        accounts = [row["id"] for row in self.person.rows(ACCOUNTS)]
        values = {
            "accountId": self.random.choice(accounts),
            "amount": self.an_amount(),
            "recordDate": self.a_day(self.random.randrange(PERIODS)) * DAY_SECONDS,
            "payee": "Cash",
        }
        changed(self.person, add_record, values)

    def change(self):
        if row := self.a_record():
            accounts = [row["id"] for row in self.person.rows(ACCOUNTS)]
            values = {
                "amount": self.an_amount(),
                "recordDate": self.a_day(self.random.randrange(PERIODS)) * DAY_SECONDS,
                "accountId": self.random.choice(accounts),
                "note": "a note",
            }
            name = self.random.choice(list(values))
            changed(self.person, change_records, [row["id"]], {name: values[name]})

    def with_parts(self, row):
        rows = self.person.rows(RECORDS)
        own = [each["id"] for each in rows if row["splitId"] and each["splitId"] == row["splitId"]]
        return own or [row["id"]]

    def remove(self):
        if row := self.a_record():
            changed(self.person, remove_records, self.with_parts(row))

    def void(self):
        if row := self.a_record():
            state = "cleared" if row["recordState"] == "void" else "void"
            changed(self.person, change_records, self.with_parts(row), {"recordState": state})
            self.note_voided(row, is_duplicate=False)

    def void_duplicate(self):
        row = self.a_record()
        if row and row["recordState"] != "void":
            changed(self.person, void_duplicates, self.with_parts(row))
            self.note_voided(row, is_duplicate=True)

    def note_voided(self, row, *, is_duplicate):
        number = self.person.history()[-1].number
        self.voided[number] = row["splitId"] or row["id"], is_duplicate

    def split(self):
        row = self.a_record()
        if row and row["splitId"]:
            changed(self.person, join_parts, row["id"])
        elif row:
            parts = [Part(row["amount"] - 300), Part(300)]
            changed(self.person, split_record, row["id"], parts)

    def undo(self):
        live = [entry.number for entry in self.person.history()[1:] if entry.undone_at is None]
        if live and not self.has_kept:
            chosen, with_later = self.random.choice(live), self.random.random() < 0.4
            period, _ = self.files.get(chosen, (None, None))
            # A record that is kept also keeps its state, and what a later file corrected.
            alone = [n for n, file in self.files.items() if file[0] == period] == [chosen]
            keep = alone and not with_later and self.random.random() < 0.5
            report = self.person.undo(chosen, with_later=with_later, keep_changed=keep)
            self.has_kept |= keep
            self.person.check_dump()
            for number in report.entries:
                self.files.pop(number, None)
                self.voided.pop(number, None)


def replay(seed, backend, steps):
    random = Random(seed)
    household = Household(backend, random)
    of_person = [
        *(Household.add, Household.change, Household.change, Household.remove, Household.void),
        *(Household.void_duplicate, Household.split, Household.undo),
    ]
    done = []
    for _ in range(steps):
        step = Household.import_file if random.random() < 0.35 else random.choice(of_person)
        bank = {period: list(rows) for period, rows in household.bank.items()}
        try:
            step(household)
            done.append(step.__name__)
        except ChangeRefused as error:
            household.bank = bank
            done.append(f"{step.__name__} refused: {error.reason}")
        try:
            household.check()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {done}") from error


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(12, 1500)))
def test_what_a_person_does_never_moves_what_follows_from_files(seed):
    replay(seed, MemoryBackend(), 25)


# -- one thing at a time

JANUARY = statement((5, -50), (20, -100), opening=(0, 1000), closing=(31, 850))


def bank(person, name="account 1"):
    """Return initial balance, balance, the unexplained amount and the day since it differs."""
    row = next(row for row in person.rows(ACCOUNTS) if row["name"] == name)
    since = row["unexplainedSince"]
    return (
        row["initialBalance"],
        row["balance"],
        row["unexplained"],
        None if since is None else since // DAY_SECONDS,
    )


def add(person, day, amount, name="account 1", **values):
    row = next(row for row in person.rows(ACCOUNTS) if row["name"] == name)
    given = {"accountId": row["id"], "recordDate": day * DAY_SECONDS, "amount": amount, **values}
    changed(person, add_record, given)


def of_day(person, day):
    (row,) = (row for row in person.rows(RECORDS) if row["recordDate"] // DAY_SECONDS == day)
    return row


def test_an_added_record_shows_as_the_difference_since_its_day(person):
    person.statement(JANUARY)
    assert bank(person) == (1000, 850, 0, None)
    add(person, 10, -200)
    assert bank(person) == (1000, 650, 200, 10)
    add(person, 12, 200)
    assert bank(person) == (1000, 850, 0, None)
    person.undo()
    person.undo()
    assert bank(person) == (1000, 850, 0, None)


def test_with_one_balance_an_addition_before_it_shows_and_one_after_it_does_not(person):
    person.statement(statement((20, -100), closing=(31, 850)))
    add(person, 32, 7)
    assert bank(person) == (950, 857, 0, None)
    add(person, 10, -200)
    assert bank(person) == (950, 657, 200, 10)


def test_a_day_s_balance_does_not_cover_what_a_person_adds_on_that_day(person):
    person.statement(JANUARY)
    add(person, 31, -200)
    assert bank(person) == (1000, 650, 0, None)
    person.statement(statement((40, -1), closing=(41, 849)))
    assert bank(person) == (1000, 649, 200, 31)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"amount": -150}, (1000, 800, 50, 20)),
        ({"recordState": "void"}, (1000, 950, 100, 20)),
        ({"recordDate": 25 * DAY_SECONDS}, (1000, 850, 0, None)),
        ({"recordDate": 33 * DAY_SECONDS}, (1000, 850, 100, 20)),
        ({"note": "nothing in the sums"}, (1000, 850, 0, None)),
    ],
)
def test_a_changed_record_counts_as_the_file_had_it(person, values, found):
    person.statement(JANUARY)
    changed(person, change_records, [of_day(person, 20)["id"]], values)
    assert bank(person) == found
    person.statement(JANUARY)
    assert bank(person) == found
    person.undo()
    assert bank(person) == (1000, 850, 0, None)


def test_a_deleted_record_counts_as_the_file_had_it(person):
    person.statement(JANUARY)
    changed(person, remove_records, [of_day(person, 20)["id"]])
    assert bank(person) == (1000, 950, 100, 20)
    person.statement(statement((40, -1), closing=(41, 849)))
    assert bank(person) == (1000, 949, 100, 20)


def test_a_record_moved_to_another_account_is_missing_in_the_first_one(person):
    person.native(account(2, name="other"))
    person.statement(JANUARY)
    row_id = of_day(person, 20)["id"]
    changed(person, change_records, [row_id], {"accountId": OTHER})
    assert bank(person) == (1000, 950, 100, 20)
    assert bank(person, "other") == (0, -100, 0, None)


def test_records_that_a_native_file_brought_count_as_its_file_has_them(person):
    rows = [record(n, recordDate="1970-01-11", amount=n) for n in (10, 11, 12)]
    person.native(account(1), account(2, name="other"), *rows)
    person.statement(statement(closing=(31, units(40)), name="account 1"), account_name="account 1")
    before = bank(person)
    assert before == (units(7), units(40), 0, None)
    changed(person, remove_records, [an_id(10)])
    changed(person, change_records, [an_id(11)], {"amount": units(12)})
    changed(person, change_records, [an_id(12)], {"accountId": OTHER})
    assert bank(person) == (units(7), units(19), units(21), 10)
    person.native(*rows)
    assert bank(person) == before
    changed(person, remove_records, [an_id(10)])
    # A deleted record that no statement states does not stand in for an entry of a file.
    person.statement(
        statement((10, units(10)), name="account 1", source="other"), account_name="account 1"
    )
    assert len(person.rows(RECORDS)) == 3


def test_a_record_voided_as_a_duplicate_counts_as_if_no_file_had_brought_it(person):
    person.statement(statement((20, -100), closing=(31, 850)))
    person.statement(statement((20, -100), source="other"), account_name="account 1", match=False)
    assert bank(person) == (1050, 850, 0, None)
    first, second = person.rows(RECORDS)
    changed(person, void_duplicates, [second["id"]])
    assert bank(person) == (950, 850, 0, None)
    changed(person, change_records, [second["id"]], {"recordState": "cleared"})
    assert bank(person) == (1050, 850, 0, None)
    changed(person, change_records, [first["id"]], {"recordState": "void"})
    assert bank(person) == (1050, 950, 100, 20)


@pytest.mark.parametrize("voided", ["file", "hand"])
@pytest.mark.parametrize(("of_file", "of_hand"), [(20, 20), (20, 19), (31, 30), (31, 31), (30, 31)])
def test_of_a_record_and_its_duplicate_by_hand_the_one_that_stays_is_the_file_s(
    person, of_file, of_hand, voided
):
    person.statement(statement((of_file, -100), (25, -7), closing=(31, 850)))
    (by_file,) = (row for row in person.rows(RECORDS) if row["amount"] == -100)
    add(person, of_hand, -100, payee=by_file["payee"])
    both = bank(person)
    assert both[:2] == (957, 750)
    (by_hand,) = (row for row in person.rows(RECORDS) if row["brought"] == NOWHERE)
    gone, kept = (by_file, by_hand) if voided == "file" else (by_hand, by_file)
    changed(person, void_duplicates, [gone["id"].upper()])
    assert bank(person) == (957, 850, 0, None)
    person.check_dump()
    changed(person, change_records, [gone["id"]], {"recordState": "cleared"})
    assert bank(person)[:2] == (957, 750)
    person.undo()
    person.undo()
    assert bank(person) == both
    changed(person, void_duplicates, [gone["id"]])
    # Whoever then deletes the one that stays has less than the bank.
    changed(person, remove_records, [kept["id"]])
    assert bank(person) == (957, 950, 100, of_file)


def test_what_files_brought_of_a_part_stays_noted_at_its_whole(person):
    person.statement(statement((20, -100), (25, -7), closing=(31, 850)))
    (whole,) = (row for row in person.rows(RECORDS) if row["amount"] == -100)
    changed(person, split_record, whole["id"], [Part(-60), Part(-40)])
    add(person, 20, -60, payee=whole["payee"])
    parts = [row for row in person.rows(RECORDS) if row["splitId"] is not None]
    changed(person, void_duplicates, [row["id"] for row in parts])
    parts = [row for row in person.rows(RECORDS) if row["splitId"] is not None]
    assert [(row["recordState"], row["brought"]) for row in parts] == [("void", None)] * 2


def test_a_person_can_add_what_the_files_lack_between_two_balances(person):
    person.statement(statement((20, -100), closing=(31, 850)))
    person.statement(statement((50, -1), closing=(51, 799)))
    assert bank(person) == (900, 799, 50, 31)
    add(person, 40, -30)
    assert bank(person) == (930, 799, 20, 31)
    add(person, 45, -20)
    assert bank(person) == (950, 799, 0, None)
    # More than that is a difference.
    add(person, 46, -60)
    assert bank(person) == (900, 689, 60, 31)


def test_an_added_record_that_a_file_brings_later_counts_as_the_file_s(person):
    person.statement(JANUARY)
    add(person, 40, -20, payee="Shop")
    person.statement(statement((41, -20), (50, -1), closing=(51, 829)), match_days=2)
    assert len(person.rows(RECORDS)) == 4
    assert bank(person) == (1000, 829, 0, None)
    person.undo()
    assert bank(person) == (1000, 830, 0, None)


def test_a_bank_s_correction_counts_even_if_a_person_changed_the_amount(person):
    bank_files, name = Bank(person), OFX_ACCOUNT.name
    told = {"days": ("01", "31"), "closing": BankBalance(units(90), day("31"))}
    bank_files.file(entry("05", "-10", bank_id="1"), **told)
    assert bank(person, name) == (units(100), units(90), 0, None)
    changed(person, change_records, [person.only(RECORDS)["id"]], {"amount": units(-12)})
    first = day("05") // DAY_SECONDS
    assert bank(person, name) == (units(100), units(88), units(2), first)
    bank_files.file(entry("05", "-11", bank_id="1"), **told, ids="stable")
    assert bank(person, name) == (units(101), units(89), units(1), first)


@pytest.mark.parametrize("step", ["split", "remove", "change"])
def test_an_initial_balance_that_another_file_has_as_a_record_stays_that_record(person, step):
    begin = BankBalance(1000, DAY_SECONDS)
    told = Statement(
        StatementAccount("1", "account 1", currency="EUR"),
        initial=begin.amount,
        initial_day=begin.date,
    )
    shop = Entry(1, 3 * DAY_SECONDS, -10, bank_id="shop")
    person.statement(statement((1, 1000)))
    person.statement(Reader("other", (told, [shop])), account_name="account 1")
    before = bank(person)
    assert before == (0, 990, 0, None)
    row_id = of_day(person, 1)["id"]
    if step == "split":
        changed(person, split_record, row_id, [Part(400), Part(600)])
    elif step == "remove":
        changed(person, remove_records, [row_id])
    else:
        changed(person, change_records, [row_id], {"amount": 1200})
    assert bank(person)[0] == 0
    add(person, 1, 1000)
    assert bank(person)[0] == 0


def test_a_record_that_a_person_adds_is_not_a_file_s_initial_balance(person):
    told = Statement(
        StatementAccount("1", "account 1", currency="EUR"), initial=1000, initial_day=DAY_SECONDS
    )
    shop = Entry(1, 3 * DAY_SECONDS, -10, bank_id="shop")
    person.statement(Reader("other", (told, [shop])))
    add(person, 1, 1000)
    assert bank(person) == (1000, 1990, 0, None)


def test_what_is_kept_of_an_undone_import_is_a_difference_until_a_file_brings_it_again(person):
    person.statement(JANUARY)
    other = statement((40, -1), (41, -2), closing=(45, 847))
    person.statement(other)
    changed(person, change_records, [of_day(person, 40)["id"]], {"note": "mine"})
    person.statement(statement((50, -5), closing=(51, 842)))
    assert bank(person) == (1000, 842, 0, None)
    person.undo(2, keep_changed=True)
    # The last two files leave a gap of 3, of which the kept record explains 1.
    assert bank(person) == (998, 842, 2, 31)
    person.statement(other)
    assert bank(person) == (1000, 842, 0, None)


def test_a_restored_dump_has_the_same_initial_balance_with_what_a_person_changed(
    person, new_person
):
    person.statement(JANUARY)
    changed(person, remove_records, [of_day(person, 5)["id"]])
    add(person, 10, -200)
    assert bank(person) == (1000, 700, 150, 5)
    restored = new_person()
    restored.file(person.dump())
    assert bank(restored)[:2] == (1000, 700)
    february = statement((40, -1), closing=(41, 849))
    restored.statement(february)
    assert bank(restored)[:3] == (1000, 699, 150)
    person.statement(february)
    assert bank(person)[:3] == (1000, 699, 150)


def test_a_change_reads_the_differences_once_for_its_own_account(person, monkeypatch):
    for number in range(3):
        name = f"account {number}"
        told = Statement(
            StatementAccount(name, name, currency="EUR"), initial=1000, initial_day=DAY_SECONDS
        )
        shop = Entry(1, 3 * DAY_SECONDS, number - 10, bank_id="shop")
        person.statement(Reader("made", (told, [shop])))
    listed = []

    def list_all(owned, account_ids, further):
        listed.append([owned.accounts.rows[i]["name"] for i in account_ids])
        return list_differences(owned, account_ids, further)

    monkeypatch.setattr(balances, "list_differences", list_all)
    add(person, 40, -1, "account 1")
    assert listed == [["account 1"]]


def test_a_balance_that_agrees_with_the_records_is_kept_though_nothing_else_changes(person):
    person.statement(statement((5, -50_000)))
    file = statement(opening=(5, -50_000))
    assert not person.statement(file).changed
    found = find_faults(person.backend, person.user, now=person.clock.now(), repair=False)
    assert list(found) == []
    assert len(person.history()) == 2
    person.statement(file)
    assert len(person.history()) == 2
    person.undo()
    assert person.only(ACCOUNTS)["ownInitialBalance"] is None
