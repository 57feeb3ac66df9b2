"""Spreadsheets: the choice of the sheet, the values of cells, and refusals."""

import io
import re
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal

import openpyxl
import pytest
import xlsxwriter
from hypothesis import example, given, settings
from hypothesis import strategies as st

from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.csv.vocabulary import may_sum_up
from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.importers.spreadsheet.conversion import number_text
from finance_api.importers.spreadsheet.importer import SpreadsheetImporter, open_workbook
from finance_api.values.number import decimal_text, to_units
from finance_api.values.text import clean
from finance_api.values.time import date_text, instant_text
from support import csv_files
from support.corpora import STATEMENTS
from support.csv_files import answers
from support.nightly import count
from support.sheets import (
    HEADINGS,
    KINDS,
    ROWS,
    Rows,
    kinds,
    read_sheet,
    refusal,
    the_entries,
    xlsx,
)
from support.whole import read_whole


def with_amounts(*amounts: object, headings: Rows = (HEADINGS,)) -> Rows:
    return [*headings, *([date(2026, 1, 5), "x", amount] for amount in amounts)]


# -- what the cells say


@kinds
def test_sheet_is_read_as_the_same_rows_of_csv_are(kind: str) -> None:
    text = (
        'Date,Payee,Amount\r\n2026-01-05,Corner Shop,-12.5\r\n2026-01-06,"Employer\nLtd",2500\r\n'
    )
    (csv,) = csv_files.read(text, account="A")
    (sheet,) = read_sheet(KINDS[kind](ROWS), account="A")
    assert sheet.entries == csv.entries
    assert sheet.statement == replace(csv.statement, encoding=None)
    assert detect_format(io.BytesIO(KINDS[kind](ROWS))).name == "spreadsheet"


@kinds
def test_cells_of_each_type_become_text(kind: str) -> None:
    cells = [1, 0.1, -12.345, 1.1, 1e22, True, "x", "007", date(2026, 1, 5), time(13, 5)]
    cells += [datetime(2026, 1, 5, 13, 45, 28), "a\r\nb"]
    rows = [["Date", "Amount", *map(str, range(len(cells)))], [date(2026, 1, 5), 1, *cells]]
    with open_workbook(io.BytesIO(KINDS[kind](rows))) as (sheet,):
        _, line = sheet.text.lines()
    assert line.split(",", 2)[2] == (
        "1,0.1,-12.345,1.1,10000000000000000000000,true,x,007,2026-01-05,13:05:00,"
        '2026-01-05T13:45:28,"a\nb"\r\n'
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(5e-324)
def test_number_is_the_shortest_decimal_that_is_the_same(number: float) -> None:
    text = number_text(number)
    assert re.fullmatch(r"0|-?(?:[1-9][0-9]*|0)(?:\.[0-9]*[1-9])?", text)
    assert float(text) == number
    digits = text.replace("-", "").replace(".", "").strip("0")
    for fewer in range(1, len(digits)):
        assert float(f"{number:.{fewer - 1}e}") != number


#: A text such as TOTAL may name a sum, and is asked about.
TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=12)
WRITTEN = st.tuples(
    st.dates(date(1970, 1, 1), date(2027, 12, 31)),
    TEXTS.filter(lambda text: not may_sum_up(text)),
    st.integers(-10_000_000, 10_000_000).map(lambda units: units / 10_000),
)


@pytest.mark.nightly
@settings(max_examples=count(10, 300))
@given(st.lists(WRITTEN, min_size=1, max_size=20), st.sampled_from(list(KINDS)))
def test_whatever_is_written_is_read(rows: list[tuple], kind: str) -> None:
    # A last row without a text may be a balance, and is asked about.
    rows = [*rows, (rows[-1][0], "Shop", rows[-1][2])]
    found = the_entries(KINDS[kind]([HEADINGS, *rows]), positive="in")
    assert [(date_text(e.date), e.payee, e.amount) for e in found] == [
        (str(day), clean(payee).strip() or None, round(amount * 10_000))
        for day, payee, amount in rows
    ]


def test_days_counted_from_1904_are_read() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"date_1904": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row("A1", HEADINGS)
        sheet.write_datetime("A2", date(2026, 1, 5), book.add_format({"num_format": "d/m/yy"}))
        sheet.write_row("B2", ["x", -1])
    assert [date_text(entry.date) for entry in the_entries(stream.getvalue())] == ["2026-01-05"]


def test_number_with_more_decimals_than_money_has_is_refused() -> None:
    assert "more than 4 decimal places" in refusal(xlsx(with_amounts(0.30004, -1.00001))).reason


@kinds
def test_times_of_a_day_come_with_it(kind: str) -> None:
    rows = [HEADINGS, [datetime(2026, 1, 5, 23, 59, 59), "x", -1]]
    (entry,) = the_entries(KINDS[kind](rows))
    assert instant_text(entry.date) == "2026-01-05T23:59:59Z"
    apart = [["Date", "Time", "Payee", "Amount"], [date(2026, 1, 5), time(8, 30), "x", -1]]
    (entry,) = the_entries(KINDS[kind](apart), columns={"recordDate": ["Date", "Time"]})
    assert instant_text(entry.date) == "2026-01-05T08:30:00Z"


@pytest.mark.parametrize("options", [{}, {"decimal": ","}, {"thousands": "."}, {"decimal": "."}])
def test_numbers_have_a_point_whatever_is_said_of_text(options: dict[str, str]) -> None:
    found = the_entries(xlsx(with_amounts(1.234, -1234, -12.5, 999.999)), **options)
    assert [decimal_text(e.amount) for e in found] == ["1.234", "-1234", "-12.5", "999.999"]


def test_amounts_of_text_are_read_as_those_of_csv() -> None:
    found = the_entries(xlsx(with_amounts("1.234,50", "-12,5", -7)))
    assert [decimal_text(e.amount) for e in found] == ["1234.5", "-12.5", "-7"]
    assert "--decimal" in refusal(xlsx(with_amounts("1.234", "-5"))).reason


@pytest.mark.parametrize("text", ["1.234", "-1,234 €"])
def test_amounts_of_text_beside_numbers_that_do_not_say_what_they_mean_are_refused(
    text: str,
) -> None:
    rows = [("date", "note", "debit", "credit"), (date(2026, 1, 5), "a 1.234", text, None)]
    sides = {"debit": "debit", "credit": "credit"}
    refused = refusal(xlsx([*rows, (date(2026, 1, 6), "b", None, 12.5)]), **sides)
    assert refused.line == 2
    assert "two ways" in refused.reason


def test_amounts_of_text_beside_numbers_of_another_mark_are_refused() -> None:
    for amounts in ((1.234, "-12,50"), ("-12,50", 1.234)):
        for options in ({}, {"decimal": ","}):
            assert "not an amount" in refusal(xlsx(with_amounts(*amounts)), **options).reason


@pytest.mark.parametrize(
    "options", [{}, {"date_format": "DD/MM/YYYY"}, {"date_format": "%m.%d.%y"}]
)
def test_dates_are_dates_whatever_is_said_of_text(options: dict[str, str]) -> None:
    rows = [HEADINGS, [date(2026, 2, 3), "x", -1], [date(2026, 2, 4), "x", -1]]
    assert [date_text(e.date) for e in the_entries(xlsx(rows), **options)] == [
        "2026-02-03",
        "2026-02-04",
    ]


def test_dates_of_text_are_read_as_those_of_csv() -> None:
    rows = [HEADINGS, ["03/02/2026", "x", -1], ["04/02/2026", "x", -1]]
    assert answers(refusal(xlsx(rows))) == [
        f"--date-format {form} --currency CODE" for form in ("DD/MM/YYYY", "MM/DD/YYYY")
    ]
    found = the_entries(xlsx(rows), date_format="DD/MM/YYYY")
    assert [date_text(entry.date) for entry in found] == ["2026-02-03", "2026-02-04"]


@pytest.mark.parametrize("options", [{}, {"date_format": "DD/MM/YYYY"}])
@pytest.mark.parametrize("order", [1, -1])
def test_dates_of_which_a_program_took_some_for_others_are_refused(
    options: dict[str, str], order: int
) -> None:
    """A program turned 02/03/2026, 3 February here, into 2 March, and left 13/02/2026 as text."""
    dates = [date(2026, 3, 2), "13/02/2026"][::order]
    rows = [HEADINGS, *([day, "x", -1] for day in dates)]
    assert "may have swapped days and months" in refusal(xlsx(rows), **options).reason


# -- where the table is


@kinds
def test_titles_and_blank_rows_and_columns_before_the_table_are_passed_over(kind: str) -> None:
    rows = [[None], [None, "Statement of January", None, None], [None]]
    rows += [[None, *row] for row in ROWS]
    (found,) = read_sheet(KINDS[kind](rows), account="A")
    assert [entry.line for entry in found.entries] == [5, 6]
    said = "skipped the lines before the headings: --skip-rows 3"
    assert found.statement.remarks[0] == said
    by_number = {"recordDate": "2", "amount": "4", "payee": "3"}
    assert the_entries(KINDS[kind](rows), columns=by_number, skip_rows=3) == found.entries


def test_merged_cells_are_their_first_one() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet()
        sheet.merge_range("A1:C1", "Statement")
        sheet.write_row("A2", HEADINGS)
        sheet.write_row("A3", ["2026-01-05", "x", -1])
        sheet.merge_range("A4:A5", "2026-01-06")
        sheet.write_row("B4", ["y", -1])
        sheet.write_row("B5", ["z", -1])
    refused = refusal(stream.getvalue())
    assert (refused.line, "date is empty" in refused.reason) == (5, True)


@kinds
def test_headings_of_a_profile_select_it(kind: str) -> None:
    """The profile's decimal comma is for text, but these cells are numbers."""
    rows = [["Umsätze Girokonto", "Zeitraum", "30 Tage", "", "", "", "alle"], [None]]
    rows += [["Buchungstag", "Wertstellung (Valuta)", "Vorgang", "Buchungstext", "Umsatz in EUR"]]
    rows += [[date(2026, 1, 5), date(2026, 1, 6), "Lastschrift", "Strom", -1.234]]
    rows += [["offen", date(2026, 1, 7), "Karte", "Laden", -5]]
    (found,) = read_sheet(KINDS[kind](rows), account="A")
    (entry,) = found.entries
    assert (found.statement.profile, found.statement.account.currency) == ("comdirect", "EUR")
    assert (date_text(entry.date), date_text(entry.value_date)) == ("2026-01-05", "2026-01-06")
    assert (entry.amount, entry.note) == (-12_340, "Lastschrift Strom")


@kinds
def test_rows_below_the_table_are_asked_about(kind: str) -> None:
    data = KINDS[kind]([*ROWS, ["Page", None, -2487.5]])
    assert answers(refusal(data)) == ["--skip-last 1 --currency CODE"]
    assert len(the_entries(data, skip_last=1)) == 2


@kinds
def test_only_sheet_whose_headings_fit_is_read_and_the_others_named(kind: str) -> None:
    data = KINDS[kind](Info=[["Printed", "on"], ["by", "the bank"]], Empty=[], Data=ROWS)
    (found,) = read_sheet(data, account="A")
    assert len(found.entries) == 2
    assert found.statement.remarks[-1] == "the sheet 'Data' was read, but not 'Info'"


@kinds
def test_several_sheets_that_fit_are_asked_about(kind: str) -> None:
    data = KINDS[kind](January=ROWS, February=[HEADINGS, [date(2026, 2, 1), "x", -1]])
    refused = refusal(data)
    assert "'January', 'February': say with --sheet which ones have the statement" in refused.reason
    both = "--sheet January --sheet February"
    assert answers(refused) == ["--sheet January", "--sheet February", both]
    assert len(the_entries(data, "february")) == 1
    refused = refusal(data, "March")
    assert "no sheet with cells is called 'March': the sheets are 'January', 'Feb" in refused.reason


def test_several_sheets_are_read_like_tables_of_a_file() -> None:
    week = [HEADINGS, [date(2026, 2, 1), "Kiosk", -1], [date(2026, 2, 3), "Kiosk", -1]]
    data = xlsx(Info=[["Printed", "on"]], January=ROWS, Week=week, February=[*week, week[1]])
    found = read_sheet(data, "February", "Week", "January", account="A")
    assert [len(each.entries) for each in found] == [2, 2, 3]
    sections = [{entry.section for entry in each.entries} for each in found]
    assert len(set.union(*sections)) == 3
    remark = "'January', 'Week', 'February' were read, but not 'Info'"
    assert remark in found[0].statement.remarks


def test_only_sheet_that_could_be_a_statement_is_asked_about() -> None:
    rows = [["Buchungstag", "Empfänger", "Betrag"], *ROWS[1:]]
    data = xlsx(Info=[["Printed", "on"], ["by", "the bank"]], Umsatz=rows)
    (found,) = read_sheet(data, account="A")
    assert [entry.payee for entry in found.entries] == [row[1] for row in ROWS[1:]]
    neither = xlsx(Info=[["Printed", "on"]], More=[["by", "the bank"]])
    assert answers(refusal(neither)) == ["--sheet Info", "--sheet More"]


def test_charts_are_no_sheets() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet("Data")
        sheet.write_row("A1", HEADINGS)
        sheet.write_row("A2", ["2026-01-05", "x", -1])
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Data!$C$2:$C$2"})
        book.add_chartsheet("Chart").set_chart(chart)
    assert len(the_entries(stream.getvalue())) == 1


def test_sheet_without_cells_is_refused() -> None:
    assert "spreadsheet is empty" in refusal(xlsx(One=[], Two=[])).reason


# -- files of another project, compared with the results of openpyxl

FILES = {path.name: path for path in sorted(STATEMENTS.rglob("*.xls*"))}

needs_corpus = pytest.mark.skipif(not FILES, reason="the corpus is not there")

SIDES = "meta_data_separated_credit_debit.xlsx"


@needs_corpus
def test_every_file_of_the_corpus_has_a_test() -> None:
    assert sorted(FILES) == [
        "empty_statement_en.xlsx",
        SIDES,
        "sample_statement_en_empty_values.xlsx",
    ]


@needs_corpus
def test_sheet_with_headings_only_is_a_statement() -> None:
    (found,) = read_sheet(FILES["empty_statement_en.xlsx"].read_bytes(), account="A")
    assert found.entries == []


@needs_corpus
def test_columns_of_debit_and_credit_have_the_sum_that_openpyxl_finds() -> None:
    data = FILES[SIDES].read_bytes()
    with pytest.raises(ImportRefused) as refused:
        read_sheet(data, account="A")
    rest = "--skip-last 1 --currency CODE"
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


@needs_corpus
def test_amounts_with_an_apostrophe_are_refused_with_the_columns_that_there_are() -> None:
    data = FILES["sample_statement_en_empty_values.xlsx"].read_bytes()
    with pytest.raises(ImportRefused, match="the headings are 'REF', 'DESCRIPTION', 'DEBIT'"):
        read_sheet(data, account="A")
    with pytest.raises(ImportRefused, match="''579,68 USD' is not an amount") as refused:
        read_sheet(data, account="A", debit="DEBIT", credit="CREDIT", no_text=True)
    assert refused.value.line == 2


# -- its rows, to show them beside a question


@kinds
@pytest.mark.parametrize("amount", [-3, "unclear"])
def test_each_row_can_be_shown_after_reading(kind: str, amount: object) -> None:
    rows: Rows = [*ROWS, *([date(2026, 2, day), "Later", -day] for day in range(1, 9))]
    rows.insert(5, [date(2026, 2, 9), "Amid", amount])
    importer = SpreadsheetImporter(CsvImporter(Mapping(account="A")))
    with suppress(ImportRefused):
        read_whole(importer, KINDS[kind](rows))
    sample = importer.sample({4, 12})
    assert [column["role"] for column in sample.columns] == ["recordDate", "payee", "amount"]
    assert sample.rows[0] == ["2026-01-05", "Corner Shop", "-12.5"]
    assert [row[1] for row in sample.by_line.values()] == ["Later", "Later"]
