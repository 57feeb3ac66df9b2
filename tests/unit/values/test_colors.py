"""Colours by name, by code and in charts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.values.colors import (
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
    ((light, dark),) = re.findall(r"--surface: light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\);", css)
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
