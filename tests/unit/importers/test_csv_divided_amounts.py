"""Amounts that a decimal comma without quotes divides into two cells are refused."""

import pytest

from support.csv_files import read, refusal


def amounts(text, **options):
    (found,) = read(text, account="A", currency="EUR", **options)
    return [entry.amount / 10_000 for entry in found.entries]


@pytest.mark.parametrize(
    "headings, rows, line",
    [
        ("Date,Payee,Amount,Note", "Ann,-12.50,tea|Shop,-76,75|Bob,300.00,", 3),
        ("Date,Payee,Amount,Note", "Ann,-12.50,|Shop,-76,5|Bob,300.00,", 3),
        ("Date,Payee,Amount,Note", "Ann,-12,50|Shop,-76,75|Bob,300,00", 2),
        ("Date,Payee,Amount,Note", 'Ann,"12,50",|Shop,-76,75|Bob,"300,00",', 3),
        ("Date,Amount,Payee,Note", "-76,75,Shop|-3,Ann,|300,Bob,", 2),
        ("Date,Amount,Payee,Note", "-3.20,Ann,|-76,75,Shop|300,Bob,", 3),
        ("Date,Payee,Debit,Credit,Note", "Ann,12.50,,|Shop,76,,x|Bob,,300,50", 4),
        ("Date,Payee,Debit,Credit,Note", "Ann,12.50,,|Bob,,300,05|Shop,3,,", 3),
        ("Date,Payee,Amount,Note", "Ann,-12.50,tea|Shop,-1,900.00|Bob,300.00,", 3),
        ("Date,Payee,Amount,Category", "Ann,$12.50,|Shop,$1,900.00|Bob,($3.00),", 3),
        ("Date,Payee,Amount,Category", "Ann,($12.50),Food|Shop,($1,900.00)|Bob,$3.00,", 3),
        ("Date,Payee,Amount,Balance,Note", "Ann,-12.50,1.00,|Shop,-76,75,x|Bob,4.00,2.00,", 3),
    ],
)
def test_divided_amounts_are_refused_with_the_line_of_the_first(headings, rows, line):
    text = "\n".join([headings, *(f"2026-01-{13 + i},{r}" for i, r in enumerate(rows.split("|")))])
    refused = refusal(text, currency="EUR")
    assert refused.line == line, refused


@pytest.mark.parametrize("row", ["2026-01-14,Shop,-76,75,", "2026-01-14,Shop,-76,75,x"])
def test_a_further_cell_is_refused_unless_it_is_empty(row):
    text = f"Date,Payee,Amount\n2026-01-13,Ann,-12.50\n{row}\n2026-01-15,Bob,300.00\n"
    assert refusal(text, currency="EUR").line == 3


@pytest.mark.parametrize("ends", ["", ",", ",,,"])
def test_rows_that_all_end_in_commas_are_read(ends):
    text = f"Date,Payee,Amount\n2026-01-13,Ann,-12.50{ends}\n2026-01-15,Bob,300.00{ends}\n"
    assert amounts(text) == [-12.5, 300]


@pytest.mark.parametrize(
    "headings, rows",
    [
        # The next column has other numbers, too.
        ("Date,Payee,Amount,Check number", "Ann,-12.50,101|Shop,-76,75|Bob,300.00,"),
        ("Date,Payee,Amount,Points", "Ann,-12.50,12.5|Shop,-76,100.25|Bob,300.00,4"),
        ("Date,Payee,Amount,Month", "Ann,-12.50,3|Shop,-76,3|Bob,300.00,4"),
        # The next column is empty, and no amount has decimals.
        ("Date,Payee,Amount,Parts", "Ann,-1200,|Shop,-7600,3|Bob,30000,"),
        # The decimals are in quotes, or another delimiter divides the cells.
        ("Date,Payee,Amount,Note", 'Ann,"-12,50",|Shop,"-76,75",tea|Bob,"300,00",'),
        ("Date;Payee;Amount;Note", "Ann;-12,50;|Shop;-76;75|Bob;300,00;"),
    ],
)
def test_other_numbers_beside_whole_amounts_are_no_decimals(headings, rows):
    delimiter = ";" if ";" in headings else ","
    lines = [f"2026-01-{13 + i}{delimiter}{row}" for i, row in enumerate(rows.split("|"))]
    assert len(amounts("\n".join([headings, *lines]))) == 3


def test_what_the_user_says_about_the_amount_is_not_doubted():
    text = "Date,Payee,Amount,Note\n2026-01-13,Ann,-12.50,tea\n2026-01-14,Shop,-76,75\n"
    assert amounts(text, columns={"amount": "Amount"}, positive="in") == [-12.5, -76]
