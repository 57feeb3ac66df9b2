"""Numbers, times, text and ids: exact, and strict about what they take."""

import unicodedata
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.values.ids import IdError, derived_id, parse_id
from finance_api.values.number import (
    MAX_UNITS,
    NumberError,
    decimal_text,
    parse_decimal,
    ratio_units,
    to_units,
    unit_interval,
)
from finance_api.values.text import TextError, clean, clean_or_none, counted
from finance_api.values.time import (
    MAX_SECONDS,
    MIN_SECONDS,
    TimeError,
    date_text,
    instant_text,
    parse_date,
    parse_instant,
    parse_time,
)


@given(st.integers(-MAX_UNITS, MAX_UNITS))
def test_units_survive_their_text(units):
    text = decimal_text(units)
    assert to_units(Decimal(text)) == units
    assert "e" not in text.lower()
    assert "." not in text or not text.endswith(("0", "."))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=7), st.integers(-(10**9), 10**9))
def test_an_interval_compares_like_the_exact_number(number, stored):
    first, end = unit_interval(number)
    exact = Decimal(stored).scaleb(-4)
    assert (stored < first) == (exact < number)
    assert (stored >= end) == (exact > number)


@pytest.mark.parametrize(
    "value", [Decimal("0.00001"), Decimal("1e400"), Decimal("NaN"), Decimal("-Infinity"), 10**15]
)
def test_what_does_not_fit_is_refused_not_rounded(value):
    with pytest.raises(NumberError):
        to_units(value)


@given(
    st.from_regex(r"-?[0-9]{1,40}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.integers(0, 4),
)
def test_units_are_the_exact_multiple_or_refused(text, decimals):
    exact = Fraction(text) * 10**decimals
    fits = exact.denominator == 1 and abs(exact) <= MAX_UNITS
    try:
        found = to_units(Decimal(text), decimals)
    except NumberError:
        found = None
    assert found == (exact if fits else None)


@pytest.mark.parametrize(
    ("part", "whole", "units"),
    [(1, 3, 3333), (2, 3, 6667), (-2, 3, -6667), (1, 0, None), (0, 5, 0), (5, -2, -25000)],
)
def test_ratios_are_rounded_to_four_decimals(part, whole, units):
    assert ratio_units(part, whole) == units


@given(st.integers(MIN_SECONDS, MAX_SECONDS))
def test_moments_survive_their_text(seconds):
    assert parse_time(instant_text(seconds)) == seconds
    assert parse_date(date_text(seconds)) == seconds // 86_400 * 86_400


def _careful_time(text):
    """Parse as `parse_time` does without its fast path; or return the message of the refusal."""
    try:
        return parse_date(text) if len(text) == 10 else int(parse_instant(text) // 1)
    except TimeError as error:
        return str(error)


def _time(text):
    try:
        return parse_time(text)
    except TimeError as error:
        return str(error)


@given(
    st.integers(MIN_SECONDS + 86_400, MAX_SECONDS - 86_400),
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from("0123456789-:TtZz+. x\n٣"))),
    st.sampled_from(("replace", "insert", "drop")),
)
def test_short_way_of_reading_times_gives_what_the_careful_one_gives(seconds, changes, how):
    text = instant_text(seconds)
    assert _time(text) == _careful_time(text) == seconds
    for place, character in changes[:3]:
        begin = text[:place]
        end = text[place:] if how == "insert" else text[place + 1 :]
        text = begin + ("" if how == "drop" else character) + end
        assert _time(text) == _careful_time(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t01:00:00+01:00", 0),
        ("1969-12-31T23:00-01:00", 0),
        ("1970-01-01T00:00:00.25", Fraction(1, 4)),
    ],
)
def test_date_times_are_read_with_their_offset(text, seconds):
    assert parse_instant(text) == seconds


def test_text_is_composed_and_loses_controls_but_keeps_tab_and_newline():
    assert clean("e\u0301") == "é"
    assert clean("a\x07b\r\nc\td\x85") == "ab\nc\td"
    assert clean_or_none(" \u00a0\t\x01") is None
    assert clean(clean("e\x01\u0301")) == clean("e\x01\u0301") == "é"


@given(st.text())
def test_text_is_what_is_left_of_its_composed_form(text):
    kept = "".join(c for c in text if c in "\t\n" or unicodedata.category(c) != "Cc")
    if "\x00" in text:
        with pytest.raises(TextError):
            clean(text)
    else:
        assert clean(text) == unicodedata.normalize("NFC", kept)


@pytest.mark.parametrize("text", ["a\x00", "\ud800", "x\udfff"])
def test_text_that_no_storage_holds_is_refused(text):
    with pytest.raises(TextError):
        clean(text)


@given(st.uuids())
def test_ids_are_read_in_any_case(uuid):
    assert parse_id(str(uuid).upper()) == str(uuid)


@pytest.mark.parametrize(
    ("parse", "error", "texts"),
    [
        (parse_id, IdError, ["x", "0" * 32, "{0b7e1c9a-5f0e-4a43-9d53-0f6a3f1f7a11}", "０" * 36]),
        (parse_decimal, NumberError, [".5", "5.", "1e5", "0x1", " 1", "1 ", "1,5", "١", "--1"]),
        (parse_time, TimeError, ["2026-02-30", "2026-1-01", "20260101", "10000-01-01"]),
        (parse_time, TimeError, ["2026-01-01T24:00Z", "2026-01-01T10Z", "2026-01-01T10:00+25:00"]),
        (parse_time, TimeError, ["2026-01-01T10:00:60Z", "2026-01-01 10:00Z", "٢٠٢٦-٠١-٠١"]),
    ],
)
def test_other_forms_are_refused(parse, error, texts):
    for text in ["", *texts]:
        with pytest.raises(error):
            parse(text)


def test_derived_ids_depend_on_the_user_and_on_every_name():
    one, two = (f"{n}0000000-0000-4000-8000-000000000000" for n in (1, 2))
    ids = {derived_id(u, *names) for u in (one, two) for names in (("a", "bc"), ("ab", "c"))}
    assert len(ids) == 4
    assert derived_id(one, "a", "bc") in ids


def test_counted_nouns_have_one_form_for_one():
    assert [counted(n, "row") for n in (0, 1, 2_000)] == ["0 rows", "1 row", "2,000 rows"]
    assert counted(3, "currency", "currencies") == "3 currencies"
