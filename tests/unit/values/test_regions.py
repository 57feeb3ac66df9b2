"""How numbers and dates are written in the regions of the CLDR, and read as people type them."""

import re
from datetime import date
from decimal import Decimal

import pytest
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from finance_api.values.regions import (
    DEFAULT,
    MINUS,
    RegionError,
    parse_region,
    region_names,
    region_of,
)
from finance_api.values.time import date_text, parse_date
from finance_api.values.written import WrittenRefused, parse_amount, parse_day

#: Regions that differ in their marks, their groups and the order of their days.
TAGS = (
    *("en-US", "en-GB", "en-IN", "en-AT", "de-DE", "de-AT", "de-CH", "fr-FR", "fr-CH", "it-IT"),
    *("es-ES", "pt-BR", "pt-PT", "nl-NL", "sv-SE", "nb-NO", "da-DK", "fi-FI", "pl-PL", "cs-CZ"),
    *("hu-HU", "ro-RO", "bg-BG", "el-GR", "tr-TR", "uk-UA", "he-IL", "ar-EG", "fa-IR", "hi-IN"),
    *("bn-BD", "th-TH", "vi-VN", "ja-JP", "ko-KR", "zh-CN", "zh-TW", "lt-LT", "lv-LV", "sr-RS"),
    *("nqo-GN", "ug-CN", "en-001", "de"),
)
REGIONS = [DEFAULT, *(region_of(parse_region(tag)) for tag in TAGS)]
UNITS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-20_000_000, 20_000_000)


def region(tag):
    return region_of(parse_region(tag)) if tag else DEFAULT


def value(units):
    return Decimal(units) / 10_000


@pytest.mark.parametrize(
    ("tag", "amount", "day"),
    [
        ("", "1,234,567.50", "6 Nov 2026"),
        ("en-GB", "1,234,567.50", "6 Nov 2026"),
        ("en-US", "1,234,567.50", "Nov 6, 2026"),
        ("en-IN", "12,34,567.50", "6 Nov 2026"),
        ("de-AT", "1.234.567,50", "06.11.2026"),
        ("de-CH", "1'234'567.50", "06.11.2026"),
        ("fr-FR", "1\u202f234\u202f567,50", "06/11/2026"),
        ("hu-HU", "1\u00a0234\u00a0567,50", "2026. 11. 06."),
        ("sv-SE", "1\u00a0234\u00a0567,50", "2026-11-06"),
        ("ja-JP", "1,234,567.50", "2026/11/06"),
    ],
)
def test_numbers_and_days_are_those_of_the_region_in_english_words(tag, amount, day):
    assert region(tag).amount(12_345_675_000) == amount
    assert region(tag).day(parse_date("2026-11-06")) == day
    assert region(tag).day_of_year(parse_date("2026-11-06")) in day


# nqo-GN has marks that no other region uses. Babel loses the apostrophes of Switzerland.
@pytest.mark.parametrize("tag", sorted({*TAGS} - {"nqo-GN", "de-CH", "fr-CH"}))
@given(UNITS)
def test_amounts_have_the_groups_and_marks_of_the_cldr(tag, units):
    here = region(tag)
    usual = "#,##0.00##" if here.other_groups == 3 else "#,##,##0.00##"
    locale = parse_region(tag).replace("-", "_")
    assert here.amount(abs(units)) == format_decimal(abs(value(units)), usual, locale)
    assert here.amount(-abs(units)) == (MINUS if units else "") + here.amount(abs(units))


def test_the_first_day_of_the_week_is_the_region_s():
    tags = ("de-DE", "en-US", "ar-EG", "")
    assert [region(tag).first_weekday for tag in tags] == [0, 6, 5, 0]


def test_every_region_that_is_offered_has_a_name_and_is_known_by_its_tag():
    names = region_names()
    assert names["de-AT"] == "Austria (German)"
    assert names["zh-Hant-TW"] == "Taiwan (Chinese, Traditional)"
    assert list(names.values()) == sorted(names.values())
    assert all(parse_region(tag) == tag for tag in names)


@pytest.mark.parametrize(
    ("text", "tag"),
    [("de-AT", "de-AT"), ("DE_at", "de-AT"), ("zh-TW", "zh-Hant-TW"), ("es-419", "es-419")],
)
def test_a_region_is_known_in_any_spelling(text, tag):
    assert parse_region(text) == tag


@pytest.mark.parametrize("text", ["", "xx", "de-XX", "..", "../../etc/passwd", "de-AT;", "*", "1"])
def test_other_texts_are_no_region(text):
    with pytest.raises(RegionError, match="such as de-AT"):
        parse_region(text)


def test_a_region_that_a_newer_cldr_lacks_is_shown_as_the_default():
    assert region_of("tlh-QO") == DEFAULT


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12,50", "12.50"),
        ("12.50", "12.50"),
        ("1.250,50", "1250.50"),
        ("1,250.50", "1250.50"),
        ("1'250.50", "1250.50"),
        ("1’250,50", "1250.50"),
        ("1 250,50", "1250.50"),
        ("1\u00a0250.50", "1250.50"),
        ("1\u202f250", "1250"),
        ("1\u2009250", "1250"),
        ("1.250.000", "1250000"),
        ("1,250,000", "1250000"),
        ("1,250.500", "1250.5"),
        ("1.250,500", "1250.5"),
        ("12345,678", "12345.678"),
        ("0,125", "0.125"),
        ("0.125", "0.125"),
        ("1.2500", "1.25"),
        (",5", "0.5"),
        ("12.", "12"),
        ("007", "7"),
        ("+12,5", "12.5"),
        ("-12,5", "-12.5"),
        ("−12,5", "-12.5"),
        ("− 12,5", "-12.5"),
        ("  1250 ", "1250"),
        ("\u200e-12.5", "-12.5"),
        ("0.123456789", "0.123456789"),
    ],
)
def test_an_amount_with_one_reading_is_read_in_every_region(text, amount):
    for here in REGIONS:
        assert parse_amount(text, here) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "tag", "amount"),
    [
        ("1.250", "de-AT", 1250),
        ("-1.250", "de-DE", -1250),
        ("1,250", "en-US", 1250),
        ("1,250", "", 1250),
        ("12,34,567.5", "en-IN", Decimal("1234567.5")),
    ],
)
def test_a_mark_that_groups_thousands_in_the_region_does_so(text, tag, amount):
    assert parse_amount(text, region(tag)) == amount


@pytest.mark.parametrize(
    ("text", "tag", "readings"),
    [
        ("1.250", "", "1,250 or 1.25"),
        ("1.250", "en-US", "1,250 or 1.25"),
        ("1.250", "de-CH", "1'250 or 1.25"),
        ("1.250", "hu-HU", "1\u00a0250 or 1,25"),
        ("1,250", "de-AT", "1.250 or 1,25"),
        ("1,250", "fr-FR", "1\u202f250 or 1,25"),
        ("-1.125", "", "-1,125 or -1.1250"),
        ("999.000", "en-GB", "999,000 or 999"),
    ],
)
def test_an_amount_with_two_readings_is_refused_with_both(text, tag, readings):
    with pytest.raises(WrittenRefused) as refused:
        parse_amount(text, region(tag))
    assert str(refused.value) == f"{text} can be read in two ways: write {readings}"
    whole, _, exact = readings.partition(" or ")
    plain = text.translate(str.maketrans(",", "."))
    assert parse_amount(exact, region(tag)) == Decimal(plain)
    assert parse_amount(whole, region(tag)) == Decimal(plain) * 1000


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", ".", ",", "x", "1 25", "1.25.30", "1,2,3", "--1", "1-", "1e5", "1.250.00,5"]
    + ["1'250.500.00", "12.50 €", "1/2", "٣", "1,,250", "1 250.300,5", "NaN", "Infinity", "1_000"],
)
def test_other_texts_are_no_amounts(text):
    regions = [here for here in REGIONS if here.other_groups == 3]
    assert len(regions) > 3
    for here in regions:
        with pytest.raises(WrittenRefused, match="is not an amount such as 12"):
            parse_amount(text, here)


@given(UNITS, st.sampled_from(REGIONS), st.integers(0, 4))
def test_what_a_form_or_a_page_shows_is_read_as_the_same_amount(units, here, decimals):
    assert parse_amount(here.written(units, decimals), here) == value(units)
    shown = here.amount(units, decimals)
    try:
        assert parse_amount(shown, here) == value(units)
    except WrittenRefused:
        # Three decimals may be thousands.
        assert len(shown.rpartition(here.point)[2]) == 3


@given(st.text(alphabet="0123456789.,' -+\u00a0", max_size=12), st.sampled_from(REGIONS))
def test_an_amount_is_never_guessed(text, here):
    try:
        amount = parse_amount(text, here)
    except WrittenRefused:
        # The plainest way to write an amount is never refused.
        assert not re.fullmatch(rf"-?[1-9]\d{{0,9}}({re.escape(here.point)}\d\d?)?", text)
        return
    digits = "".join(c for c in text if c.isdigit())
    # Only the place of the point is ambiguous; the digits stay.
    assert f"{abs(amount):f}".replace(".", "").strip("0") == digits.strip("0")


@pytest.mark.parametrize(
    ("text", "tag", "day"),
    [
        ("2026-04-03", "en-US", "2026-04-03"),
        ("3.4.2026", "de-AT", "2026-04-03"),
        ("03/04/2026", "en-GB", "2026-04-03"),
        ("03/04/2026", "en-US", "2026-03-04"),
        ("2026. 04. 03.", "hu-HU", "2026-04-03"),
        ("2026/4/3", "ja-JP", "2026-04-03"),
        ("3 Apr 2026", "", "2026-04-03"),
        ("April 3, 2026", "de-AT", "2026-04-03"),
        ("31/12/2026", "", "2026-12-31"),
        ("12/31/2026", "", "2026-12-31"),
        ("3.3.2026", "", "2026-03-03"),
        (" 29.2.2028 ", "de-DE", "2028-02-29"),
    ],
)
def test_a_day_is_read_in_the_order_of_the_region(text, tag, day):
    assert date_text(parse_day(text, region(tag))) == day


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(REGIONS))
def test_a_day_that_a_page_shows_is_read_as_the_same_day(day, here):
    seconds = parse_date(day.isoformat())
    assert parse_day(here.day(seconds), here) == seconds


def test_a_day_that_may_be_two_is_refused_with_both():
    with pytest.raises(WrittenRefused) as refused:
        parse_day("3.4.2026", DEFAULT)
    expected = "3.4.2026 can be read in two ways: write 2026-03-04 or 2026-04-03"
    assert str(refused.value) == expected


@pytest.mark.parametrize(
    "text",
    ["", "x", "31.2.2026", "2026", "3.4.26", "4.2026", "2026-13-01", "3 Foo 2026", "0.0.0000"],
)
def test_other_texts_are_no_days(text):
    with pytest.raises(WrittenRefused, match=r"is not a day such as 26\.11\.2026 or 2026-11-26"):
        parse_day(text, region("de-AT"))
