"""Import options: what an answer changes, and the words of a command line."""

import re

import pytest

from finance_api.importers.interface import ImportRefused, currency_code
from finance_api.importers.options import FILE_OPTIONS, changed, flags, words


@pytest.mark.parametrize(
    ("given", "changes", "expected"),
    [
        ({}, {"positive": "out"}, {"positive": "out"}),
        ({"positive": "in"}, {"positive": "out"}, {"positive": "out"}),
        ({}, {"no_header": True, "skip_last": 2}, {"no_header": True, "skip_last": 2}),
        (
            {"columns": {"note": ("A",), "payee": ("B",)}},
            {"columns": {"note": ("C",), "amount": ("D",)}},
            {"columns": {"note": ("C",), "payee": ("B",), "amount": ("D",)}},
        ),
        ({"columns": {"note": ["A"]}}, {"columns": {"note": None}}, {"columns": {}}),
        ({"only": ["a=1"]}, {"only": ["b=2"]}, {"only": ["a=1", "b=2"]}),
        ({"fee": ["a", "b=c"]}, {"fee": ("a=signed",)}, {"fee": ["b=c", "a=signed"]}),
        ({"fee": ["a=?", "b=c"]}, {"fee": ("a=signed",)}, {"fee": ["b=c", "a=signed"]}),
        ({"account": "X"}, {"account": None, "profile": None}, {}),
    ],
)
def test_an_answer_changes_what_is_given(given, changes, expected):
    before = repr(given)
    assert changed(given, changes) == expected
    assert repr(given) == before


def test_options_are_written_as_the_words_of_a_command_line():
    options = {
        "columns": {"note": ("A", "B"), "currency": ("",), "payee": None},
        "delimiter": "\t",
        "no_header": True,
        "only": ["S=a", "S=b"],
        "skip_last": 2,
        "profile": None,
    }
    assert " ".join(words(options)) == (
        "--map note=A --map note=B --map currency= --delimiter tab --no-header --only S=a "
        "--only S=b --skip-last 2"
    )
    dropped = {"columns": {"amount": None}, "no_header": None}
    assert flags(dropped) == ["--map amount", "--no-header"] and not words(dropped)


def test_every_option_is_called_by_one_name():
    assert len({option.name for option in FILE_OPTIONS}) == len(FILE_OPTIONS)
    assert len({option.flag for option in FILE_OPTIONS}) == len(FILE_OPTIONS)
    assert len({option.label for option in FILE_OPTIONS}) == len(FILE_OPTIONS)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((" eur", "EUR"), ("€", "EUR"), ("Euro", "EUR"), ("EUROS", "EUR"), ("US$", "USD")),
        *(("us dollar", "USD"), ("£", "GBP"), ("sFr.", "CHF"), ("Kč", "CZK"), ("zł", "PLN")),
    ],
)
def test_a_currency_is_a_code_a_symbol_or_a_name(text, code):
    assert currency_code(text) == code


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("XXY", "'XXY' is not an ISO 4217 code such as EUR"),
        ("", "'' is not an ISO 4217 code"),
        ("$", "'$' may be USD, CAD, AUD or another currency: give the ISO 4217 code"),
        ("kr", "'kr' may be SEK, NOK, DKK or another"),
        ("Dollar", "'Dollar' may be USD"),
    ],
)
def test_a_currency_that_is_open_or_none_is_refused(text, reason):
    with pytest.raises(ImportRefused, match=re.escape(reason)):
        currency_code(text)
