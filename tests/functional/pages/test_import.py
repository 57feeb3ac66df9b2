"""The page Import: from a file to a preview to data, on every storage."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Upload, UploadState, reading, unit_of_work
from finance_api.values.regions import region_of
from finance_api.web.import_texts import PageWriter
from support.bank_files import SAMPLES
from support.browser import changed_tables, dump, location
from support.browser import few_users as services  # noqa: F401
from support.html import forms, shown_text
from support.ledger import an_id, ofx_file, ofx_statement
from support.native_rows import account, record
from support.service import native_line, on_one_storage
from support.uploads import ONE_OPEN, OPEN, STATEMENT, do, history_of, records_of, sent, uploads_of

# -- the walk ------------------------------------------------------------------------------------


def test_a_file_is_looked_at_and_stored_once_it_is_confirmed(service, user, visitor):
    before = dump(service)
    path = sent(visitor, STATEMENT, name="Umsätze März.csv")
    text = shown_text(visitor.get(path).text)
    for expected in ("Preview", "Umsätze März.csv", "Format csv", "utf-8"):
        assert expected in text
    for expected in ("Current account New account, 1 Mar 2026 to 3 Mar 2026", "New 3 Updated 0"):
        assert expected in text
    # First money in, money out and balance; then the records, newest first.
    assert "2,000.00 −16.50 1,983.50 EUR" in text
    assert "Café 3 Mar 2026 None Current account −4.00 EUR Employer" in text
    assert changed_tables(before, dump(service)) <= {"uploads", "upload_pieces", "sessions"}

    assert do(visitor, path, "confirm") == path
    text = shown_text(visitor.get(path).text)
    assert "The file is imported." in text
    found = {(row["payee"], row["amount"]) for row in records_of(service, user)}
    assert found == {("Corner Shop", -125_000), ("Employer", 20_000_000), ("Café", -40_000)}
    (entry,) = history_of(service, user)
    assert (entry.action, entry.by, entry.details["file"]["name"]) == (
        "import",
        "page",
        "Umsätze März.csv",
    )
    # The result is kept for an hour, but the file is deleted.
    (upload,) = uploads_of(service, user)
    assert upload.state is UploadState.DONE
    with reading(service.backend) as storage:
        assert storage.uploads.get_piece(user.id, upload.id, 0) == b""
    # The same file again adds nothing.
    again = sent(visitor, STATEMENT)
    assert "Already there 3" in shown_text(visitor.get(again).text)
    assert not [f for f in forms(visitor.get(again).text) if f.action.endswith("confirm")]


def test_what_is_missing_is_asked_for_and_given_in_a_form(service, user, visitor):
    path = sent(visitor, OPEN)
    page = visitor.get(path)
    (upload,) = uploads_of(service, user)
    *questions, currency = upload.outcome["questions"]
    # The currency is asked for beside the account.
    assert currency["topic"] == "new_account_currency"
    written = PageWriter(region_of("en-GB"))
    for question in questions:
        assert written.of_json(question)[1:] in shown_text(page.text)
    assert "--" not in shown_text(page.text)
    # The page shows the row and the columns' first values.
    assert "Line Day Value Text 2 2026-03-01 12.50 Corner Shop 3" in shown_text(page.text)
    assert "12.50 · 20.00" in shown_text(page.text)
    asked = next(form for form in forms(page.text) if form.action.endswith("options"))
    # The direction of money is never preselected.
    assert dict(asked.fields)["positive"] == ""
    given = {"positive": "out", "new-account-name": "Card", "currency": "€"}
    given |= {"column-2": "payee"}
    assert do(visitor, path, "options", **given) == path
    text = shown_text(visitor.get(path).text)
    assert "Preview" in text and "−32.50" in text and "Card New account" in text
    assert "Date is 'Day': its heading says so" in text and "recordDate" not in text
    first = "How the first rows are read Payee Date Amount Corner Shop 1 Mar 2026 −12.50 EUR"
    assert first in text
    do(visitor, path, "confirm")
    rows = {(row["payee"], row["amount"]) for row in records_of(service, user)}
    assert rows == {("Corner Shop", -125_000), ("Bakery", -200_000)}
    (entry,) = history_of(service, user)
    assert entry.details["options"]["positive"] == "out"
    # The options are remembered: the next month's file needs only the account.
    path = sent(visitor, OPEN.replace(b"2026-03", b"2026-04"))
    if "Preview" not in shown_text(visitor.get(path).text):
        do(visitor, path, "options", account="Card")
    assert "New 2" in shown_text(visitor.get(path).text)


def test_one_thing_that_is_open_takes_one_click(service, user, visitor):
    path = sent(visitor, ONE_OPEN)
    page = visitor.get(path).text
    assert (
        "Line Date Amount Payee Account Currency 2 2026-03-01 12.50 Bakery Card EUR 3"
        in shown_text(page)
    )
    # Both choices with what they do, in the region of the user.
    assert (
        "The amount of line 2 goes out Line 2: −12.50 on 1 Mar 2026 Line 3: −3.00 on 2 Mar 2026 "
        "The amount of line 2 comes in Line 2: +12.50 on 1 Mar 2026 Line 3: +3.00 on 2 Mar 2026"
        in shown_text(page)
    )
    assert 'type="radio"' not in page
    # Enter in a field presses the first button, which chooses nothing.
    first = page.partition('class="panel form options"')[2].partition("<button ")[2]
    assert first.startswith("hidden>")
    do(visitor, path, "options", **{"answer-0": "0"})
    assert "−15.50" in shown_text(visitor.get(path).text)


def test_a_preview_can_be_read_otherwise_and_a_file_discarded(service, user, visitor):
    path = sent(visitor, STATEMENT)
    do(visitor, path, "options", positive="in")
    page = visitor.get(path).text
    assert "Preview" in shown_text(page)
    do(visitor, path, "options", **{"column-2": "note"})
    assert "Corner Shop" in shown_text(visitor.get(path).text)
    assert do(visitor, path, "discard") == "/import?done=discarded"
    visitor.get(path, status=404)
    assert uploads_of(service, user) == []
    assert records_of(service, user) == []


@on_one_storage
def test_what_would_be_updated_or_matched_is_shown_with_both_sides(service, user, visitor):
    rows = STATEMENT.replace(b"date,", b"id,date,").replace(b"2026-", b"n,2026-")
    numbered = b"".join(
        line.replace(b"n,2", b"%d,2" % number)
        for number, line in enumerate(rows.splitlines(keepends=True))
    )
    do(visitor, sent(visitor, numbered), "confirm")
    path = sent(visitor, numbered.replace(b"-12.50", b"-13"))
    text = shown_text(visitor.get(path).text)
    assert "Would be updated 1 Line 2 Amount: −12.50 → −13.00" in text
    ofx = ofx_file(ofx_statement([("20260301", "-12.50", "9", "Shop")])).encode()
    path = sent(visitor, ofx)
    do(visitor, path, "options", account="Current account")
    text = shown_text(visitor.get(path).text)
    assert "Matched 1" in text
    assert "2026-03-01, −12.50, Shop = is 2026-03-01, −12.50, Corner Shop" in text


@on_one_storage
def test_a_database_that_is_busy_changes_nothing(service, user, visitor, monkeypatch):
    path = sent(visitor, STATEMENT)
    with monkeypatch.context() as away:

        def fail(*arguments, **options):
            raise StorageUnavailable("the database at db.example does not answer")

        away.setattr("finance_api.uploads.work.import_file", fail)
        do(visitor, path, "confirm")
    text = shown_text(visitor.get(path).text)
    assert "The database was unavailable" in text
    assert "db.example" not in text
    do(visitor, path, "again")
    do(visitor, path, "confirm")
    assert len(records_of(service, user)) == 3


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"%PDF-1.7 x", "PDF"),
        (b"PK\x03\x04 nothing", "ZIP"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"OFXHEADER:100\r\nDATA:OFXSGML\r\n<OFX><BANKMSGSRSV1>", ""),
        (b'{"reserved_model_type": "Nothing"}\n', "line 1"),
        (b"\x00\xff\xff\x00" * 99, "a binary file"),
        (b"a,b\n1\n", "not in a known format"),
        (b"Dear customer,\nhere is your statement\n", "not in a known format"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00" + bytes(900), "a binary file"),
        (b"date,amount\n2026-01-02,-5\n2026-01-03,abc\n", "'abc' is not an amount. (line 3)"),
        (b":20:X\n:25:1\n:28C:1/1\n:60F:C260101EUR1,\n:61:2601", "has no end: it is cut off"),
    ],
)
@on_one_storage
def test_a_file_that_cannot_be_read_is_refused_with_its_reason(service, visitor, content, why):
    path = sent(visitor, content)
    text = shown_text(visitor.get(path).text)
    assert "The file cannot be imported" in text
    assert why in text
    # There is no form if it could not help.
    assert not [f for f in forms(visitor.get(path).text) if f.action.endswith("options")]
    assert "Traceback" not in text


@on_one_storage
def test_native_data_spreadsheets_and_bank_files_come_in_by_the_page(service, user, visitor):
    account = {
        "reserved_model_type": "Account",
        "id": "0e2b6a1c-91a5-4c0f-8a5e-5c1f1f0c7d21",
        "name": "Own",
        "currencyCode": "EUR",
    }
    path = sent(visitor, json.dumps(account).encode())
    assert "Format native" in shown_text(visitor.get(path).text)
    do(visitor, path, "confirm")
    assert "imported" in shown_text(visitor.get(path).text)
    from support.sheets import xlsx  # type: ignore[attr-defined]

    path = sent(visitor, xlsx([["date", "amount", "payee"], ["2026-03-01", "-1.5", "Bakery"]]))
    do(visitor, path, "options", account="Own")
    assert "−1.50" in shown_text(visitor.get(path).text)


@on_one_storage
def test_types_of_ofx_without_a_direction_are_asked_about_and_answered(service, user, visitor):
    rows = "".join(
        f"<STMTTRN><TRNTYPE>{kind}<DTPOSTED>20260301<TRNAMT>{amount}<FITID>{kind}</STMTTRN>"
        for kind, amount in (("DEBIT", "12"), ("XFER", "7"))
    )
    origin = "<CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>"
    path = sent(visitor, f"<OFX><STMTRS>{origin}<BANKTRANLIST>{rows}</STMTRS></OFX>".encode())
    text = shown_text(visitor.get(path).text)
    goes_out = "XFER goes out Line 1: −12.00 on 1 Mar 2026 and −7.00 on 1 Mar 2026"
    assert f"{goes_out} XFER comes in Line 1: −12.00" in text and "TRNTYPE=" not in text
    do(visitor, path, "options", **{"answer-0": "2"})
    assert "7.00 −12.00" in shown_text(visitor.get(path).text)
    do(visitor, path, "confirm")
    assert sorted(row["amount"] for row in records_of(service, user)) == [-120_000, 70_000]


def test_a_result_leads_to_the_new_records_and_those_without_a_category(service, user, visitor):
    rows = STATEMENT.replace(b"date,", b"category,date,").replace(b"\n2026", b"\n,2026")
    first = sent(visitor, rows.replace(b"\n,2026-03-02", b"\nSalary,2026-03-02"))
    do(visitor, first, "confirm")
    assert "/payees/categories" in visitor.get(first).text
    sent(visitor, OPEN)
    path = sent(visitor, STATEMENT + b"2026-03-09,-5,Kiosk,Current account,EUR\n")
    do(visitor, path, "confirm")
    page = visitor.get(path)
    text = shown_text(page.text)
    assert "/payees/categories" not in page.text
    assert "See the 1 new record 1 has no category: sort it 1 file waits" in text
    (undo,) = (form for form in forms(page.text) if "/imports/2/undo" in form.action)
    for number, link, records in ((1, "import=1", 3), (1, "import=1&category=none", 2)):
        assert f"{records} records of import {number}" in shown_text(
            visitor.get(f"/records?{link}").text
        )
    assert "1 record of import 2" in shown_text(visitor.get("/records?import=2").text)
    assert "3 records" not in shown_text(visitor.get("/records?import=x").text)
    # A result without new records offers the overview.
    again = sent(visitor, STATEMENT)
    assert "Nothing new" in shown_text(visitor.get(again).text)
    page = visitor.follow(visitor.post(undo.action, undo.fields, status=303))
    assert page.request.path == "/imports/2" and shown_text(page.text).count("Undone") == 1


# -- undoing -------------------------------------------------------------------------------------


def test_an_import_is_undone_after_a_preview(service, user, visitor):
    assert "Nothing has changed yet" in visitor.get("/imports").text
    path = sent(visitor, STATEMENT)
    do(visitor, path, "confirm")
    text = shown_text(visitor.get("/imports").text)
    assert "bank.csv imported: 3 new. 1 · csv · on a page" in text and "Current account" in text
    text = shown_text(visitor.get("/imports/1").text)
    for expected in ("Import 1", "Records still there 3", "Created 3", "1 Mar 2026 3 Mar 2026"):
        assert expected in text
    before = dump(service)
    text = shown_text(visitor.get("/imports/1/undo").text)
    assert "Removed 1 account, 3 records" in text
    assert changed_tables(before, dump(service)) <= {"sessions"}
    assert len(records_of(service, user)) == 3
    form = visitor.form("/imports/1/undo")
    response = visitor.post(form.action, form.fields, status=303)
    assert location(response) == "/imports/1?done=undone"
    assert records_of(service, user) == []
    text = shown_text(visitor.get("/imports/1").text)
    assert "Undone" in text
    assert location(visitor.get("/imports/1/undo", status=303)) == "/imports/1"
    assert location(visitor.post(form.action, form.fields, status=303)) == "/imports/1?done=undone"
    visitor.get("/imports/2", status=404)
    visitor.get("/imports/2/undo", status=404)
    visitor.get("/imports/x", status=404)


def test_an_undo_of_data_that_has_changed_is_shown_again(service, user, visitor):
    do(visitor, sent(visitor, STATEMENT), "confirm")
    form = visitor.form("/imports/1/undo")
    later = STATEMENT.replace(b"2026-03-03,-4", b"2026-03-04,-5")
    do(visitor, sent(visitor, later), "confirm")
    response = visitor.post(form.action, form.fields, status=409)
    assert "Your data has changed since you opened this page" in response.text
    text = shown_text(visitor.get("/imports/1/undo").text)
    assert "It cannot be undone on its own" in text
    assert len(records_of(service, user)) == 4
    assert "bank.csv imported: 1 new" in text and "Keep later manual edits" not in text
    page = "/imports/1/undo?later=undo"
    text = shown_text(visitor.get(page).text)
    assert "Undoes 2 bank.csv imported: 1 new. Undoes 1 bank.csv imported: 3 new." in text
    form = visitor.form(page)
    visitor.post(form.action, form.fields, status=303)
    assert records_of(service, user) == []


def test_a_whole_book_is_looked_at_and_stored(service, user, visitor):
    book = (SAMPLES / "books" / "actual-household.zip").read_bytes()
    path = sent(visitor, book, name="My-Finances.zip")
    text = shown_text(visitor.get(path).text)
    assert "Format actual" in text
    assert "starting balances that are initial balances of accounts" in text.lower()
    do(visitor, path, "confirm")
    assert "The file is imported." in shown_text(visitor.get(path).text)
    assert len(records_of(service, user)) == 27
    again = sent(visitor, book)
    assert not [f for f in forms(visitor.get(again).text) if f.action.endswith("confirm")]


def test_a_book_is_followed(service, user, visitor, tmp_path):
    book = (SAMPLES / "books" / "actual-household.zip").read_bytes()
    path = sent(visitor, book, name="My-Finances.zip")
    assert "What the book no longer has stays here." in shown_text(visitor.get(path).text)
    do(visitor, path, "options", follow="yes")
    assert "The book is followed" in shown_text(visitor.get(path).text)
    do(visitor, path, "confirm")
    assert len(records_of(service, user)) == 27
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        database = Path(archive.extract("db.sqlite", tmp_path))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE transactions SET tombstone = 1")
        connection.commit()
    path = sent(visitor, database.read_bytes())
    do(visitor, path, "options", follow="yes")
    question = "25 of 25 records would go, because the book no longer has them"
    assert question in shown_text(visitor.get(path).text)
    # The answer is not filled in.
    do(visitor, path, "options")
    assert question in shown_text(visitor.get(path).text)
    do(visitor, path, "options", follow="yes", confirm_smaller="yes")
    assert "Removed 28" in shown_text(visitor.get(path).text)
    do(visitor, path, "confirm")
    assert records_of(service, user) == []


def test_a_followed_book_that_asks_waits_until_it_is_answered(service, user, visitor):
    of_book = [{**account(1), "source": "book:1", "sourceId": "1"}]
    of_book += [{**record(n), "source": "book:1", "sourceId": f"r{n}"} for n in range(40)]
    path = sent(visitor, "".join(map(native_line, of_book)).encode())
    do(visitor, path, "options", follow="yes")
    do(visitor, path, "confirm")
    smaller = "".join(map(native_line, of_book[:2])).encode()
    with unit_of_work(service.backend) as storage:
        waiting = Upload(
            id=an_id(1),
            name="book.ndjson",
            size=len(smaller),
            created_at=service.clock.now() + 86_400,
            state=UploadState.FAILED,
            options={"follow": True},
            outcome={"why": "This book is followed, and was refused."},
        )
        storage.uploads.add(user.id, waiting, [smaller])
    service.clock.advance(7_200)
    visitor.sign_in(user)
    text = shown_text(visitor.get("/import").text)
    assert "book.ndjson" in text
    assert "You answer" in text
    path = f"/import/{an_id(1)}"
    assert "This book is followed, and was refused." in shown_text(visitor.get(path).text)
    do(visitor, path, "again")
    assert "39 of 40 records would go" in shown_text(visitor.get(path).text)
    do(visitor, path, "options", follow="yes", confirm_smaller="yes")
    do(visitor, path, "confirm")
    assert len(records_of(service, user)) == 1
    assert "book.ndjson" not in shown_text(visitor.get("/import").text)


def test_the_currency_of_a_book_is_asked_for(service, user, visitor):
    path = sent(visitor, (SAMPLES / "books" / "actual-imported.zip").read_bytes())
    assert "The file does not state its currency" in shown_text(visitor.get(path).text)
    do(visitor, path, "options", currency="USD")
    do(visitor, path, "confirm")
    assert {row["currencyCode"] for row in records_of(service, user)} == {"USD"}


def test_a_whole_plan_is_looked_at_and_stored(service, user, visitor):
    path = sent(visitor, (SAMPLES / "books" / "ynab-household.json").read_bytes())
    text = shown_text(visitor.get(path).text)
    assert "Format ynab" in text and "notes of accounts, categories and months" in text.lower()
    do(visitor, path, "confirm")
    assert len(records_of(service, user)) == 20


def test_a_packed_book_is_looked_at_and_stored(service, user, visitor):
    path = sent(visitor, (SAMPLES / "books" / "gnucash-household.gnucash").read_bytes())
    text = shown_text(visitor.get(path).text)
    assert "Format gnucash" in text
    assert "transactions that close the books, not imported: 1" in text.lower()
    do(visitor, path, "confirm")
    assert "The file is imported." in shown_text(visitor.get(path).text)
