"""Files of exchange rates."""

import gzip
import io
import random
import re
import zipfile
from decimal import Decimal

import pytest

from finance_api.importers import rates
from finance_api.importers.interface import ImportRefused
from finance_api.importers.rates import MAX_RATE_CHARACTERS, read_rates
from finance_api.resources.currencies import DayRates
from finance_api.values.time import parse_date
from support.books import BOOKS
from support.nightly import count

#: As the European Central Bank writes it, to the comma at the end of each row.
ECB = """Date,USD,JPY,BGN,CYP,
2026-03-03,1.0842,160.12,N/A,N/A,
2026-03-02,1.08,160,1.9558,N/A,
"""
OF_ECB = [
    ("2026-03-02", "EUR", {"USD": "1.08", "JPY": "160", "BGN": "1.9558"}),
    ("2026-03-03", "EUR", {"USD": "1.0842", "JPY": "160.12"}),
]
ROWS = """date,base,currency,rate
2026-03-03,USD,AED,3.6725
2026-03-02,EUR,USD,1.08
2026-03-02,USD,AED,3.67250
2026-03-02,EUR,CHF,0.00000000000000000000000000000000000001
2026-03-02,USD,AED,3.6725
2026-03-02,CHF,CHF,1.00
"""
OF_ROWS = [
    ("2026-03-02", "EUR", {"USD": "1.08", "CHF": "0." + "0" * 37 + "1"}),
    ("2026-03-02", "USD", {"AED": "3.6725"}),
    ("2026-03-03", "USD", {"AED": "3.6725"}),
]


def found(content):
    return read_rates(io.BytesIO(content if isinstance(content, bytes) else content.encode()))


def expected(days):
    return [
        DayRates(parse_date(day), base, {code: Decimal(rate) for code, rate in quoted.items()})
        for day, base, quoted in days
    ]


def packed(*files, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(("text", "days"), [(ECB, OF_ECB), (ROWS, OF_ROWS)])
def test_both_forms_are_read_exactly_however_they_are_packed(text, days):
    for content in (
        text,
        text.replace("\n", "\r\n"),
        "\ufeff" + text,
        text.rstrip("\n"),
        text.replace("\n", "\n\n"),
        text.replace(",", " , "),
        packed(("eurofxref-hist.csv", text)),
        packed(("README.txt", "x"), ("a.CSV", text), method=zipfile.ZIP_STORED),
        packed(("a.csv", text), method=zipfile.ZIP_LZMA),
    ):
        assert found(content) == expected(days)


def test_columns_of_single_rates_are_in_any_order_and_case():
    text = "Rate,CURRENCY,date,Base\n1.08,USD,2026-03-02,EUR\n"
    assert found(text) == expected([("2026-03-02", "EUR", {"USD": "1.08"})])


def test_the_bank_s_last_comma_may_be_missing_and_a_cell_be_empty():
    text = "Date,USD,JPY\n2026-03-02,1.08,\n2026-03-03,,160\n2026-03-04,N/A,\n"
    assert found(text) == expected(
        [("2026-03-02", "EUR", {"USD": "1.08"}), ("2026-03-03", "EUR", {"JPY": "160"})]
    )


HEADING = "date,base,currency,rate\n"


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (
            "",
            None,
            "neither a file like eurofxref-hist.csv nor a CSV file with the columns date, base",
        ),
        ("\n\n", None, "neither a file like eurofxref-hist.csv"),
        ("2026-03-02,1.08\n", 1, "neither a file like eurofxref-hist.csv"),
        ("Date\n2026-03-02\n", 1, "neither a file like eurofxref-hist.csv"),
        ("date;base;currency;rate\n", 1, "neither a file like eurofxref-hist.csv"),
        ("date,base,currency,rate,note\n", 1, "'base' is not an ISO 4217 code"),
        (b"Date,USD\n2026-03-02,1\xff\n", None, "not UTF-8"),
        ('Date,USD\n2026-03-02,"1.08\n', 2, "is not CSV"),
        ("Date,USD,usd,\n", 1, "'usd' is not an ISO 4217 code such as EUR"),
        ("Date,USD,,JPY\n", 1, "'' is not an ISO 4217 code"),
        ("Date,USD,JPY,USD,\n", 1, "two columns have the same currency"),
        (ECB[: ECB.rindex(",160,")], 3, "has 2 cells, but the heading has 6"),
        (ECB[: ECB.rindex("N/A")], 3, "has 5 cells, but the heading has 6"),
        (ECB[: ECB.rindex("A,")], 3, "has 5 cells, but the heading has 6"),
        ("Date,USD,\n2026-03-02,1.08,1.09\n", 2, "the last cell has no currency in the heading"),
        ("Date,USD\n2 March 2026,1.08\n", 2, "'2 March 2026' is not a date in the form YYYY-MM-DD"),
        ("Date,USD\n2026-02-29,1.08\n", 2, "'2026-02-29' is not a day of the calendar"),
        ("Date,USD\n2026-03-02,1.08\n2026-03-02,1.09\n", 3, "2026-03-02 has two rates of EUR"),
        ("Date,USD\n2026-03-02,N/A\n", None, "contains no exchange rates"),
        ("Date,USD\n2026-03-02,1e3\n", 2, "'1e3' is not a decimal number"),
        ("Date,USD\n2026-03-02,NaN\n", 2, "'NaN' is not a decimal number"),
        ("Date,USD\n2026-03-02,#N/A\n", 2, "'#N/A' is not a decimal number"),
        ("Date,USD\n2026-03-02,0.00\n", 2, "'0.00' cannot be an exchange rate"),
        ("Date,USD\n2026-03-02,-1.08\n", 2, "'-1.08' cannot be an exchange rate"),
        (f"Date,USD\n2026-03-02,{'1' * (MAX_RATE_CHARACTERS + 1)}\n", 2, "more than 40 characters"),
        ("Date,EUR\n2026-03-02,1.01\n", 2, "'1.01' cannot be an exchange rate"),
        (HEADING, None, "contains no exchange rates"),
        (HEADING + "2026-03-02,EUR,USD\n", 2, "has 3 cells, but the heading has 4"),
        (HEADING + "2026-03-02,EUR,USD,\n", 2, "'' is not a decimal number"),
        (HEADING + "2026-03-02,EUR,XXY,1\n", 2, "'XXY' is not an ISO 4217 code"),
        (HEADING + "2026-03-02,,USD,1\n", 2, "'' is not an ISO 4217 code"),
        (HEADING + "2026-03-02,EUR,USD,1\n2026-03-02,EUR,USD,2\n", 3, "two rates of EUR in USD"),
        (HEADING + "2026-03-02,EUR,EUR,1\n", None, "contains no exchange rates"),
        (packed(), None, "neither a file like"),
        (packed(("a.txt", ECB)), None, "contains 0 CSV files, not one"),
        (packed(("a.csv", ECB), ("b.csv", ECB)), None, "contains 2 CSV files, not one"),
        (packed(("a.csv", ECB))[:-30], None, "the ZIP file cannot be unpacked"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(content, line, reason):
    with pytest.raises(ImportRefused) as refusal:
        found(content)
    assert reason in refusal.value.reason
    assert refusal.value.line == line or line is None
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_file_that_is_too_large_is_refused_and_not_unpacked(monkeypatch, is_packed):
    monkeypatch.setattr(rates, "MAX_BYTES", 5_000)
    text = ECB + "\n" * 6_000
    content = packed(("a.csv", text)) if is_packed else text
    assert len(content) < 500 or not is_packed
    with pytest.raises(ImportRefused, match="larger than"):
        found(content)


@pytest.mark.nightly
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_no_damage_to_a_zip_file_is_anything_but_a_refusal(method):
    """Each damaged file is refused or read right."""
    whole = packed(("a.csv", ECB), method=method)
    chance, refused = random.Random(1), 0
    for _ in range(count(300, 20_000)):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        if chance.random() < 0.2:
            del content[chance.randrange(len(content)) :]
        try:
            assert found(bytes(content)) == expected(OF_ECB)
        except ImportRefused:
            refused += 1
    assert refused > 100


# -- books of GnuCash


TRAVEL = (BOOKS / "gnucash-travel.gnucash").read_bytes()
#: The price of a fund in the book is not a rate.
OF_TRAVEL = [
    ("2026-03-31", "JPY", {"EUR": "0.006"}),
    ("2026-03-31", "USD", {"EUR": "0.90090090090090090090"}),
]


def with_prices(*prices, source="user:price-editor"):
    """Return the book with more prices: time, commodity, currency, value."""
    space = "<cmdty:space>CURRENCY</cmdty:space>"
    texts = [
        f"<price><price:time><ts:date>{time}</ts:date></price:time>"
        f"<price:commodity>{space}<cmdty:id>{base}</cmdty:id></price:commodity>"
        f"<price:currency>{space}<cmdty:id>{currency}</cmdty:id></price:currency>"
        f"<price:source>{source}</price:source><price:value>{value}</price:value></price>"
        for time, base, currency, value in prices
    ]
    book = gzip.decompress(TRAVEL).decode()
    return book.replace("</gnc:pricedb>", "".join(texts) + "</gnc:pricedb>").encode()


@pytest.mark.parametrize("form", ["gzip", "xml", "sqlite"])
def test_the_prices_of_currencies_in_a_book_are_rates(form):
    sqlite = (BOOKS / "gnucash-travel.sqlite.gz").read_bytes()
    book = {"gzip": TRAVEL, "xml": gzip.decompress(TRAVEL), "sqlite": gzip.decompress(sqlite)}[form]
    assert found(book) == expected(OF_TRAVEL)


def test_of_several_prices_on_a_day_the_newest_counts_and_both_directions_are_rates():
    book = with_prices(
        ("2026-03-30 16:30:10 +0000", "USD", "EUR", "92/100"),
        ("2026-03-30 08:30:10 +0000", "USD", "EUR", "91/100"),
        ("2026-03-30 08:30:10 +0000", "EUR", "USD", "110/100"),
        ("2026-03-30 08:30:10 +0000", "EUR", "EUR", "1/1"),
    )
    of_day = [("2026-03-30", "EUR", {"USD": "1.1"}), ("2026-03-30", "USD", {"EUR": "0.92"})]
    assert found(book) == expected([*of_day, *OF_TRAVEL])


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2026-01-05 10:59:00 +0000", "2026-01-05"),
        ("2026-01-05 00:00:00 +0100", "2026-01-05"),
        ("2026-01-04 23:00:00 +0000", "2026-01-05"),
        ("2026-01-05 05:00:00 +0000", "2026-01-05"),
        ("2026-01-05 23:12:47 +0000", "2026-01-05"),
        ("20260105105900", "2026-01-05"),
    ],
)
def test_a_price_belongs_to_the_day_that_was_meant(time, day):
    assert found(with_prices((time, "CHF", "EUR", "107/100")))[0] == DayRates(
        parse_date(day), "CHF", {"EUR": Decimal("1.07")}
    )


@pytest.mark.parametrize("hour", [0, 9, 12, 16, 23])
def test_a_quote_belongs_to_the_day_of_its_time(hour):
    price = f"2026-01-05 {hour:02}:00:00 +0000", "CHF", "EUR", "107/100"
    book = with_prices(price, source="Finance::Quote")
    assert found(book)[0] == DayRates(parse_date("2026-01-05"), "CHF", {"EUR": Decimal("1.07")})


@pytest.mark.parametrize(
    ("time", "value", "said"),
    [
        ("2026-01-05 10:59:00", "0/100", "1 CHF is '0/100' EUR on 2026-01-05, which cannot be"),
        ("2026-01-05 10:59:00", "-1/100", "which cannot be an exchange rate: correct it in"),
        ("2026-01-05 10:59:00", "", "'' is not a number"),
        ("2026-01-35 10:59:00", "1/2", "'2026-01-35 10:59:00' is not a date"),
        ("9999-12-31 23:00:00", "1/2", "'9999-12-31 23:00:00' is not a date"),
        ("", "1/2", "'' is not a date"),
    ],
)
def test_a_price_that_cannot_be_right_is_refused(time, value, said):
    with pytest.raises(ImportRefused, match=re.escape(said)):
        found(with_prices((time, "CHF", "EUR", value)))


def test_a_book_without_rates_says_so():
    with pytest.raises(ImportRefused, match="the book contains no exchange rates"):
        found((BOOKS / "gnucash-household.gnucash").read_bytes())
