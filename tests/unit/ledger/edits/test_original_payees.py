"""A renamed record keeps the payee that its file had, and files still find it."""

from collections import Counter

import pytest

from finance_api.ledger.edits.records import add_record, change_records
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.resources.records import ENTERED
from support.bank_files import camt, camt_entry, camt_part, camt_statement
from support.edits import edited
from support.ofx import statement, transaction
from support.statements import Bank, day, entry

BANK_TEXT = "AMZN Mktp DE*2K4LL8"


def rename(person, payee, name="Amazon"):
    rows = [row["id"] for row in person.rows(RECORDS) if row["payee"] == payee]
    assert rows
    return edited(person, change_records, rows, {"payee": name})


def payees(person):
    """Count the records by their payee and original payee."""
    return Counter((row["payee"], row["originalPayee"]) for row in person.rows(RECORDS))


def csv(person, *days):
    rows = "".join(f"2026-01-{number:02};-5.00;{BANK_TEXT}\n" for number in days)
    return person.csv(
        "Date;Amount;Payee\n" + rows,
        columns={"date": "Date", "amount": "Amount", "payee": "Payee"},
        account="Giro",
        currency="EUR",
    )


def ofx(person, *days):
    fields = f"<NAME>{BANK_TEXT}"
    each = (transaction("", "-5", f"202601{number:02}", fields) for number in days)
    return person.ofx(f"<OFX>{statement(*each)}</OFX>")


def camt_file(person, *days):
    details = camt_part(name=BANK_TEXT)
    each = [camt_entry(f"2026-01-{number:02}", "-5.00", details=details) for number in days]
    return person.bank_file(camt(camt_statement(each)))


@pytest.mark.parametrize("file", [csv, ofx, camt_file])
def test_files_without_ids_add_nothing_to_renamed_records(person, file):
    file(person, 1, 2, 2, 9)
    rename(person, BANK_TEXT)
    assert payees(person) == {("Amazon", BANK_TEXT): 4}
    before = person.snapshot()
    assert file(person, 1, 2, 2, 9).created == 0
    assert person.snapshot() == before
    # An overlapping file brings its new payment alone.
    assert file(person, 2, 2, 9, 15).created == 1
    assert payees(person) == {("Amazon", BANK_TEXT): 4, (BANK_TEXT, None): 1}


def test_the_text_of_the_file_stays_whatever_the_payee_becomes(person):
    csv(person, 1)
    rename(person, BANK_TEXT, "Amazon")
    rename(person, "Amazon", "Marketplace")
    assert payees(person) == {("Marketplace", BANK_TEXT): 1}
    rename(person, "Marketplace", None)
    assert payees(person) == {(None, BANK_TEXT): 1}
    rename(person, None, BANK_TEXT)
    assert payees(person) == {(BANK_TEXT, None): 1}
    rename(person, BANK_TEXT, "Amazon")
    assert payees(person) == {("Amazon", BANK_TEXT): 1}


def test_a_payee_that_a_person_typed_is_nobodys_original(person):
    csv(person, 1)
    values = {"amount": -10_000, "recordDate": day("3"), "payee": "Kiosk"}
    account_id = person.only(RECORDS)["accountId"]
    edited(person, add_record, {**values, "accountId": account_id})
    rename(person, "Kiosk", "Newsagent")
    assert ("Newsagent", None) in payees(person)
    assert "originalPayee" not in [field.name for field in ENTERED]


def test_parts_of_a_split_keep_the_text_of_the_file(person):
    csv(person, 1)
    edited(person, split_record, person.only(RECORDS)["id"], [Part(-20_000), Part(-30_000)])
    one, other = person.rows(RECORDS)
    edited(person, change_records, [one["id"]], {"payee": "Amazon"})
    assert person.row(RECORDS, one["id"])["originalPayee"] == BANK_TEXT
    assert person.row(RECORDS, other["id"])["originalPayee"] is None
    assert csv(person, 1).created == 0


def test_a_text_that_the_bank_corrects_is_the_original_then(person):
    bank = Bank(person)
    bank.file(entry("1", "-5", "AMZN", "1"), entry("2", "-5", "AMZN", "2"))
    edited(person, change_records, [person.rows(RECORDS)[0]["id"]], {"payee": "Amazon"})
    bank.file(entry("1", "-5", "AMZN DE", "1"), entry("2", "-5", "AMZN DE", "2"))
    assert payees(person) == {("Amazon", "AMZN DE"): 1, ("AMZN DE", None): 1}


def test_words_are_looked_for_in_both_payees(person):
    csv(person, 1)
    rename(person, BANK_TEXT)
    for text, count in (("amazon", 1), ("amzn", 1), ("mktp amazon", 1), ("walmart", 0)):
        conditions = parse_words(text)
        found = person.look(
            lambda s, c=conditions: s.data.scan_rows(person.user.id, RECORDS, conditions=c)
        )
        assert len(found) == count, text


def test_a_dump_keeps_both_payees(person, new_person):
    csv(person, 1)
    rename(person, BANK_TEXT)
    other = new_person()
    other.file(person.dump())
    assert payees(other) == {("Amazon", BANK_TEXT): 1}
    assert csv(other, 1).created == 0
