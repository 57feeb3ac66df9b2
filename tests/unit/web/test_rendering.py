"""How numbers and times are written for people."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api import web
from finance_api.values.regions import DEFAULT
from finance_api.values.time import MAX_SECONDS, parse_time
from finance_api.web.rendering import amount, day, moment, month_words, static_url

MINUS = "\N{MINUS SIGN}"
_ATTRIBUTE = re.compile(r"""\{\{[^}]*'[^'}]*\w="[^'}]*'""")


def test_no_expression_of_a_template_writes_an_attribute():
    """The quotes of ``{{ ' role="group"' }}`` are escaped, and become a part of the value."""
    templates = list(Path(web.__file__).parent.glob("templates/*.jinja2"))
    assert len(templates) > 50
    assert [path.name for path in templates if _ATTRIBUTE.search(path.read_text())] == []


@pytest.mark.parametrize(
    ("units", "text"),
    [
        (0, "0.00"),
        (1, "0.0001"),
        (-1, f"{MINUS}0.0001"),
        (10, "0.001"),
        (100, "0.01"),
        (1_000, "0.10"),
        (10_000, "1.00"),
        (12_345_000, "1,234.50"),
        (-12_345_678, f"{MINUS}1,234.5678"),
        (10_000_000_000, "1,000,000.00"),
        (2**63 - 1, "922,337,203,685,477.5807"),
        (-(2**63) + 1, f"{MINUS}922,337,203,685,477.5807"),
    ],
)
def test_amounts_are_grouped_and_exact(units, text):
    assert amount(units, DEFAULT) == text


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_an_amount_can_be_read_again_without_loss(units):
    text = amount(units, DEFAULT)
    assert Decimal(text.replace(",", "").replace(MINUS, "-")) == Decimal(units) / 10_000
    assert len(text.partition(".")[2]) in (2, 3, 4)


def test_counts_are_grouped():
    assert [DEFAULT.count(n) for n in (0, 999, 1_000, 1_234_567)] == [
        "0",
        "999",
        "1,000",
        "1,234,567",
    ]


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-11-21T07:16:59Z", "21 Nov 2026"),
        ("2026-03-01T00:00:00Z", "1 Mar 2026"),
        ("1970-01-01T00:00:00Z", "1 Jan 1970"),
        ("1969-12-31T23:59:59Z", "31 Dec 1969"),
        ("2028-02-29T23:59:59Z", "29 Feb 2028"),
        ("9999-12-31T23:59:59Z", "31 Dec 9999"),
    ],
)
def test_times_are_written_for_people_and_for_machines(at, words):
    seconds = parse_time(at)
    assert (
        moment(seconds, DEFAULT, "UTC")
        == f'<time datetime="{at}">{words}, {at[11:16]}\N{NO-BREAK SPACE}UTC</time>'
    )
    assert day(seconds, DEFAULT) == f'<time datetime="{at[:10]}">{words}</time>'
    assert DEFAULT.day(seconds) == words
    assert month_words(seconds) == words.partition(" ")[2]


@given(st.integers(0, MAX_SECONDS))
def test_every_time_can_be_written(seconds):
    assert str(moment(seconds, DEFAULT, "UTC")).startswith("<time ")
    assert str(day(seconds, DEFAULT)).endswith("</time>")


def test_a_static_file_has_another_address_for_each_content():
    urls = {static_url(name) for name in ("pages.css", "pages.js", "favicon.svg")}
    assert len(urls) == 3
    for url in urls:
        path, _, version = url.partition("?v=")
        assert path.startswith("/settings/static/")
        assert len(version) == 12
    with pytest.raises(FileNotFoundError):
        static_url("nothing.css")
