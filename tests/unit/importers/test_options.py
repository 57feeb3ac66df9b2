"""Import options: conversion from and to the words of a command line."""

import re

import pytest

from finance_api.importers.interface import ImportRefused, currency_code
from finance_api.importers.options import FILE_OPTIONS, answered


@pytest.mark.parametrize(
    ("given", "words", "instead_of", "expected"),
    [
        ({}, ["--positive", "out"], [], {"positive": "out"}),
        ({"positive": "in"}, ["--positive", "out"], ["--positive"], {"positive": "out"}),
        ({}, ["--no-header", "--skip-last", "2"], [], {"no_header": True, "skip_last": 2}),
        (
            {"columns": {"note": ("A",)}},
            ["--map", "note=B", "--map", "amount=C=D"],
            [],
            {"columns": {"note": ("A", "B"), "amount": ("C=D",)}},
        ),
        (
            {"columns": {"note": ["A"], "payee": ["B"]}},
            [],
            ["--map note"],
            {"columns": {"payee": ["B"]}},
        ),
        ({"only": ["a=1", "b=2"]}, ["--only", "c=3"], ["--only a=1"], {"only": ["b=2", "c=3"]}),
        ({"account": "X"}, [], ["--account"], {}),
    ],
)
def test_an_answer_changes_what_is_given(given, words, instead_of, expected):
    before = repr(given)
    assert answered(given, words, instead_of) == expected
    assert repr(given) == before


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
