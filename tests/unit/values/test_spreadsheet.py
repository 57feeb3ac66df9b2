"""Escapes text that a spreadsheet would run as a formula, and restores it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.values.spreadsheet import harmless, in_cell, without_apostrophes

PARTS = st.sampled_from(["=", "+", "a", ";", "\t", "\n", " ", '"', "＝", "\u200b", "-1", "@x"])


@given(st.lists(PARTS, max_size=8).map("".join) | st.text().filter(lambda t: "'" not in t))
@example("\t=x;\t=y")
def test_what_was_made_harmless_comes_back(text):
    assert without_apostrophes(harmless(text)) == text


@pytest.mark.parametrize("text", ["'quoted'", "it's", "'", "a;'b", "rock 'n' roll", "'1"])
def test_other_apostrophes_stay(text):
    assert without_apostrophes(text) == text == harmless(text)


def test_text_longer_than_a_cell_ends_in_an_ellipsis():
    assert in_cell("x" * 32_767) == "x" * 32_767
    assert in_cell("x" * 32_768) == "x" * 32_766 + "…"
