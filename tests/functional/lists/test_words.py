"""``q=`` finds records whose texts contain every word."""

import pytest

from support.native_rows import account, category, label, record, uid


@pytest.fixture
def loaded(client):
    client.load(
        account(1, name="Giro Köln"),
        account(2, name="Cash"),
        category(1, name="Groceries"),
        label(1, name="Tax 2026"),
        label(2, name="household"),
        record(1, payee="Corner Shop", note="weekly", categoryId=uid("Category", 1), amount=-12.5),
        record(2, payee="SHOPPING mall", accountId=uid("Account", 2), amount=12.5),
        record(3, note="100% fun_", labelIds=[uid("Label", 1), uid("Label", 2)], amount=-1_999.99),
        record(4, payee="Straße 5", amount=0.01),
        record(5, amount=-5),
    )
    return client


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("shop", [1, 2]),
        ("SHOP weekly", [1]),
        ("groceries", [1]),
        ("KÖLN strasse", [4]),
        ("tax household", [3]),
        ("fun_", [3]),
        ("corner mall", []),
        ("koln strásse", [4]),
        ('"corner shop"', [1]),
        ('"shop corner"', []),
        ("12,50", [1, 2]),
        ("12.5 mall", [2]),
        (">12.5 <=2'000", [3]),
        ('"5"', [4]),
        ("5", [4, 5]),
        # No word spans two texts or two labels.
        ("2026household", []),
        ("shopweekly", []),
    ],
)
def test_every_word_is_found_in_one_of_the_texts(loaded, text, numbers):
    expected = [uid("Record", n) for n in numbers]
    # The default order, another order, rows, and a count each use a different query.
    assert sorted(loaded.names("records", "id", q=text)) == expected
    assert loaded.names("records", "id", q=text, sortBy="id") == expected
    assert loaded.get("records", q=text, withTotal="true").json["total"] == len(expected)
    csv = loaded.get("records", q=text, sortBy="id", fields="id", headers={"Accept": "text/csv"})
    assert csv.text.splitlines()[1:] == expected


def test_accents_count_where_a_filter_says_contains(loaded):
    for search, numbers in (("straße", [4]), ("strasse", [4]), ("strásse", [])):
        found = loaded.names("records", "id", payee=f"contains-i.{search}", withTotal="true")
        assert found == [uid("Record", number) for number in numbers]


def test_words_and_filters_hold_together(loaded):
    assert loaded.names("records", "id", q="shop", category="is.null") == [uid("Record", 2)]
    assert loaded.names("records", "id", q="shop", payee="startsWith-i.shop") == [uid("Record", 2)]


def test_a_renamed_label_is_found_by_its_new_name(loaded):
    loaded.load(label(1, name="Steuer"))
    assert loaded.names("records", "id", q="tax") == []
    assert loaded.names("records", "id", q="steuer") == [uid("Record", 3)]


@pytest.mark.parametrize(
    "text", ["", " ", "a b c d e f g h i j k", "x" * 257, "a\x00", 'a "b', 'a"b c"', '""']
)
def test_no_words_and_too_many_are_refused(client, text):
    response = client.get("records", q=text)
    assert [fault["name"] for fault in response.json["errors"]] == ["q"]


def test_only_records_are_searched_by_words(client):
    (fault,) = client.get("accounts", q="giro").json["errors"]
    assert fault["message"] == 'there is no such parameter; did you mean "name"?'
