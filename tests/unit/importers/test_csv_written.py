"""Files in any of the usual notations are read with the right signs and sums, or refused."""

import csv
import io
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from support.csv_files import answers, read
from support.nightly import count

ROWS = st.lists(
    st.tuples(st.dates(date(2020, 1, 1), date(2026, 12, 31)), st.integers(-9_999_999, 9_999_999)),
    min_size=1,
    max_size=8,
)
MARKS = st.sampled_from([(".", ""), (".", ","), (",", ""), (",", "."), (",", " "), (".", "'")])
#: In cents: what a row shows beside its date, and the options that say what it means.
FORMS = {
    "signed": (["amount"], {}),
    "words": (["amount", "Type"], {"sign": "Type"}),
    "signed with words": (["amount", "Type"], {}),
    "sides": (["Out", "In"], {"debit": "Out", "credit": "In"}),
}


def written(rows, form, marks, newest_first):
    decimal, group = marks

    def number(cents):
        whole = f"{abs(cents) // 100:,}".replace(",", group)
        return f"{whole}{decimal}{abs(cents) % 100:02d}"

    headings, _ = FORMS[form]
    lines = []
    balance = 0
    for day, cents in rows:
        balance += cents
        minus = "-" if cents < 0 else ""
        word = "debit" if cents < 0 else "credit"
        cells = {
            "signed": [minus + number(cents)],
            "words": [number(cents), word],
            "signed with words": [minus + number(cents), word],
            "sides": [number(cents), ""] if cents < 0 else ["", number(cents)],
        }[form]
        lines.append([str(day), *cells, ("-" if balance < 0 else "") + number(balance)])
    text = io.StringIO()
    ordered = lines[::-1] if newest_first else lines
    csv.writer(text, delimiter=";").writerows([["date", *headings, "Balance"], *ordered])
    return text.getvalue()


@settings(max_examples=count(40, 1_000), deadline=None)
@given(
    ROWS,
    st.sampled_from(sorted(FORMS)),
    MARKS,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, ".", ","]),
)
def test_what_is_read_is_what_was_written(
    rows, form, marks, newest_first, with_options, with_balance, decimal
):
    """Without the options too, with a balance or not, and with a wrong decimal mark."""
    options = dict(FORMS[form][1]) if with_options else {}
    if with_balance:
        options["balance"] = "Balance"
    text = written(rows, form, marks, newest_first)
    try:
        (statement,) = read(text, account="Main", decimal=decimal, **options)
    except ImportRefused as refused:
        if with_options and decimal == marks[0]:
            # Only a column of positive numbers says nothing of itself.
            assert answers(refused)[0].split()[0] in ("--positive", "--sign")
        return
    expected = [cents * 100 for _, cents in (rows[::-1] if newest_first else rows)]
    assert [entry.amount for entry in statement.entries] == expected
    if with_balance and statement.statement.closing is not None:
        opening, closing = statement.statement.opening, statement.statement.closing
        assert closing.amount - opening.amount == sum(expected)
