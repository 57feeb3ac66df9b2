"""The grammar of ``q``."""

import re
from itertools import product

import pytest

from finance_api.api.openapi.conditions import WORDS_SCHEMA
from finance_api.api.validation import canonical_text
from finance_api.query.errors import QueryError
from finance_api.query.evaluate import matches
from finance_api.query.operators import Operator
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.storage.testing import make_row


def words(text):
    """Return the texts that are looked for."""
    parts = [part for condition in parse_words(text) for part in condition.parts]
    return [part.operand for part in parts if part.operator is Operator.WORD]


def test_words_are_plain_and_each_is_one_condition():
    assert words(" Größe\tSHOP shop ") == ["grosse", "shop"]
    assert words("Zöld zold ŁÓDŹ") == ["lodz", "zold"]
    # The second text has an accent, so it is not an amount.
    assert words("5 5\u0301") == ["5", "5"] and len(parse_words("5 5\u0301")) == 2
    for text, part in (
        ("", "0 words"),
        (" ", "0 words"),
        ("a b c d e f g h i j k", "11 words"),
        ('a b c d e f g h i j "k l"', "11 words"),
    ):
        with pytest.raises(QueryError, match=part):
            parse_words(text)
    for text in ("a\x00", "x" * 257):
        with pytest.raises(QueryError):
            parse_words(text)


def test_a_phrase_is_looked_for_as_it_is_written():
    assert words('"Corner  Shop" x "é 1"') == ["corner  shop", "e 1", "x"]
    assert words('" a b"') == [" a b"]
    # In quotes a number is only a text.
    assert words('"17.07"') == ["17.07"]
    (condition,) = parse_words('"17.07"')
    assert condition.operator is Operator.WORD


@pytest.mark.parametrize("text", ['"', 'a "b', 'a"b', 'a"b c"', '"a"b', '"a b"c"', '"""'])
def test_a_quote_that_is_not_at_the_end_of_a_phrase_is_refused(text):
    with pytest.raises(QueryError, match="double quote that does not begin or end a phrase"):
        parse_words(text)


@pytest.mark.parametrize("text", ['""', '"  "', 'a ""'])
def test_a_phrase_without_a_text_is_refused(text):
    with pytest.raises(QueryError, match="needs a text between its quotes"):
        parse_words(text)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        # 0.0001, 1, 1.25, 17.07, 20, 100, 1250, 1250.5, 1000000, each in and out
        ("17.07", ["17.07"]),
        ("17,07", ["17.07"]),
        ("-17.07", ["17.07"]),
        ("17.070", ["17.07"]),
        ("20", ["20"]),
        ("1.250", ["1.25", "1250"]),
        ("1,250", ["1.25", "1250"]),
        ("1'250", ["1250"]),
        ("1250", ["1250"]),
        ("1.250,50", ["1250.5"]),
        ("1,250.50", ["1250.5"]),
        ("1\u2019250.5", ["1250.5"]),
        ("1.000.000", ["1000000"]),
        ("1,000,000", ["1000000"]),
        ("0.0001", ["0.0001"]),
        (">100", ["1250", "1250.5", "1000000"]),
        (">=1'250,5", ["1250.5", "1000000"]),
        ("<1", ["0.0001"]),
        ("<=1", ["0.0001", "1"]),
        (">17 <=100", ["17.07", "20", "100"]),
        (">1000000", []),
        (">99999999999999999999", []),
        # No numbers, so words.
        ("17.", []),
        (".5", []),
        ("1.25.0", []),
        ("1.2500,5", []),
        ("012.500.0", []),
        ("1.000,000.5", []),
        ("1e0", []),
        ("١", []),
        (">", []),
        (">>1", []),
        ("<x>", []),
        ('">100"', []),
        ("0.00001", []),
    ],
)
def test_numbers_are_looked_for_among_the_sizes_of_amounts(text, amounts):
    sizes = ("0.0001", "1", "1.25", "17.07", "20", "100", "1250", "1250.5", "1000000")
    conditions = parse_words(text)
    for sign in (1, -1):
        rows = {
            size: make_row(RECORDS, 1, amount=sign * round(float(size) * 10_000)) for size in sizes
        }
        assert [size for size, row in rows.items() if matches(row, conditions)] == amounts


def test_a_number_is_also_a_word_but_a_comparison_is_not():
    row = make_row(RECORDS, 1, amount=0, note="room 17.07, >100")
    assert matches(row, parse_words("17.07"))
    assert matches(row, parse_words("7.0"))
    assert not matches(row, parse_words("17,07"))
    assert not matches(row, parse_words(">100"))
    assert matches(row, parse_words('">100"'))


def test_or_in_capitals_separates_alternatives_each_with_all_its_words():
    texts = ("", "a", "b", "c", "a b", "b c", "a c", "a b c", "or", "x a", "17.07 b")
    for alternatives in product(("a", "b c", '"a b"', "17.07 b", "or", '"OR"'), repeat=3):
        conditions = parse_words(" OR ".join(alternatives))
        for text in texts:
            row = make_row(RECORDS, 1, amount=170_700, note=text)
            expected = any(matches(row, parse_words(each)) for each in alternatives)
            assert matches(row, conditions) == expected, (alternatives, text)
    # Without capitals, or in quotes, it is a word.
    assert words('a or "OR b"') == ["a", "or", "or b"]
    assert len(parse_words("a b OR c d OR e f OR g h OR i j")) == 2**5
    with pytest.raises(QueryError, match="11 words"):
        parse_words("a b c OR d e f OR g h i OR j k")


def test_repeated_alternatives_cost_no_more_than_different_ones():
    """The conditions are a product of the alternatives."""
    assert parse_words(" OR ".join(["b a", "a b a"] * 14)) == parse_words("a b")
    with pytest.raises(QueryError, match="40 words"):
        parse_words(" OR ".join(f"a {letter}" for letter in "bcdefghijklmnopqrstu"))


@pytest.mark.parametrize("text", ["OR", "a OR", "OR a", "a OR OR b", "a OR b OR", "a \x01OR"])
def test_an_or_without_words_on_both_sides_is_refused(text):
    with pytest.raises(QueryError, match="no word before or after an OR"):
        parse_words(text)
    assert not re.search(WORDS_SCHEMA["pattern"], text)


@pytest.mark.parametrize("text", ["a OR b", "ORA OR aOR", 'OR1 OR "OR"', "a O\x01R b", "or"])
def test_the_described_pattern_allows_an_or_between_words(text):
    assert parse_words(text) and re.search(WORDS_SCHEMA["pattern"], text)


def test_texts_that_mean_something_else_are_told_apart():
    different = (
        *("a OR b", "a OR b c", "a or b", "a b", "a"),
        *("17", '"17"', "17 x", '"17 x"', ">17", ">=17", "<17", "<=17", "17.07", "17,07"),
        *("1.250", ">1.250", "1250", "either", "word.17", "abs.eq.170000:170001", "a,b", "a\\,b"),
    )
    assert len({canonical_text({"q": parse_words(text)}) for text in different}) == len(different)
    for one, other in (
        ("a b", " B  a a"),
        ("É", "e"),
        ('"a"', "a"),
        ("1.5 x", "X 1.5"),
        ("a OR b", "B OR a a"),
    ):
        texts = [canonical_text({"q": parse_words(text)}) for text in (one, other)]
        assert texts[0] == texts[1]
