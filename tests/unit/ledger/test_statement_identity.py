"""Entries of statements are matched when they come again; values in the file win."""

import pytest

from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from support.ledger import an_id, document, ofx_file, ofx_statement, units

ENTRY = ("20260101", "-5.25", "F1", "Shop", "bread")
CSV = "date,amount,payee,note\n2026-01-01,-5.25,Shop,bread\n2026-01-02,7,Boss,\n"


def one(*transactions, **options):
    return ofx_file(ofx_statement(transactions, **options))


def as_native(row, **changes):
    """A stored record as native input, with changes."""
    return {
        "reserved_model_type": "Record",
        "id": row["id"],
        "accountId": row["accountId"],
        "amount": 0,
        "recordDate": "2020-01-01",
        "source": row["source"],
        "sourceId": row["sourceId"],
        **changes,
    }


def test_entry_becomes_a_record_of_its_account(person):
    person.ofx(one(ENTRY))
    row, account = person.only(RECORDS), person.only(ACCOUNTS)
    assert row["accountId"] == account["id"]
    assert (row["amount"], row["payee"], row["note"]) == (units("-5.25"), "Shop", "bread")
    assert row["currencyCode"] == account["currencyCode"] == "EUR"
    assert b'"recordDate":"2026-01-01T00:00:00Z"' in person.dump()
    assert row["source"] == "ofx"
    assert all(part in row["sourceId"] for part in ("20", "100", "F1"))


def test_correction_wins_for_amount_date_payee_and_note(person):
    person.ofx(one(ENTRY))
    before = ("20260101", "1", "F0", "Boss")
    report = person.ofx(one(before, ("20260105", "-5.25", "F1", "Store", "rolls")))
    assert (report.created, report.updated) == (1, 1)
    person.ofx(one(before, ("20260105", "-6", "F1", "Store", "rolls")))
    row = next(row for row in person.rows(RECORDS) if row["amount"] < 0)
    assert (row["amount"], row["payee"], row["note"]) == (units("-6"), "Store", "rolls")
    assert b'"recordDate":"2026-01-05T00:00:00Z"' in person.dump()
    person.ofx(one(before, ("20260105", "-6", "F1", "Store")))
    assert person.row(RECORDS, row["id"])["note"] is None
    person.audit()


def test_stored_category_and_labels_stay(person):
    person.ofx(one(ENTRY))
    kept = {"categoryId": an_id(3), "labelIds": [an_id(4)], "paymentType": "voucher"}
    person.native(
        document("Category", 3),
        document("Label", 4),
        as_native(person.only(RECORDS), recordState="reconciled", **kept),
    )
    assert person.ofx(one(ENTRY)).unchanged == 1
    row = person.only(RECORDS)
    # The native file's values are not compared with the statement, which states nothing new.
    assert (row["amount"], row["payee"]) == (0, None)
    assert (row["categoryId"], row["labelIds"]) == (an_id(3), (an_id(4),))
    assert (row["paymentType"], row["recordState"]) == ("voucher", "reconciled")
    person.audit()


def test_stored_absence_of_a_category_stays_too(person):
    person.csv(CSV.replace("note", "category"), account="Giro", currency="EUR")
    rows = person.rows(RECORDS)
    person.native(*(as_native(row) for row in rows))
    person.csv(CSV.replace("note", "category"), account="Giro", currency="EUR")
    assert [row["categoryId"] for row in person.rows(RECORDS)] == [None, None]


def test_same_file_of_two_users_gives_different_ids(new_person):
    people = [new_person(), new_person()]
    for person in people:
        person.ofx(one(ENTRY))
    for resource in (RECORDS, ACCOUNTS):
        first, second = (person.only(resource) for person in people)
        assert first["id"] != second["id"]
        assert first["sourceId"] == second["sourceId"]


def test_one_fitid_on_two_accounts_is_two_records(person):
    person.ofx(ofx_file(ofx_statement([ENTRY]), ofx_statement([ENTRY], number="200")))
    assert len(person.rows(RECORDS)) == len(person.rows(ACCOUNTS)) == 2
    person.audit()


def test_csv_rows_with_an_id_column_are_found_by_it(person):
    options = {"account": "Giro", "currency": "EUR", "columns": {"id": "ref"}}
    person.csv("date,amount,ref\n2026-01-01,-5,a\n2026-01-02,-6,b\n", **options)
    report = person.csv("date,amount,ref\n2026-01-02,-7,b\n", **options)
    assert (report.created, report.updated) == (0, 1)
    assert person.only(ACCOUNTS)["balance"] == units("-12")


def test_saying_the_currency_or_not_makes_no_new_records(person):
    person.csv(CSV, account="Giro", currency="EUR")
    before = person.snapshot()
    person.csv(CSV, account="Giro")
    assert person.snapshot() == before


def test_files_category_is_made_once_and_found_by_its_name(person):
    person.native(document("Category", 3, name="Food"))
    text = "date,amount,category\n2026-01-01,-5,Food\n2026-01-02,-6,Fun\n2026-01-03,-7,Fun\n"
    person.csv(text, account="Giro", currency="EUR")
    assert sorted(row["name"] for row in person.rows(CATEGORIES)) == ["Food", "Fun"]
    before = person.snapshot()
    person.csv(text, account="Giro", currency="EUR")
    assert person.snapshot() == before
    person.audit()


@pytest.mark.parametrize("length", [600, 20_000])
def test_long_account_names_and_texts_are_kept_so_that_a_dump_comes_in_again(
    person, new_person, length
):
    name = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(length))
    text = f"date,amount,account,category,payee\n2026-01-01,-5,{name},{name},{name * 4}\n"
    person.csv(text, currency="EUR")
    before = person.snapshot()
    person.csv(text, currency="EUR")
    assert person.snapshot() == before
    other = new_person()
    other.file(person.dump())
    assert other.dump() == person.dump()


def test_record_that_was_given_another_source_id_is_not_taken_for_the_old_one(person):
    person.ofx(one(ENTRY))
    old = person.only(RECORDS)
    person.native(as_native(old, sourceId="mine", source="me"))
    person.ofx(one(ENTRY))
    assert person.row(RECORDS, old["id"])["sourceId"] == "mine"
