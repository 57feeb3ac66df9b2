"""Spreadsheets of another project, compared with the results of openpyxl."""

from decimal import Decimal

import openpyxl
import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import to_units
from finance_api.values.time import date_text
from support.corpora import STATEMENTS
from support.csv_files import answers
from support.sheets import read_sheet

FILES = {path.name: path for path in sorted(STATEMENTS.rglob("*.xls*"))}

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")

SIDES = "meta_data_separated_credit_debit.xlsx"


def test_every_file_of_the_corpus_has_a_test() -> None:
    assert sorted(FILES) == [
        "empty_statement_en.xlsx",
        SIDES,
        "sample_statement_en_empty_values.xlsx",
    ]


def test_sheet_with_headings_only_is_a_statement() -> None:
    (found,) = read_sheet(FILES["empty_statement_en.xlsx"].read_bytes(), account="A")
    assert found.entries == []


def test_columns_of_debit_and_credit_have_the_sum_that_openpyxl_finds() -> None:
    data = FILES[SIDES].read_bytes()
    with pytest.raises(ImportRefused) as refused:
        read_sheet(data, account="A")
    rest = "--skip-last 1 --currency CODE ---date-format ---skip-last"
    forms = ("YY/MM/DD", "DD/MM/YY", "MM/DD/YY")
    assert answers(refused.value) == [f"--date-format {form} {rest}" for form in forms]
    (found,) = read_sheet(
        data,
        account="A",
        debit="Debit",
        credit="Credit",
        date_format="DD/MM/YY",
        skip_last=1,
        columns={"note": "Label"},
    )
    expected = []
    for day, _, label, debit, credit, _ in openpyxl.load_workbook(FILES[SIDES]).active.values:
        if label and label.startswith("LABEL"):
            amount = to_units(Decimal((debit or credit).replace(",", ".")))
            expected.append((f"20{day[6:]}-{day[3:5]}-{day[:2]}", amount, label))
    assert [(date_text(e.date), e.amount, e.note) for e in found.entries] == expected
    assert len(expected) == 4


def test_amounts_with_an_apostrophe_are_refused_with_the_columns_that_there_are() -> None:
    data = FILES["sample_statement_en_empty_values.xlsx"].read_bytes()
    with pytest.raises(ImportRefused, match="the headings are 'REF', 'DESCRIPTION', 'DEBIT'"):
        read_sheet(data, account="A")
    with pytest.raises(ImportRefused, match="''579,68 USD' is not an amount") as refused:
        read_sheet(data, account="A", debit="DEBIT", credit="CREDIT", no_text=True)
    assert refused.value.line == 2
