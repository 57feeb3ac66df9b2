"""Rows that are not money, in random files: each file is read right, or asked about, or refused.

What is asked has an answer that gives the right records, and no answer leads back.
"""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.csv_files import read
from support.nightly import count
from support.odd_rows import KINDS, make
from support.offered import GIVEN, ends

WORDS = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
#: At most this part of the files is asked about or refused, though each could be read at once.
MOST_ASKED = {"plain": 0.35, "total between": 1.0, "stated wrongly": 1.0, "divided": 1.0}
MOST_ASKED |= {"no amount": 1.0, "not booked between": 1.0, "row types wrongly": 1.0}
MOST_ASKED |= {"repeated cells": 1.0, "doubled minus": 0.8, "doubled minus alone": 1.0}
MOST_ASKED |= {"undone": 1.0, "parts": 1.0}


def outcome(odd):
    """Return "right" or "wrong" for a file that is read at once, else "asked" or "refused"."""
    try:
        statements = read(odd.text, account="Giro", currency="EUR")
    except ImportRefused as refused:
        return "asked" if refused.answers else "refused"
    entries = [entry for statement in statements for entry in statement.entries]
    closing = statements[-1].statement.closing
    stated = None if closing is None else closing.amount
    is_right = (
        odd.records is not None
        and sorted((date_text(e.date), e.amount) for e in entries) == odd.records
        and odd.closing in (None, stated)
    )
    return "right" if is_right else "wrong"


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_odd_rows_are_never_imported_in_silence(kind, figures):
    number = count(10, 20_000 // len(KINDS) + 1)
    found = {"right": 0, "asked": 0, "refused": 0}
    for seed in range(number):
        odd = make(seed, kind)
        result = outcome(odd)
        assert result != "wrong", (kind, seed, odd)
        found[result] += 1
        if result == "asked":
            found_by = [
                records for records, _ in ends(odd.text, WORDS, can_end=odd.records is None)
            ]
            wanted = None if odd.records is None else odd.records
            assert wanted in found_by if wanted else not any(found_by), (kind, seed, odd, found_by)
    figures(f"{kind}: {found}")
    assert found["right"] >= number * (1 - MOST_ASKED.get(kind, 0.45)), found
