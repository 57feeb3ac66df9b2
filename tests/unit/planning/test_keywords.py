"""Keywords that a person would choose."""

from collections import Counter

import pytest

from finance_api.planning.keywords import first_word, keyword_of


@pytest.mark.parametrize(
    ("text", "others", "expected"),
    [
        ("REWE SAGT DANKE 4711 BERLIN", ["REWE SAGT DANKE 0815 KÖLN"], "REWE SAGT DANKE"),
        ("Lidl Berlin", ["Lidl Potsdam", "Lidl Berlin"], "Lidl"),
        ("LIDL 1234 Berlin 03.11.", [], "LIDL"),
        ("Aldi Süd", [], "Aldi Süd"),
        ("aldi", ["ALDI NORD", "Aldi Süd"], "aldi"),
        ("PAYPAL *SPOTIFY", ["PAYPAL *NETFLIX"], "SPOTIFY"),
        ("Card 4711 03.11. Corner Shop", ["Corner Shop"], "Corner Shop"),
        ("AMZN Mktp DE*1A2B3C4D5", ["AMZN Mktp DE*9Z8Y7X6W5"], "AMZN Mktp DE"),
        ("H&M 0123 Berlin", ["H&M 0456 Hamburg"], "H&M"),
        ("H&M Berlin", ["H&M Köln", "H&M Hamburg", "H&M Berlin"], "H&M"),
        ("The Barn Mitte", ["The Barn Kreuzberg", "The Body Shop"], "The Barn"),
        ("MERCADO LIVRE 123", ["MERCADO PAGO", "MERCADO LIVRE 9"], "MERCADO LIVRE"),
        ("Mercado da Esquina", ["Mercado Central"], "Mercado da Esquina"),
        ("RESTAURANTE 12 EL SOL", ["RESTAURANTE LUNA"], "RESTAURANTE"),
        ("Bäckerei Huber Filiale 3", ["Bäckerei Maier"], "Bäckerei Huber"),
        ("Hotel", ["Hotel Adlon"], "Hotel"),
        ("Rent 03/2026 Huber", ["Rent 02/2026 Huber"], "Rent"),
        ("Shell  Station 12", ["SHELL  STATION 77", "shell  station 9"], "Shell  Station"),
        ("4711", ["4711"], "4711"),
        ("Visa", [], "Visa"),
        ("مطعم بيروت", ["مطعم بيروت"], "مطعم بيروت"),
        (" - ", [], "-"),
    ],
)
def test_the_keyword_is_what_the_records_of_a_merchant_share(text, others, expected):
    others = Counter([text, *others] if others else [])
    assert keyword_of(text, others) == expected
    assert keyword_of(text, others) in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("PAYPAL *Spotify AB", "spotify"), ("0815 Straße 5", "strasse"), ("4711", "4711"), ("", "")],
)
def test_other_records_of_a_merchant_are_found_by_its_first_word(text, expected):
    assert first_word(text) == expected
