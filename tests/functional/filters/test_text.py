"""Text filters: code points, full case folding, and no special character."""

import unicodedata

import pytest

from support.native_rows import account, label, payees, record, record_rule, uid

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
        ("ÉCOLE", "école"),
        ("Straße", "STRASSE"),
        ("STRASSE", "straße"),
        ("STRAẞE", "strasse"),
        ("İstanbul", "i\u0307STANBUL"),
        ("İstanbul", "İSTANBUL"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ"),
        ("ﬁnance oﬃce", "FINANCE OFFICE"),
        ("FINANCE", "ﬁnance"),
        ("Ⅷ", "ⅷ"),
        ("Привет", "пРИВЕТ"),
        ("Կրակ", "կՐԱԿ"),
        ("ǅ", "ǆ"),
        ("ſ", "S"),
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


def test_folding_is_not_done_where_it_was_not_asked_for(client):
    client.load(*payees("École", "école", "ÉCOLE", "ecole", "Straße", "STRASSE"))
    assert found(client, "eq.école") == [2]
    assert found(client, "contains.cole") == [1, 2, 4]
    assert found(client, "contains.ÉCO") == [3]
    assert found(client, "contains.ss") == []
    assert found(client, "contains-i.ss") == [5, 6]
    assert found(client, "contains-i.e") == [1, 2, 3, 4, 5, 6]
    assert found(client, "contains-i.é") == [1, 2, 3]


def test_letters_that_only_look_alike_differ(client):
    client.load(*payees("ı", "i", "а", "a", "Ω", "O"))
    assert found(client, "contains-i.I") == [2]
    assert found(client, "contains-i.A") == [4]
    assert found(client, "contains-i.ı") == [1]
    assert found(client, "contains-i.ω") == [5]


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


def test_wildcards_of_sql_and_of_shells_match_themselves(client):
    client.load(
        *payees("100%", "100 percent", "a_b", "axb", "c:\\dir", "c:/dir", "%%", "\\%", "[a]")
    )
    for operand, numbers in {
        "100%": [1],
        "%": [1, 7, 8],
        "%%": [7],
        "_": [3],
        "a_b": [3],
        "\\": [5, 8],
        "\\%": [8],
        "\\\\": [],
        "[a]": [9],
        "%percent": [],
        ".*": [],
    }.items():
        assert found(client, f"contains.{operand}") == numbers, operand
        assert found(client, f"contains-i.{operand}") == numbers, operand


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


def test_conditions_on_one_text_all_hold(client):
    client.load(*payees("corner shop", "corner", "shop", "Shop at the corner"))
    assert found(client, "contains.corner", "contains.shop") == [1]
    assert found(client, "contains.shop", "contains.corner") == [1]
    assert found(client, "contains-i.SHOP", "contains-i.CORNER") == [1, 4]
    assert found(client, "contains-i.SHOP", "eq.shop") == [3]
    assert found(client, "is.not_null", "contains.at") == [4]


def test_a_list_of_text_is_met_by_any_element(client):
    names = ("Home", "ÉTÉ 50%", "a;b", "a", "home")
    client.load(
        account(),
        *(label(n, name=name) for n, name in enumerate(names, 1)),
        record(1, labelIds=[uid("Label", 1), uid("Label", 2)]),
        record(2, labelIds=[uid("Label", 3)]),
        record(3, labelIds=[uid("Label", 4), uid("Label", 5)]),
        record(4),
        record_rule(1, keywords=["one two", "three"]),
        record_rule(2, keywords=["two three"]),
    )

    def labelled(*conditions):
        return found(client, *conditions, field="labels")

    assert labelled("eq.Home") == [1]
    assert labelled("contains-i.HOME") == [1, 3]
    assert labelled("contains-i.été") == [1]
    assert labelled("contains.50%") == [1]
    assert labelled("eq.a") == [3]
    assert labelled("eq.a;b") == [2]
    assert labelled("contains.a") == [2, 3]
    assert labelled("contains.Home", "contains.50") == [1]
    assert labelled("eq.a", "eq.home") == [3]
    assert labelled("eq.a", "eq.Home") == []
    assert labelled("is.null") == [4]
    # Elements are not run together.
    assert labelled("contains-i.ah") == []
    assert client.names("record-rules", "id", keywords="contains.two three") == [
        uid("RecordRule", 2)
    ]
    assert client.names("record-rules", "id", keywords="contains.twothree") == []
