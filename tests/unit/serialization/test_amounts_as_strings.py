"""``amounts=string``: the numbers of some members become strings; nothing else changes."""

import orjson
import pytest

from finance_api.serialization.rows import with_texts

AMOUNTS = frozenset({"amount"})


@pytest.mark.parametrize("number", ["0", "-12.5", "100000000000.1234", "922337203685477.5807"])
def test_the_string_has_the_digits_of_the_number(number: str) -> None:
    line = f'{{"id":"x","amount":{number},"count":{number}}}'
    expected = f'{{"id":"x","amount":"{number}","count":{number}}}'
    assert with_texts(AMOUNTS, line.encode()) == expected.encode()


def test_a_text_that_looks_like_a_member_stays() -> None:
    row = {"note": '"amount":5,"amount": 6', "amount": None}
    assert with_texts(AMOUNTS, orjson.dumps(row)) == orjson.dumps(row)


def test_members_of_inner_objects_become_strings_too() -> None:
    line = b'{"op":"put","data":{"amount":-1.5,"labels":[],"archived":false}}'
    assert with_texts(AMOUNTS, line) == line.replace(b"-1.5", b'"-1.5"')


def test_each_line_stays_a_line() -> None:
    assert with_texts(AMOUNTS, b'{"amount":1}\n{"amount":2}') == b'{"amount":"1"}\n{"amount":"2"}'
    assert with_texts(AMOUNTS, b"") == b""


def test_without_members_the_lines_are_returned_as_they_are() -> None:
    lines = b'{"amount":1}\n{"amount":2}'
    assert with_texts(frozenset(), lines) is lines
