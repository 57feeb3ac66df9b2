"""Quotes inside quoted cells that are not doubled, as some banks write them."""

import csv
import io
import random

import pytest

from support.csv_files import read, refusal
from support.nightly import count

HEAD = '"Date","Payee","Amount"\n'


def payees(text):
    (found,) = read(HEAD + text, account="A", currency="EUR")
    return [(entry.payee, entry.amount) for entry in found.entries]


@pytest.mark.parametrize(
    ("written", "payee"),
    [
        ('The "Old" Inn', 'The "Old" Inn'),
        ('Inn "Old"', 'Inn "Old"'),
        ('"Old" Inn', '"Old" Inn'),
        ('A ""B"" and "C"', 'A "B" and "C"'),
        ('5" nails', '5" nails'),
    ],
)
def test_quote_that_is_beside_no_delimiter_is_part_of_the_text(written, payee):
    plain = '"2026-01-02","Baker","-1.50"\n'
    assert payees(f'{plain}"2026-01-05","{written}","-3.00"\n{plain}') == [
        ("Baker", -15_000),
        (payee, -30_000),
        ("Baker", -15_000),
    ]


@pytest.mark.parametrize(
    "row",
    [
        '"2026-01-05","The "Old","Inn"","-3.00"\n',
        '"2026-01-05","The "Old" Inn"\n',
        '"2026-01-05","The "Old" Inn\n, Berlin","-3.00"\n',
    ],
)
def test_row_that_then_has_another_number_of_cells_is_refused(row):
    assert "a quote inside a quoted cell is not doubled" in str(refusal(HEAD + row, account="A"))


@pytest.mark.parametrize("seed", range(count(20, 5_000)))
def test_row_with_quotes_is_read_as_written_or_refused(seed):
    chance = random.Random(seed)
    texts = ["".join(chance.choices('ab "', k=chance.randint(1, 9))).strip() for _ in range(4)]
    rows = [["2026-01-05", f"x{text}x", "-3.00"] for text in texts]
    plain = io.StringIO()
    csv.writer(plain, quoting=csv.QUOTE_ALL).writerows(rows)
    careless = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    expected = [(row[1], -30_000) for row in rows]
    assert payees(plain.getvalue()) == expected
    if not any('""' in text for text in texts):
        assert payees(careless) == expected


def test_texts_written_as_formulas_are_texts():
    text = '="Date",="Description",Amount\n="2026-03-02",="0012 =""x""",="-3.50"\n'
    text += '"=""2026-03-13""",="Say ""hi""",900.00\n2026-03-14,a="b",-1.00\n'
    (found,) = read(text, account="A", currency="EUR")
    assert [(e.note, e.amount) for e in found.entries] == [
        ('0012 ="x"', -35_000), ('Say "hi"', 9_000_000), ('a="b"', -10_000)
    ]  # fmt: skip
