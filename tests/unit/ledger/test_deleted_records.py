"""Records that were deleted or changed manually, when files state them again."""

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import BankBalance, ChangeRefused, ImportRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.checking import find_faults
from finance_api.ledger.edits.objects import remove_object
from finance_api.ledger.edits.records import change_records, remove_records, void_duplicates
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.values.time import DAY_SECONDS
from support.edits import edited
from support.ledger import Person, account, an_id, record, units
from support.nightly import count
from support.statements import CSV_ACCOUNT, OFX_ACCOUNT, Bank, day, entry

RENT, COFFEE = entry("1", "-100", "Rent"), entry("3", "-3", "Coffee")
POWER = entry("9", "-20", "EON")
SOURCES = pytest.mark.parametrize("source", ["ofx", "csv"])


def with_ids(*entries):
    return [each._replace(bank_id=f"id-{each.payee}") for each in entries]


@pytest.fixture
def ofx(person):
    bank = Bank(person)
    bank.file(*with_ids(RENT, COFFEE, POWER))
    return bank


def row_of(person, payee):
    (row,) = (row for row in person.rows(RECORDS) if row["payee"] == payee)
    return row


def delete(person, *payees):
    return edited(person, remove_records, [row_of(person, payee)["id"] for payee in payees])


def payees(person):
    return sorted(row["payee"] for row in person.rows(RECORDS))


def test_the_same_file_and_longer_ones_do_not_bring_it_back(ofx):
    person = ofx.person
    delete(person, "Coffee")
    assert payees(person) == ["EON", "Rent"]
    before = person.snapshot()
    report = ofx.file(*with_ids(RENT, COFFEE, POWER), data="the same again")
    assert (report.created, report.updated) == (0, 0) and person.snapshot() == before
    report = ofx.file(*with_ids(COFFEE, POWER, entry("12", "-7", "Kino")))
    assert report.created == 1 and payees(person) == ["EON", "Kino", "Rent"]
    person.audit()


def test_another_format_recognises_it_and_so_does_the_next_file_of_that(ofx):
    person = ofx.person
    delete(person, "Coffee")
    csv = Bank(person, "csv")
    for entries in ((RENT, COFFEE, POWER), (COFFEE, POWER, entry("12", "-7", "Kino"))):
        csv.file(*entries, account_name="Checking 100")
        assert "Coffee" not in payees(person)
    assert payees(person) == ["EON", "Kino", "Rent"]
    person.audit()


@SOURCES
def test_a_user_who_deleted_everything_gets_nothing_back(person, source):
    bank = Bank(person, source)
    bank.file(RENT, COFFEE)
    delete(person, "Rent", "Coffee")
    bank.file(RENT, COFFEE, data="again")
    assert payees(person) == []


def test_an_undo_of_the_deletion_restores_everything(ofx):
    person = ofx.person
    before, dump = person.everything(), person.dump()
    delete(person, "Coffee", "Rent")
    person.undo(2)
    assert person.dump() == dump and person.everything()["records"] == before["records"]
    assert person.rows(SPLITS) == []
    report = ofx.file(*with_ids(RENT, COFFEE, POWER), data="again")
    assert (report.created, report.updated) == (0, 0)


@pytest.mark.parametrize("options", [{"with_later": True}, {"keep_changed": True}], ids=str)
def test_an_undo_of_the_import_leaves_nothing_behind(ofx, options):
    person = ofx.person
    delete(person, "Coffee")
    person.undo(1, **options)
    if "keep_changed" in options:
        person.undo(2)
    assert person.rows(RECORDS) == person.rows(SPLITS) == person.rows(ACCOUNTS) == []
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="as for the first time")
    assert len(person.rows(RECORDS)) == 3


@pytest.mark.parametrize("is_deleted", [False, True])
def test_another_format_asks_whether_it_has_the_payment_of_a_void_record(ofx, is_deleted):
    person, csv = ofx.person, Bank(ofx.person, "csv")
    coffee = row_of(person, "Coffee")["id"]
    edited(person, change_records, [coffee], {"recordState": "void"})
    if is_deleted:
        delete(person, "Coffee")
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="again")
    before = person.rows(RECORDS)
    name = {"account_name": "Checking 100"}
    with pytest.raises(ImportRefused, match="which you made void"):
        csv.file(RENT, COFFEE, POWER, **name)
    assert csv.file(RENT, COFFEE, POWER, match_days=1, **name).created == 1
    person.undo()
    assert csv.file(RENT, COFFEE, POWER, match_days=2, **name).matched == 3
    Bank(person, "camt").file(RENT, COFFEE, POWER, match_days=2, **name)
    for bank, entries in ((csv, (RENT, COFFEE, POWER)), (ofx, with_ids(RENT, COFFEE, POWER))):
        bank.file(*entries, data="once more")
    rows = {row["id"]: row["recordState"] for row in person.rows(RECORDS)}
    assert rows == {row["id"]: row["recordState"] for row in before}
    person.audit()


@pytest.mark.parametrize("source", ["csv", "ofx"])
@pytest.mark.parametrize("days", [1, 2, 5])
def test_a_void_record_some_days_away_is_asked_about(person, source, days):
    csv, other = Bank(person, "csv"), Bank(person, source)
    csv.file(RENT, COFFEE, POWER)
    edited(person, change_records, [row_of(person, "Coffee")["id"]], {"recordState": "void"})
    before, name = person.rows(RECORDS), {"account_name": "Giro"} if source == "ofx" else {}
    late = COFFEE._replace(date=COFFEE.date + days * DAY_SECONDS, payee="Coffee Berlin")
    with pytest.raises(ImportRefused) as refused:
        other.file(RENT, late, POWER, **name)
    same, new = (choice.changes for choice in refused.value.questions[0].choices)
    assert other.file(RENT, late, POWER, **name, **new).created == 1
    person.undo()
    assert other.file(RENT, late, POWER, **name, **same).created == 0
    states = {row["id"]: row["recordState"] for row in person.rows(RECORDS)}
    assert states == {row["id"]: row["recordState"] for row in before}
    person.audit()


@settings(max_examples=count(10, 1_000), suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False))
def test_no_void_record_comes_back_unasked(backends, random):
    person = Person(backends("memory"))
    csv, other = Bank(person, "csv"), Bank(person, random.choice(["csv", "ofx"]))
    payments = [
        entry(str(random.randrange(8, 16)), str(-number), random.choice(["Coffee", "Tea"]))
        for number in range(1, random.randint(2, 6))
    ]
    csv.file(RENT, *payments, entry("23", "-20", "EON"))
    small = [row["id"] for row in person.rows(RECORDS) if row["amount"] > units("-10")]
    unwanted = [row_id for row_id in small if random.random() < 0.4]
    edited(person, change_records, unwanted, {"recordState": "void"})
    name = {"account_name": "Giro"} if other.source == "ofx" else {}
    moved = [
        each._replace(
            date=each.date + random.randrange(6) * DAY_SECONDS,
            payee=random.choice([each.payee, f"{each.payee} Berlin"]),
        )
        for each in payments
    ]
    before = person.rows(RECORDS)
    days = ("2026-01-01", "2026-01-23")
    try:
        other.file(RENT, *moved, entry("23", "-20", "EON"), days=days, **name)
    except ImportRefused as refused:
        event("asked")
        answers = {}
        for question in refused.questions:
            answers |= question.choices[0].changes
        other.file(RENT, *moved, entry("23", "-20", "EON"), days=days, **name, **answers)
    amounts = {row["id"]: (row["amount"], row["recordState"]) for row in person.rows(RECORDS)}
    assert amounts == {row["id"]: (row["amount"], row["recordState"]) for row in before}


def test_another_format_has_the_payment_of_a_duplicate_in_the_other_record(person):
    ofx, csv = Bank(person), Bank(person, "csv")
    twice = entry("3", "-3", "Coffee", "1"), entry("3", "-3", "Coffee", "2")
    ofx.file(RENT, *twice, POWER)
    one = next(row["id"] for row in person.rows(RECORDS) if row["payee"] == "Coffee")
    edited(person, void_duplicates, [one])
    assert csv.file(RENT, COFFEE, POWER, account_name="Checking 100").created == 0


@pytest.mark.parametrize("is_moved", [False, True])
def test_an_undo_that_keeps_deleted_records_keeps_their_account(ofx, new_person, is_moved):
    person = ofx.person
    if is_moved:
        person.native(account(9, name="Wallet"))
        ids = [row["id"] for row in person.rows(RECORDS)]
        edited(person, change_records, ids, {"accountId": an_id(9)})
    else:
        delete(person, "Coffee")
    report = person.undo(1, keep_changed=True)
    assert (report.kept, report.used) == (3 if is_moved else 1, ["Checking 100"])
    person.audit()
    restored = new_person()
    restored.file(person.dump())
    assert restored.dump() == person.dump()


def test_an_undo_that_keeps_a_deleted_native_record_keeps_its_account(person, new_person):
    person.native(account(1), record(1))
    edited(person, remove_records, [an_id(1)])
    assert person.undo(1, keep_changed=True).used == ["account 1"]
    person.audit()
    new_person().file(person.dump())
    person.undo(2)
    assert person.rows(SPLITS) == person.rows(ACCOUNTS) == []


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_deletion_that_an_undo_kept_goes_with_the_file_that_came_again(ofx, is_moved):
    person = ofx.person
    if is_moved:
        coffee = row_of(person, "Coffee")["id"]
        edited(person, change_records, [coffee], {"recordDate": day("2026-03-01")})
    else:
        delete(person, "Coffee")
    person.undo(1, keep_changed=True)
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="again")
    before = person.everything()
    with pytest.raises(ChangeRefused, match=r"entry 3 \(import\) covers the same days") as refused:
        person.undo(2, keep_changed=True)
    assert refused.value.ways == ("with_later",)
    assert person.everything() == before
    person.undo(2, with_later=True)
    assert person.rows(RECORDS) == person.rows(SPLITS) == []
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="once more")
    assert payees(person) == ["Coffee", "EON", "Rent"]


def test_a_check_finds_a_deleted_record_without_its_account(person):
    person.native(account(1), record(1))
    edited(person, remove_records, [an_id(1)])
    person.change(lambda s: s.data.delete_rows(person.user.id, ACCOUNTS, [an_id(1)]))
    (fault,) = find_faults(person.backend, person.user, now=person.clock.now(), repair=False)
    assert fault.message == f"accountId refers to a missing object, for splits: 1 ({an_id(1)})"


def test_a_correction_of_a_deleted_record_changes_nothing_that_is_seen(ofx):
    person = ofx.person
    delete(person, "Coffee")
    before = person.snapshot()
    late = entry("3", "-4", "Coffee", "id-Coffee")
    report = ofx.file(*with_ids(RENT), late, *with_ids(POWER), as_of=day("20"))
    assert (report.created, report.updated, report.remarks) == (0, 0, [])
    assert person.snapshot()[1].count(b'"Record"') == before[1].count(b'"Record"') == 2
    person.audit()


def test_a_second_equal_payment_is_new(ofx):
    person = ofx.person
    delete(person, "Coffee")
    ofx.file(*with_ids(RENT, COFFEE), entry("3", "-3", "Coffee", "id-2"), *with_ids(POWER))
    assert payees(person) == ["Coffee", "EON", "Rent"]


def test_the_account_shows_what_the_bank_has_and_the_records_lack(person):
    bank = Bank(person)
    for entries, balance in (((RENT,), "1"), ((COFFEE,), "3")):
        bank.file(*with_ids(*entries), closing=_closing(balance))
    coffee = row_of(person, "Coffee")["id"]
    with changing(person.backend, person.user.email, person.clock.now(), action="x") as session:
        remove_records(session, [coffee])
    (giro,) = person.rows(ACCOUNTS)
    assert giro["unexplained"] == units("3")
    person.undo(3)
    (giro,) = person.rows(ACCOUNTS)
    assert giro["unexplained"] == 0


def _closing(number):
    amount = {"1": "900", "3": "897"}[number]
    return BankBalance(units(amount), day(number))


def test_an_account_that_was_removed_starts_over(ofx):
    person = ofx.person
    delete(person, "Coffee")
    edited(person, remove_object, ACCOUNTS, "Checking 100", with_records=True)
    assert person.rows(SPLITS) == []
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="again")
    assert len(person.rows(RECORDS)) == 3
    person.undo(4)
    person.undo(3)
    assert payees(person) == ["EON", "Rent"]
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="and again")
    assert payees(person) == ["EON", "Rent"]


def test_a_dump_takes_deletions_along(ofx):
    delete(ofx.person, "Coffee")
    other = Person(ofx.person.backend)
    other.file(ofx.person.dump())
    assert other.dump() == ofx.person.dump()
    Bank(other).file(*with_ids(RENT, COFFEE, POWER))
    assert payees(other) == ["EON", "Rent"]


def test_a_native_file_with_the_record_brings_it_back(ofx):
    person = ofx.person
    dump = person.dump()
    delete(person, "Coffee")
    person.file(dump)
    assert payees(person) == ["Coffee", "EON", "Rent"] and person.rows(SPLITS) == []
    person.audit()


# -- changed records


@SOURCES
@pytest.mark.parametrize(
    "values",
    [
        {"amount": units("-3.50")},
        {"recordDate": day("5")},
        {"recordDate": day("2026-03-01"), "amount": units("8")},
        {"payee": "Café", "note": "x", "amount": units("-99")},
    ],
    ids=lambda values: "+".join(values),
)
def test_manual_values_win_and_no_file_doubles_the_record(person, source, values):
    bank = Bank(person, source)
    entries = (RENT, COFFEE, POWER) if source == "csv" else with_ids(RENT, COFFEE, POWER)
    bank.file(*entries)
    coffee = row_of(person, "Coffee")["id"]
    report = edited(person, change_records, [coffee], values)
    # If a record is moved far away, it becomes a new record.
    coffee = report.changes[0].id
    expected = person.row(RECORDS, coffee)
    bank.file(*entries, data="again")
    bank.file(*entries[1:], entry("12", "-7", "Kino", None if source == "csv" else "k"))
    other = Bank(person, "camt" if source == "csv" else "csv", OTHER[source])
    other.file(RENT, COFFEE, POWER, account_name=person.only(ACCOUNTS)["name"])
    assert len(person.rows(RECORDS)) == 4
    now = person.row(RECORDS, coffee)
    assert {name: now[name] for name in values} == {name: expected[name] for name in values}
    person.audit()


OTHER = {"csv": OFX_ACCOUNT, "ofx": CSV_ACCOUNT}


def test_a_record_moved_to_another_account_stays_there(ofx):
    person = ofx.person
    person.native(account(9, name="Wallet"))
    before = person.dump()
    coffee = row_of(person, "Coffee")
    edited(person, change_records, [coffee["id"]], {"accountId": an_id(9)})
    moved = row_of(person, "Coffee")
    assert moved["accountName"] == "Wallet" and moved["id"] != coffee["id"]
    ofx.file(*with_ids(RENT, COFFEE, POWER), data="again")
    Bank(person, "csv").file(RENT, COFFEE, POWER, account_name="Checking 100")
    assert payees(person) == ["Coffee", "EON", "Rent"]
    person.undo(4)
    person.undo(3)
    assert person.dump() == before


def test_an_older_dump_brings_a_moved_record_back_to_its_old_place(ofx):
    person = ofx.person
    older = person.dump()
    edited(person, change_records, [row_of(person, "Rent")["id"]], {"recordDate": day("25")})
    newer = person.dump()
    for dump, date in ((newer, day("25")), (older, day("1"))):
        person.file(dump)
        assert payees(person) == ["Coffee", "EON", "Rent"]
        assert row_of(person, "Rent")["recordDate"] == date
        person.audit()
    assert ofx.file(*with_ids(RENT, COFFEE, POWER), data="again").created == 0
