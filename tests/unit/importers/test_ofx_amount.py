"""Amounts and dates, as banks write them."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx.tree import Element, date_of, parse_amount
from finance_api.values.number import NumberError
from finance_api.values.time import date_text


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("12.50", 125_000),
        ("-12,50", -125_000),
        ("+1", 10_000),
        ("-0", 0),
        (".05", 500),
        ("-,5", -5_000),
        ("12.", 120_000),
        ("0,123", 1_230),
        ("1.234", 12_340),
        ("1234,567", 12_345_670),
        ("1,234.56", 12_345_600),
        ("1.234,56", 12_345_600),
        ("1,234.5678", 12_345_678),
        ("-1,234,567", -12_345_670_000),
        ("1.234.567,8", 12_345_678_000),
        ("+00000000001234.5600", 12_345_600),
        ("-100.2000000", -1_002_000),
        ("(12.50)", -125_000),
        ("(1.234,56)", -12_345_600),
        ("12.50-", -125_000),
        ("922337203685477.5807", 2**63 - 1),
    ],
)
def test_amount_is_exact(text: str, units: int) -> None:
    assert parse_amount(text) == units


@pytest.mark.parametrize(
    "text",
    [
        "1,234",
        "-12,345",
        "",
        "-",
        ".",
        "1e5",
        "12.50-5",
        "(12.50",
        "(-12.50)",
        "-12.50-",
        "$5",
        "1 234,50",
        "NaN",
        "٣",
        "1,23.45",
        "1234,567.89",
        "1,234.567,8",
        "1.234.56",
        "1..2",
        "0.00001",
        "922337203685477.5808",
        "9" * 5000,
        "1." + "0" * 5000,
    ],
)
def test_amount_that_is_not_plain_is_refused(text: str) -> None:
    with pytest.raises(NumberError):
        parse_amount(text)


def leaf(text: str) -> Element:
    element = Element("DTPOSTED", 7)
    element.text = text
    return element


@pytest.mark.parametrize(
    "text",
    [
        "20240229",
        "202402292359",
        "20240229235959.999[-12:XXX]",
        "20240229000000[+14]",
        "20240229000000.000[-:EST]",
        "2024-02-29T12:00:00",
    ],
)
def test_date_is_the_one_that_is_written_whatever_its_time_and_zone(text: str) -> None:
    assert date_text(date_of(leaf(text))) == "2024-02-29"


@pytest.mark.parametrize(
    "text",
    ["20230229", "20241301", "00000000", "2024", "2024-0229", "31.01.2024", "31012024", "٢" * 8],
)
def test_impossible_date_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        date_of(leaf(text))
    assert refused.value.line == 7
    assert text in refused.value.reason
