"""Records edited in a workbook and imported again: only the differences are stored."""

import csv
import io
from datetime import date

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.record_file import record_file
from finance_api.ledger.edits.records import remove_records
from finance_api.resources import RECORDS
from finance_api.serialization.formats import XLSX, body_of
from finance_api.serialization.rows import encoder_of
from finance_api.storage.memory import MemoryBackend
from support.edits import downloaded, edited, given_back
from support.ledger import Person, account, an_id, document, record
from support.nightly import count
from support.sheets import KINDS, xlsx

TEXTS = ["=1+1", "a;=b", "\tx", "a\n=b", "'=d", "Bäckerei  Groß ", "007", "2026-01-05", "12.5"]
TEXTS += ["_x0041_", "x" * 40_000, "1.234", "TRUE", 'say "hi"']


@pytest.fixture
def person():
    person = Person(MemoryBackend())
    person.native(
        account(),
        document("Category", 11, name="=Rent"),
        document("Category", 12, name="Food"),
        document("Label", 21, name="home"),
        *(
            record(100 + n, payee=text, note=TEXTS[-1 - n], categoryId=an_id(11 + n % 2))
            for n, text in enumerate(TEXTS)
        ),
    )
    return person


def workbook(person):
    """Return all records as the API's workbook."""
    return body_of(XLSX, "records", RECORDS.fields, encoder_of(RECORDS).lines(person.rows(RECORDS)))


def saved(book):
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def refused(person, data):
    before = person.snapshot()
    with pytest.raises(ChangeRefused) as caught:
        given_back(person, data)
    assert person.snapshot() == before
    return str(caught.value)


def test_workbook_given_back_changes_nothing(person):
    before = person.snapshot()
    report = given_back(person, workbook(person))
    assert (report.updated, report.changes) == (0, [])
    assert "not edited: " in report.remarks[0]
    assert (
        given_back(person, saved(openpyxl.load_workbook(io.BytesIO(workbook(person))))).changes
        == []
    )
    assert person.snapshot() == before


@pytest.mark.parametrize("kind", KINDS)
def test_csv_that_was_saved_as_a_spreadsheet_changes_nothing(person, kind):
    rows = list(csv.reader(io.StringIO(downloaded(person), newline="")))
    # Characters that no spreadsheet cell can contain are left out.
    rows = [row for row in rows if max(map(len, row)) < 32_000]
    assert given_back(person, KINDS[kind](rows)).changes == []


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_and_dates_that_say_what_is_stored_change_nothing(person, kind):
    cells = {"2026-01-05": date(2026, 1, 5), "12.5": 12.5, "1.234": 1.234}
    rows = [["id", "payee"]]
    rows += [[an_id(100 + TEXTS.index(text)), cell] for text, cell in cells.items()]
    assert given_back(person, KINDS[kind](rows)).changes == []
    changed = given_back(person, KINDS[kind]([["id", "payee"], [an_id(106), 7]]))
    assert [(c.old, c.new) for c in changed.changes] == [("007", "7")]


def test_edited_cells_of_a_workbook_are_changed_and_no_others(person):
    book = openpyxl.load_workbook(io.BytesIO(workbook(person)))
    sheet = book.active
    column = {cell.value: cell.column for cell in sheet[1]}
    row = next(r for r in range(2, sheet.max_row + 1) if sheet.cell(r, 1).value == an_id(100))
    sheet.cell(row, column["payee"]).value = "Landlord"
    sheet.cell(row, column["labels"]).value = "home"
    sheet.cell(row, column["amount"]).value = 99
    assert given_back(person, saved(book)).updated == 1
    after = person.row(RECORDS, 100)
    assert (after["payee"], after["labels"]) == ("Landlord", ("home",))
    assert after["setByHand"] == ("labelIds", "payee")
    assert after["amount"] == -15_000
    person.audit()


def test_sheet_with_the_column_id_is_the_one(person):
    rows = [["id", "payee"], [an_id(100), "x"]]
    assert given_back(person, xlsx(Notes=[["mine"]], Records=rows), dry_run=True).updated == 1
    assert "sheets with one: One, Two" in refused(person, xlsx(One=rows, Two=rows))
    assert "sheets with one: none" in refused(person, xlsx(One=[["a"]], Two=[["b"]]))
    assert "first row has no column id" in refused(person, xlsx([["name"]]))


def test_what_cannot_be_read_is_refused(person):
    rows = [["id", "payee"], [an_id(100), "=1+1"]]
    assert "B2 is a formula without a stored result" in refused(person, xlsx(rows))
    assert "spreadsheet is damaged" in refused(person, xlsx(rows)[:-9])
    unknown = refused(person, xlsx([["id", "payee"], [None], [an_id(9), "x"]]))
    assert unknown == f"no record has the id {an_id(9)} in line 3"


def test_records_are_removed_by_a_spreadsheet(person):
    def remove(session):
        with record_file(io.BytesIO(xlsx([[an_id(100)], [an_id(101)]]))) as file:
            return remove_records(session, (row.id for row in file.rows()))

    assert edited(person, remove).removed == 2


@settings(max_examples=count(10, 200))
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufffe\uffff"))))
def test_workbook_of_any_texts_given_back_changes_nothing(texts):
    person = Person(MemoryBackend())
    person.native(account(), *(record(100 + n, payee=text) for n, text in enumerate(texts)))
    assert not texts or given_back(person, workbook(person)).changes == []
