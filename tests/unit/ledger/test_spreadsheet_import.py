"""Imports of spreadsheets: all or nothing, nothing twice, and equal to the same data as CSV."""

from datetime import date

import pytest

from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.spreadsheet.importer import SpreadsheetImporter
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person
from support.sheets import KINDS

ROWS = [
    ["Date", "Payee", "Amount", "Id"],
    [date(2026, 1, 5), "Shop", -12.5, "a"],
    [date(2026, 1, 5), "Shop", -12.5, None],
    [date(2026, 1, 5), "Shop", -12.5, None],
    [date(2026, 1, 6), "Boss", 2500.25, 7],
]
CSV = "Date,Payee,Amount,Id\n" + "".join(
    f"{day},{payee},{amount},{'' if bank_id is None else bank_id}\n"
    for day, payee, amount, bank_id in ROWS[1:]
)


def take(person, kind, *, dry_run=False, **options):
    csv = CsvImporter(Mapping(account="A", currency="EUR", **options))
    if kind == "csv":
        return person.file(CSV, csv, dry_run=dry_run)
    return person.file(KINDS[kind](ROWS), SpreadsheetImporter(csv), dry_run=dry_run)


@pytest.mark.parametrize("kind", KINDS)
def test_file_is_imported_once_and_the_dry_run_says_how(kind):
    person = Person(MemoryBackend())
    dry = take(person, kind, dry_run=True)
    assert person.snapshot() == (0, b"")
    report = take(person, kind)
    assert report.as_json() == dry.as_json()
    assert report.created == 4
    assert sum(row["amount"] for row in person.rows(RECORDS)) == 24_627_500
    person.audit()
    before = person.snapshot()
    assert take(person, kind).unchanged == 4
    assert person.snapshot() == before


@pytest.mark.parametrize("first", ["csv", *KINDS])
def test_records_of_one_kind_are_those_of_every_other(first):
    person = Person(MemoryBackend())
    take(person, first)
    before = person.snapshot()
    for kind in ("csv", *KINDS):
        assert take(person, kind).unchanged == 4
        assert person.snapshot() == before


def test_options_of_a_csv_file_are_remembered_for_the_sheet_with_its_headings():
    person = Person(MemoryBackend())
    text = "Tag;Wer;Betrag\n05.01.26;Shop;-12,50\n"
    columns = {"recordDate": "Tag", "payee": "Wer", "amount": "Betrag"}
    options = {"columns": columns, "decimal": ",", "date_format": "DD.MM.YY", "delimiter": ";"}
    person.csv(text, account="A", currency="EUR", **options)
    rows = [["Tag", "Wer", "Betrag", None], [date(2026, 1, 5), "Shop", -12.5, None]]
    importer = SpreadsheetImporter(CsvImporter(Mapping(account="A")))
    assert person.file(KINDS["xlsx"](rows), importer).unchanged == 1
