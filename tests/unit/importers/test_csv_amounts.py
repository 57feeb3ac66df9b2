"""Amounts of CSV files: the accepted notations, and the ambiguous ones that are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.importers.csv.amounts import AmountColumns, shape_of
from finance_api.importers.interface import ImportRefused, Questions
from finance_api.values.number import MAX_UNITS, decimal_text
from support import csv_files


def read(*texts, decimal=None, thousands=None):
    columns, questions = AmountColumns(decimal, thousands), Questions()
    for line, text in enumerate(texts, 2):
        columns.add(text, line)
    reader = columns.decide(questions)
    questions.put()
    return [decimal_text(reader.read(text, 2).units) for text in texts]


def refusal(*texts, **options):
    with pytest.raises(ImportRefused) as refused:
        read(*texts, **options)
    return refused.value


ONE_READING = {
    "0": ["0", "-0.00"],
    "7": ["007"],
    "12": ["12"],
    "12.5": ["12,50"],
    "-12.5": ["-12.50"],
    "1234": ["1 234"],
    "1234.5": ["1'234.50", "1’234.50", "1 234,50", "1\u202f234,5"],
    "1234.56": ["1,234.56", "1.234,56"],
    "1234567": ["1,234,567", "1.234.567", "12,34,567.00"],
    "1234567.5": ["1\u00a0234\u00a0567,50"],
    "0.123": ["0.123"],
    "0.1234": ["0,1234"],
    "0.5": [".5"],
    "-0.25": ["-,25"],
    "1.23": ["1.2300000000"],
    "5.1": ["+5.10", "5.10+", "€ 5,10", "5,10 €", "EUR 5,10", "5,10EUR"],
    "-5.1": ["5.10-", "\u22125.10", "\u20135.10", "(5.10)", "($5.10)", "$(5.10)", "-5.10 usd"]
    + ["-5,10\u00a0€", "€-5,10", "-£5.10"],
    "73.01": ["+ $73.01"],
    "-12.01": ["- $12.01"],
    "100000": ["₹1,00,000.00"],
    "922337203685477.5807": ["922337203685477.5807"],
    "-922337203685477.5807": ["-922,337,203,685,477.5807"],
}


@pytest.mark.parametrize(
    "text, amount", [(text, amount) for amount, texts in ONE_READING.items() for text in texts]
)
def test_amount_that_has_one_reading_needs_no_option(text, amount):
    assert read(text) == [amount]


@pytest.mark.parametrize("text", ["1.234", "1,234", "-12.345", "EUR 123,456"])
def test_lone_separator_before_three_digits_is_refused_with_both_readings(text):
    refused = refusal("5", text)
    assert refused.line == 3
    assert "--decimal ." in refused.reason and "--decimal ," in refused.reason


def test_another_row_decides_the_decimal_mark():
    assert read("1.234", "0.125") == ["1.234", "0.125"]
    assert read("1.234", "5,10") == ["1234", "5.1"]
    assert read("1,234", "1,280.8") == ["1234", "1280.8"]


def test_option_decides_the_decimal_mark():
    assert read("1.234", decimal=".") == ["1.234"]
    assert read("1.234", decimal=",") == ["1234"]
    assert read("1.234", thousands=".") == ["1234"]
    assert read("1.234", thousands="'") == ["1.234"]
    assert read("1 234.5", thousands="\u202f") == ["1234.5"]


def test_only_the_named_character_groups():
    assert refusal("1,234.50", decimal=".", thousands="'").line == 2
    assert refusal("1.234,5", decimal=".").line == 2


def test_rows_with_different_decimal_marks_are_refused_at_the_second():
    refused = refusal("5.10", "5,10")
    assert refused.line == 3
    assert "--decimal" in refused.reason


@pytest.mark.parametrize(
    "text",
    ["abc", "-", "$", "12..34", "1,23,4.5", "1,2345.00", "12,34.5", "1.234.56", "1,234'567.00"]
    + ["1 2", "12.", "---5", "-5-", "(-5)", "(5", "5)", "((5))", "$5$", "$5 USD", "5 XYZ", "1e5"]
    + ["0x10", "²", "5½", "NaN", "Infinity", "5 5 5", "012,345.00", "1_000", "5 CRX", "+", "()"]
    + ["9" * 65, "1" * 200_000, "$" * 70_000, " ".join("-" * 40), "\ud800"],
)
def test_what_is_no_amount_is_refused_with_its_line(text):
    refused = refusal("5", text)
    assert refused.line == 3
    assert len(refused.reason) < 400


def test_more_than_four_decimals_are_refused():
    refused = refusal("0.00314664")
    assert (refused.line, "more than 4 decimal places" in refused.reason) == (2, True)


@pytest.mark.parametrize("text", ["922337203685477.5808", "-922337203685478", "9" * 60])
def test_amount_beyond_64_bits_is_refused(text):
    assert "out of range" in refusal(text, decimal=".").reason


@pytest.mark.parametrize(
    ("option", "options"),
    [("--decimal", {"decimal": ",", "thousands": ","})]
    + [("--decimal", {"decimal": each}) for each in ("", "x", "..", "\ud800")]
    + [("--thousands", {"thousands": each}) for each in ("x", "")],
)
def test_impossible_option_is_refused_even_without_rows(option, options):
    refused = refusal(**options)
    assert refused.line is None
    assert option in refused.reason


def mark_of(text):
    parts = shape_of(text)
    return parts.mark.currency if parts.mark else None


@pytest.mark.parametrize(
    "text, currency, units",
    [
        ("5 €", "EUR", 50_000),
        ("6 eur", "EUR", 60_000),
        ("8", None, 80_000),
        ("£12.50", "GBP", 125_000),
        ("-12,50 zł", "PLN", -125_000),
        ("12,50 Kč", "CZK", 125_000),
        ("R$ -1.012,50", "BRL", -10_125_000),
        ("Fr. 12.50", "CHF", 125_000),
        ("Fr.12.50", "CHF", 125_000),
        ("Fr.12", "CHF", 120_000),
        ("SFr. 12.50-", "CHF", -125_000),
        ("12 500 Ft", "HUF", 125_000_000),
        ("US$5.00", "USD", 50_000),
        ("-₹ 5.00", "INR", -50_000),
        ("12,50 kr", None, 125_000),
        ("12,50 kr.", None, 125_000),
        ("kr.500", None, 5_000_000),
        ("-kr 500", None, -5_000_000),
        ("$5.00", None, 50_000),
        ("Rs. 5.00", None, 50_000),
    ],
)
def test_symbols_and_short_names_of_currencies_are_read(text, currency, units):
    assert mark_of(text) == currency
    amount = AmountColumns(None, None).decide(Questions())
    comma = AmountColumns(",", None).decide(Questions())
    reader = comma if "," in text else amount
    assert reader.read(text, 1).units == units


def test_a_symbol_of_several_currencies_fits_each_of_them():
    dollar, krona, unknown = (shape_of(text).mark for text in ("$5", "5 kr", "¤5"))
    assert dollar.fits("USD") and dollar.fits("CAD") and not dollar.fits("EUR")
    assert krona.fits("SEK") and krona.fits("DKK") and not krona.fits("EUR")
    assert unknown.fits("EUR")


@pytest.mark.parametrize(
    "text, side, units",
    [
        ("12.50 DR", -1, -125_000),
        ("12.50 DB", -1, -125_000),
        ("12.50CR", 1, 125_000),
        ("-١٢٫٥٠", 0, -125_000),
        ("٥٬٥٣٩٫١٤", 0, 55_391_400),
        ("۱۲٬۵۰۰ CR", 1, 125_000_000),
        ("₹१,२५,०००.५०", 0, 1_250_005_000),
        ("Cr 12.50", 1, 125_000),
        ("12.50 EUR dr", -1, -125_000),
        ("$12.50 CR", 1, 125_000),
        ("12.50-", 0, -125_000),
        ("CRC 12.50", 0, 125_000),
        ("12.50 SCR", 0, 125_000),
    ],
)
def test_debit_and_credit_marks_are_read(text, side, units):
    amount = AmountColumns(None, None).decide(Questions()).read(text, 1)
    assert (amount.side, amount.units) == (side, units)


@pytest.mark.parametrize("text", ["-5 DR", "5 CR DR", "(5) CR", "5 D", "DR"])
def test_two_signs_are_none(text):
    assert shape_of(text) is None


def grouped(digits, separator):
    return f"{int(digits):,}".replace(",", separator)


@given(
    units=st.integers(-MAX_UNITS, MAX_UNITS),
    decimal=st.sampled_from(".,"),
    separator=st.sampled_from(["", ".", ",", "'", " ", "\u00a0"]),
)
def test_whatever_is_written_is_read_back_exactly(units, decimal, separator):
    if separator == decimal:
        separator = ""
    whole, part = divmod(abs(units), 10_000)
    text = f"{'-' if units < 0 else ''}{grouped(whole, separator)}{decimal}{part:04d}"
    # Four digits after the mark cannot be a group, so such a column is unambiguous.
    assert read(text) == [decimal_text(units)]
    assert read(text, decimal=decimal, thousands=separator or None) == [decimal_text(units)]


def test_another_column_decides_the_decimal_mark():
    text = 'date,amount,balance\n2026-01-01,"-1.234","2.345,67"\n'
    (found,) = csv_files.read(text, account="Giro", currency="EUR", balance="balance", no_text=True)
    assert decimal_text(found.entries[0].amount) == "-1234"


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        (("-1.000", "-86.66"), "'-1.000' may be 1 or 1000"),
        (("-18,417", "854,99"), "'-18,417' may be 18417 or 18.417"),
    ],
)
def test_thousands_of_another_country_are_asked_about(texts, asked):
    refused, mark = refusal(*texts), texts[0][-4]
    assert asked in refused.reason
    assert [choice.changes for choice in refused.questions[0].choices] == [{"decimal": mark}]
    assert len(read(*texts, decimal=mark)) == 2
    # So it is not if other rows have three decimals or more, too.
    assert len(read(*texts, f"0{mark}125")) == len(read(*texts, f"1{mark}1250")) == 3
