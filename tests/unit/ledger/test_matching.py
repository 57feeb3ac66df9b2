"""The rules that match an entry with a stored record, one by one."""

from itertools import permutations

import pytest

from finance_api.cli.import_texts import text
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.edits.records import change_records, void_duplicates
from finance_api.resources import ACCOUNTS, RECORDS
from support.csv_files import answers
from support.edits import edited
from support.ledger import units
from support.statements import Bank, entry, kept

RENT = entry("2", "-900", "Rent", "1")
SHOP = entry("5", "-30", "Shop", "2")
CAFE = entry("5", "-3", "Café", "3")


@pytest.fixture
def bank(person):
    return Bank(person)


def refusal(bank, *entries, **options):
    before = bank.person.snapshot()
    with pytest.raises(ImportRefused) as error:
        bank.file(*entries, **options)
    assert bank.person.snapshot() == before
    return error.value


def refused(bank, *entries, **options):
    return refusal(bank, *entries, **options).reason


# -- ids that are used again


def test_an_id_of_a_later_file_does_not_overwrite_an_older_transaction(bank):
    """January's rent stays stored if February's file starts again at id 1."""
    bank.file(RENT, SHOP)
    report = bank.file(
        entry("2026-02-02", "-900", "Rent", "1"), entry("2026-02-09", "-44", "Shop", "2")
    )
    assert (report.created, report.updated) == (2, 0)
    assert "reuses ids" in " ".join(map(text, report.remarks))
    assert len(kept(bank.person)) == 4
    bank.person.audit()


def test_that_ids_are_reused_is_remembered_and_forgotten_with_its_import(bank):
    bank.file(RENT)
    bank.file(entry("20", "-8", "Bus", "1"))
    # The entry is matched by its content, although this file does not show that ids are reused.
    assert bank.file(entry("20", "-8", "BUS", "9")).unchanged == 1
    bank.person.undo()
    assert "--ids" in refused(bank, entry("8", "-900", "Rent AG", "1"))


def test_known_stable_ids_that_are_reused_refuse_the_file_until_the_user_decides(bank):
    bank.file(RENT, SHOP, CAFE)
    bank.file(RENT, SHOP, CAFE, entry("6", "-1", "Bus", "4"))
    again = entry("30", "-70", "Shoes", "2")
    assert "or --ids reused if" in refused(bank, again)
    assert bank.file(again, ids="reused").created == 1
    assert bank.file(entry("2026-02-20", "-71", "Boots", "1")).created == 1


# -- corrections


def test_a_correction_updates_the_record_and_says_what_changed(bank):
    bank.file(RENT, SHOP)
    report = bank.file(RENT, entry("5", "-33", "Shop", "2"))
    (update,) = report.updates
    assert (update.before, update.after) == ({"amount": units("-30")}, {"amount": units("-33")})
    assert report.as_json()["updates"][0]["new"] == {"amount": -33}
    # Importing the older file again does not restore its values.
    before = bank.person.snapshot()
    assert bank.file(RENT, SHOP).unchanged == 2
    assert bank.person.snapshot() == before


@pytest.mark.parametrize("note", [None, "card 5 January"])
def test_what_comes_again_and_again_is_asked_for_where_ids_only_seem_stable(bank, note):
    """A café each week, from a bank that counts from 1 or gives the café's own number."""
    coffee = entry("5", "-3", "Café", "3", note=note)
    bank.file(RENT, SHOP, coffee)
    bank.file(RENT, SHOP, coffee, entry("6", "-1", "Bus", "4"))
    later = entry("12", "-3", "Café", "3", note=note and "card 12 January")
    assert answers(refusal(bank, later)) == ["--ids stable", "--ids reused"]
    assert bank.file(later, ids="reused").created == 1
    assert [day for day, _, payee in kept(bank.person) if payee == "Café"] == [5, 12]


def test_all_that_is_open_is_asked_for_at_once(bank):
    bank.file(entry("3", "-30", "Shop", "2"), entry("5", "-9", "Lunch"), entry("5", "-3", "Café"))
    rows = entry("5", "-3", "Café"), entry("8", "-30", "Shop AG", "2")
    error = refusal(bank, *rows)
    assert "--first-day" in error.reason and "--ids" in error.reason
    assert answers(error) == [
        f"--first-day {first} --ids {ids}"
        for first in ("same", "new")
        for ids in ("stable", "reused")
    ]
    assert bank.file(*rows, first_day="same", ids="stable").updated == 1


def test_the_same_file_again_does_not_show_that_ids_are_stable(bank):
    bank.file(RENT, SHOP, CAFE, data="a")
    bank.file(RENT, SHOP, CAFE, data="a")
    assert "--ids" in refused(bank, entry("8", "-30", "Shop AG", "2"))


def test_the_later_statement_wins_in_both_orders(new_person):
    old = {"as_of": 1}, (RENT, SHOP)
    new = {"as_of": 2}, (RENT, entry("5", "-33", "Shop", "2"))
    for files in permutations([old, new]):
        bank = Bank(new_person())
        for options, entries in files:
            bank.file(*entries, **options)
        assert kept(bank.person) == [(2, -90_000, "Rent"), (5, -3_300, "Shop")]
        before = bank.person.snapshot()
        for options, entries in files:
            bank.file(*entries, **options)
        assert bank.person.snapshot() == before


def test_what_a_hand_set_stays(bank):
    bank.file(RENT, SHOP)
    row = next(row for row in bank.person.rows(RECORDS) if row["payee"] == "Shop")
    edited(bank.person, change_records, [row["id"]], {"payee": "My shop"})
    assert bank.file(RENT, SHOP).unchanged == 2
    bank.file(RENT, entry("5", "-33", "Shop", "2"))
    assert kept(bank.person)[1] == (5, -3_300, "My shop")


def test_what_a_native_file_changes_is_not_compared(bank):
    bank.file(RENT, SHOP)
    row = next(row for row in bank.person.rows(RECORDS) if row["payee"] == "Shop")
    bank.person.native(
        {
            "reserved_model_type": "Record",
            **{name: row[name] for name in ("id", "accountId", "source", "sourceId")},
            "amount": -31,
            "recordDate": "2026-03-03",
            "payee": "Mine",
        }
    )
    before = bank.person.snapshot()
    assert bank.file(RENT, SHOP).unchanged == 2
    assert bank.person.snapshot() == before


def test_a_record_that_a_later_file_lacks_is_named(csv):
    csv.file(entry("4", "-1"), entry("5", "-30"), entry("6", "-1"))
    report = csv.file(entry("4", "-1"), entry("5", "-33"), entry("6", "-1"))
    assert report.created == 1
    assert "2026-01-05 -30" in text(report.remarks[0])


# -- corrections that name what they correct


def test_a_replacement_acts_on_the_entry_that_it_names(bank):
    bank.file(RENT, SHOP)
    files = [
        (RENT, entry("7", "-44", "Market", "9", corrects="2")),
        (RENT, SHOP),
        (RENT, SHOP, entry("7", "-44", "Market", "9", corrects="2")),
    ]
    assert bank.file(*files[0]).updated == 1
    before = bank.person.snapshot()
    for entries in files:
        assert bank.file(*entries).updated == 0
        assert bank.person.snapshot() == before
    assert kept(bank.person) == [(2, -90_000, "Rent"), (7, -4_400, "Market")]


def test_a_deletion_voids_the_record_that_it_names(bank):
    bank.file(RENT, SHOP)
    gone = entry("6", "-30", "Shop", "9", corrects="2", deletes=True)
    assert bank.file(gone).updated == 1
    assert kept(bank.person) == [(2, -90_000, "Rent")]
    before = bank.person.snapshot()
    bank.file(gone, SHOP, data="again")
    assert bank.person.snapshot() == before
    bank.person.audit()


@pytest.mark.parametrize("corrects", ["2", "nobody"])
def test_a_correction_of_itself_or_of_nobody_is_a_plain_entry(bank, corrects):
    odd = entry("5", "-30", "Shop", "2", corrects=corrects)
    report = bank.file(odd)
    assert report.created == 1
    assert "imported unchanged" in text(report.remarks[0])
    before = bank.person.snapshot()
    assert bank.file(odd).unchanged == 1
    assert bank.person.snapshot() == before


def test_a_long_chain_of_corrections_is_refused(bank):
    chain = [entry("5", "-3", "Café", str(n), corrects=str(n + 1)) for n in range(200)]
    assert bank.file(*chain[:50], entry("5", "-3", "Café", "50")).created == 1
    assert "more than 100 entries form a chain of corrections" in refused(bank, *chain[60:])


# -- formats without ids


@pytest.fixture
def csv(person):
    return Bank(person, "csv")


def test_texts_that_were_mapped_otherwise_are_not_compared(csv):
    """A forgotten option duplicates nothing, and using it later adds the texts."""
    plain = [entry("4", "-3", None), entry("5", "-3", None), entry("6", "-8", None)]
    texts = [entry("4", "-3", "Café"), entry("5", "-3", "Bar"), entry("6", "-8", "Bus")]
    csv.file(*plain, texts="none")
    report = csv.file(*texts, texts="payee")
    assert (report.created, report.updated) == (0, 3)
    assert [payee for *_, payee in kept(csv.person)] == ["Café", "Bar", "Bus"]
    before = csv.person.snapshot()
    csv.file(*plain, texts="none")
    csv.file(*texts, texts="payee")
    assert csv.person.snapshot() == before


def test_a_part_of_a_day_is_asked_for_and_the_answer_does_not_double(csv):
    morning = [entry("5", "-3", "Café"), entry("5", "-9", "Lunch")]
    evening = [entry("5", "-3", "Café"), entry("6", "-1", "Bus")]
    csv.file(entry("4", "-1", "Bus"), *morning)
    assert "say --first-day same; if it is another one, say --first-day new" in refused(
        csv, *evening
    )
    assert csv.file(*evening, first_day="new").created == 2
    before = csv.person.snapshot()
    for first_day in ("new", "same", None):
        assert csv.file(*evening, first_day=first_day).unchanged == 2
        assert csv.person.snapshot() == before


# -- changed by the bank

START, END = entry("1", "-100", "Rent"), entry("20", "-200", "Power")


@pytest.mark.parametrize(
    "payee", ["Coffee Berlin", "Cof", "COFFEE  SHOP", "Kaffee", None], ids=repr
)
@pytest.mark.parametrize("date", ["3", "5", "10"])
def test_the_record_that_the_file_lacks_is_updated(csv, payee, date):
    csv.file(START, entry("3", "-3", "Coffee"), END)
    report = csv.file(START, entry(date, "-3", payee, line=7), END)
    assert (report.created, report.updated) == (0, 1)
    assert report.updates[0].before.get("payee", payee) != payee or date != "3"
    assert (int(date), -300, payee or "") in kept(csv.person)
    assert len(kept(csv.person)) == 3
    before = csv.person.snapshot()
    csv.file(START, entry("3", "-3", "Coffee"), END, data="the first one again")
    assert csv.person.snapshot() == before
    csv.person.audit()


def test_its_category_and_what_you_set_stay(csv):
    csv.file(START, entry("3", "-3", "Coffee", category="Food"), END)
    csv.file(START, entry("3", "-3", "Coffee Berlin"), END)
    (record,) = (row for row in csv.person.rows(RECORDS) if row["amount"] == units("-3"))
    assert (record["payee"], record["category"]) == ("Coffee Berlin", "Food")


def test_several_are_asked_for(csv):
    csv.file(START, entry("3", "-3", "Coffee"), END)
    rows = START, entry("5", "-3", "Tea", line=7), entry("6", "-3", "Lunch"), END
    error = refusal(csv, *rows)
    assert answers(error) == ["--moved-days 3", "--moved-days 0"]
    assert csv.file(*rows, moved_days=3, dry_run=True).created == 1
    assert csv.file(*rows, moved_days=0).created == 2


def test_what_differs_on_a_day_of_which_the_file_has_a_part_is_asked_for(csv):
    csv.file(START, entry("3", "-3", "Coffee"))
    assert "--moved-days 0" in answers(refusal(csv, entry("3", "-3", "Lunch"), END))
    # Similar rows are the same transaction.
    assert csv.file(entry("3", "-3", "Coffee Berlin"), END).updated == 1


# -- other sources


@pytest.fixture
def both(person):
    """The OFX and CSV files of one account."""
    person.native({"reserved_model_type": "Account", "name": "Giro", "currencyCode": "EUR",
                   "sourceId": "1"})  # fmt: skip
    bank, csv = Bank(person), Bank(person, "csv")
    return lambda *entries, **o: bank.file(*entries, account_name="Giro", **o), csv.file


def test_two_formats_of_one_account_do_not_double(person, both):
    ofx, csv = both
    ofx(RENT, SHOP, CAFE)
    rows = [entry("2", "-900", "RENT January"), entry("6", "-30", "Shop"), entry("5", "-3", "C")]
    report = csv(*rows)
    assert (report.created, report.matched) == (0, 3)
    assert len(report.matches) == 3
    assert {row["payee"] for row in person.rows(RECORDS)} == {"Rent", "Shop", "Café"}
    before = person.snapshot()
    assert csv(*rows).unchanged == ofx(RENT, SHOP, CAFE).unchanged == 3
    assert person.snapshot() == before
    person.audit()


def test_undoing_the_match_takes_the_second_id_back(person, both):
    ofx, csv = both
    ofx(RENT)
    before = person.everything()
    csv(entry("2", "-900", "R"))
    assert person.everything() != before
    person.undo()
    assert person.everything() == before
    assert csv(entry("2", "-900", "R")).matched == 1


def test_left_overs_some_days_apart_are_asked_for(person, both):
    ofx, csv = both
    ofx(entry("1", "-1", "Bus", "1"), SHOP, entry("20", "-1", "Bus", "3"))
    rows = entry("1", "-1", "Bus"), entry("9", "-30", "Shop"), entry("20", "-1", "Bus")
    with pytest.raises(ImportRefused, match=r"--match-days N .*say --no-match") as refused:
        csv(*rows)
    # Without any matching, the other records would be duplicated.
    assert answers(refused.value) == ["--match-days 4", "--match-days 1"]
    assert csv(*rows, match_days=4).matched == 3
    person.undo()
    report = csv(*rows, match_days=1)
    assert (report.created, report.matched) == (1, 2)
    person.undo()
    report = csv(*rows, match=False)
    assert (report.created, report.matched) == (3, 0)


def test_near_days_come_before_far_ones_whatever_is_allowed(person, both):
    ofx, csv = both
    ofx(entry("1", "-1", "Bus", "1"), SHOP, entry("20", "-1", "Bus", "3"))
    rows = entry("1", "-1", "Bus"), entry("2", "-30", "Shop"), entry("6", "-30", "Shop")
    report = csv(*rows, entry("20", "-1", "Bus"), match_days=5)
    assert {m.before["recordDate"] // 86_400 - m.after["recordDate"] // 86_400
            for m in report.matches} == {0, 1}  # fmt: skip


def test_a_part_that_the_user_made_void_is_a_part_of_the_sum(person, both):
    ofx, csv = both
    csv(entry("5", "-10", "Ann", batch="b"), entry("5", "-20", "Ben", batch="b"))
    (ann,) = (row["id"] for row in person.rows(RECORDS) if row["payee"] == "Ann")
    edited(person, void_duplicates, [ann])
    assert ofx(entry("5", "-30", "Payroll", "1")).matched == 1
    assert kept(person) == [(5, -2_000, "Ben")]
    person.audit()


def test_a_batch_that_the_user_made_void_keeps_no_sum_out(person, both):
    ofx, csv = both
    csv(entry("5", "-10", "Ann", batch="b"), entry("5", "-20", "Ben", batch="b"))
    edited(person, void_duplicates, [row["id"] for row in person.rows(RECORDS)])
    assert ofx(entry("5", "-30", "Payroll", "1")).created == 1
    assert kept(person) == [(5, -3_000, "Payroll")]
    person.audit()


def test_a_new_account_whose_rows_stand_in_another_is_asked_for(person):
    ofx, csv = Bank(person), Bank(person, "csv")
    ofx.file(RENT, SHOP, CAFE)
    rows = [entry("2", "-900"), entry("5", "-30"), entry("5", "-3"), entry("7", "-1")]
    error = refusal(csv, *rows)
    assert "--account 'Checking 100'" in error.reason
    assert answers(error) == [
        "--account Checking 100 ---map account", "--new-account",
    ]  # fmt: skip
    assert csv.file(*rows, new_account=True).created == 4
    assert len(person.rows(ACCOUNTS)) == 2


def test_ids_known_to_be_stable_stay_those_of_a_record_whose_day_moved(bank):
    rows = [entry(str(n), "-3", f"Shop {n}", f"2026010{n}A") for n in range(2, 6)]
    rent = entry("30", "-900", "Rent", "20260130A")
    bank.file(*rows, rent)
    bank.file(*rows, entry("6", "-1", "Bus", "20260106A"), rent, days=("1", "31"))
    # The next download begins after the record's day, and has it on its own first day.
    later = entry("2026-02-02", "-900", "Rent", "20260130A")
    report = bank.file(later, entry("2026-02-09", "-8", "Gym", "20260209A"))
    assert (report.created, report.updated) == (1, 1)
    assert sum(payee == "Rent" for _, _, payee in kept(bank.person)) == 1


def test_short_numbers_as_ids_may_begin_with_1_again(bank):
    rows = [entry(str(n), "-3", f"Shop {n}", str(n)) for n in range(2, 6)]
    rent = entry("30", "-900", "Rent", "6")
    bank.file(*rows, rent)
    bank.file(*rows, rent, entry("30", "-1", "Bus", "7"))
    later = entry("2026-02-02", "-900", "Rent", "6")
    assert answers(refusal(bank, later)) == ["--ids stable", "--ids reused"]
