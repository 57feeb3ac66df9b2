"""Text filters: code points, full case folding, and no special character."""

import unicodedata

import pytest

from support.native_rows import account, payees, record

SPECIAL = ("%", "_", "\\", "'", '"', "[", "]", "*", "?", "^", "$", ".", "(", ")", ";", "|", "&")
SPECIAL += ("+", ",", "=", "#", "/", ":", "~", "`", "{", "}", "<", ">", "!", "@", "-", " ")


def found(client, *conditions, field="payee"):
    """The numbers of the records that meet all conditions."""
    query = {field: list(conditions), "sortBy": "id"}
    return [int(i[-12:], 16) for i in client.names("records", "id", limit=100, **query)]


@pytest.mark.parametrize(
    ("stored", "operand"),
    [
        ("école", "ÉCOLE"),
        ("Straße", "STRASSE"),
        ("STRAẞE", "strasse"),
        ("İstanbul", "i\u0307STANBUL"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ"),
        ("ﬁnance oﬃce", "FINANCE OFFICE"),
        ("Ⅷ", "ⅷ"),
        ("Կրակ", "կՐԱԿ"),
        ("ǅ", "ǆ"),
        ("K", "\u212a"),
        ("Å", "\u212b"),
        ("ᾳ", "ΑΙ"),
        ("ꭰ", "Ꭰ"),
        ("𐐀", "𐐨"),
        ("ŉ", "\u02bcN"),
        ("J\u030c", "ǰ"),
        ("cafe\u0301", "CAFÉ"),
    ],
)
def test_case_is_folded_for_all_of_unicode(client, stored, operand):
    client.load(*payees(f"<{stored}>", "other"))
    assert found(client, f"contains-i.{operand}") == [1]
    assert found(client, f"contains-i.<{operand}>") == [1]
    assert found(client, f"contains-i.{operand}!") == []


def test_composed_and_decomposed_text_are_the_same(client):
    for field in ("payee", "note"):
        words = [unicodedata.normalize(form, "Crème brûlée Å 각") for form in ("NFC", "NFD")]
        client.load(account(), *(record(n, **{field: w}) for n, w in enumerate(words, 1)))
        for word in words:
            for prefix in ("eq", "contains", "contains-i"):
                assert found(client, f"{prefix}.{word}", field=field) == [1, 2]
        stored = client.names("records", field)
        assert stored == [words[0]] * 2


def test_no_character_is_special(client):
    texts = [f"a{c}b" for c in SPECIAL]
    client.load(*payees(*texts, "ab", "aab", "aXb"))
    for number, character in enumerate(SPECIAL, 1):
        assert found(client, f"eq.a{character}b") == [number]
        for prefix in ("contains", "contains-i"):
            assert found(client, f"{prefix}.a{character}b") == [number]
            assert found(client, f"{prefix}.{character}") == [number]


def test_a_comma_in_text_is_text(client):
    client.load(*payees("a,b", "a", "b", "eq.a", "a,eq.b"))
    assert found(client, "eq.a,b") == [1]
    assert found(client, "contains.a,") == [1, 5]
    assert found(client, "eq.a,eq.b") == [5]
    assert found(client, "eq.eq.a") == [4]


def test_the_operand_begins_after_the_first_dot(client):
    client.load(*payees("is.null", ".", "eq.", "a.b", None))
    assert found(client, "eq.is.null") == [1]
    assert found(client, "contains..") == [1, 2, 3, 4]
    assert found(client, "eq..") == [2]
    assert found(client, "eq.eq.") == [3]
    assert found(client, "is.null") == [5]


def test_an_empty_operand_contains_nothing_to_look_for(client):
    client.load(*payees("a", None))
    for prefix in ("contains", "contains-i"):
        for field in ("payee", "labels", "accountName"):
            assert client.get("records", **{field: f"{prefix}."}).status_int == 400
    assert found(client, "eq.") == []


def test_spaces_count(client):
    client.load(*payees("a b", "ab", " a", "a\u00a0b", "tab\there", "two\nlines"))
    assert found(client, "contains. ") == [1, 3]
    assert found(client, "eq. a") == [3]
    assert found(client, "contains.\u00a0") == [4]
    assert found(client, "contains.\t") == [5]
    assert found(client, "eq.two\nlines") == [6]


def test_control_characters_are_dropped_on_both_sides(client):
    client.load(*payees("a\x07b", "ab", "a\x1fb", "a\x85b"))
    assert found(client, "eq.ab") == [1, 2, 3, 4]
    assert found(client, "eq.a\x1bb") == [1, 2, 3, 4]
    assert client.get("records", payee="contains.\x01").status_int == 400
