"""Colours by name, by code and in charts; and the lists of currencies and time zones."""

import re
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.resources.currencies import CURRENCIES, IN_USE, decimals_of
from finance_api.web.choices import currency_options, flat, time_zone_options
from finance_api.web.colors import (
    PALETTE,
    chart_color,
    color_text,
    color_words,
    luminance,
    parse_color,
)
from support.sources import ROOT

HEX = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def surfaces():
    """Return the colours of panels, light and dark, as the stylesheet declares them."""
    css = (ROOT / "web/static/pages.css").read_text()
    light, dark = re.findall("--surface: (#[0-9a-f]+);", css)
    return ("#ffffff" if light == "#fff" else light, dark)


@given(HEX)
def test_every_colour_is_seen_on_light_and_dark_pages(color):
    for surface in surfaces():
        assert contrast(chart_color(color), surface) >= 3


@pytest.mark.parametrize("color", PALETTE.values())
def test_colours_with_a_name_are_shown_as_they_are(color):
    assert chart_color(color) == color


@pytest.mark.parametrize("text", [None, "", "red", "#12", "#12345g", "#1234567", "url(#x)"])
def test_other_texts_have_no_colour_in_charts(text):
    assert chart_color(text) is None


@pytest.mark.parametrize(
    ("text", "color"),
    [("teal", "#00897b"), (" Teal ", "#00897b"), ("#3A7d44", "#3A7d44"), ("#fff", "#fff")]
    + [("", None), ("mauve", None), ("#ffff", None), ("rgb(1,2,3)", None)],
)
def test_a_colour_is_a_name_or_a_code(text, color):
    assert parse_color(text) == color


def test_a_colour_is_described_in_words():
    assert color_text("#00897B") == color_words("#00897b") == "Teal"
    assert color_words("#3a7d44") == "#3a7d44, close to green"
    assert color_words("#000") == "#000, close to black"


def test_currencies_begin_with_the_user_s_own_and_the_common_ones():
    (yours, own), (common, usual), (others, rest) = currency_options({"HUF", "DEM"})
    assert (yours, common, others) == ("Yours", "Common", "All others")
    assert [code for code, _ in own] == ["DEM", "HUF"]
    assert usual[0] == ("EUR", "EUR Euro")
    codes = [code for _, group in (("", own), ("", usual), ("", rest)) for code, _ in group]
    assert len(codes) == len(set(codes)) and set(codes) <= set(CURRENCIES)
    assert {"ISK", "XOF", "THB", "UAH"} <= {code for code, _ in rest}


def test_test_codes_metals_funds_and_withdrawn_currencies_are_not_offered():
    absent = {"XTS", "XXX", "DEM", "ITL", "HRK", "XAU", "CHE", "USN", "XDR"}
    assert not absent & IN_USE.keys()
    assert absent <= set(CURRENCIES)
    assert {"EUR", "USD", "JPY", "KWD", "XAF"} <= IN_USE.keys()


def test_decimals_are_those_of_iso_4217():
    assert [decimals_of(code) for code in ("EUR", "JPY", "KWD", "CLF")] == [2, 0, 3, 4]
    assert [decimals_of(code) for code in ("DEM", "XXX", "", None)] == [2] * 4


def test_time_zones_are_grouped_by_part_of_the_world_and_all_there():
    groups = dict(time_zone_options())
    first, *_, last = groups
    assert (first, last) == ("UTC", "Others")
    assert ("Europe/Vienna", "Vienna") in groups["Europe"]
    assert ("America/Argentina/Buenos_Aires", "Argentina, Buenos Aires") in groups["America"]
    assert {zone for zone, _ in flat(time_zone_options())} == available_timezones()
