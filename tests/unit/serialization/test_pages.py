"""Envelopes: rows in an array, and members after it."""

from finance_api.serialization.rows import envelope

ROWS = b'{"amount":1}\n{"amount":2}'


def test_rows_stand_in_an_array_before_the_members() -> None:
    page = envelope("records", ROWS, {"limit": 2, "nextOffset": None})
    assert page == b'{"records":[{"amount":1},{"amount":2}],"limit":2,"nextOffset":null}'


def test_an_envelope_may_have_neither_rows_nor_members() -> None:
    assert envelope("records", b"", {}) == b'{"records":[]}'


def test_amounts_of_members_become_strings() -> None:
    members = {"totals": [{"net": -1.5, "count": 2}]}
    page = envelope("records", b"", members, frozenset({"net"}))
    assert page == b'{"records":[],"totals":[{"net":"-1.5","count":2}]}'
