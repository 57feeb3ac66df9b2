"""The syntax of parameters."""

import pytest

from support.native_rows import uid

WIDE = "recordDate=gte.2000-01-01"


def test_texts_equal_and_contain(wallet):
    assert wallet.ids("records?counterParty=eq.Downtown%20Bistro") == [1]
    assert wallet.ids("records?counterParty=contains.Bistro") == [1]
    assert wallet.ids("records?counterParty=contains.bistro") == []
    assert wallet.ids("records?counterParty=contains-i.BISTRO") == [1]
    assert wallet.ids("records?note=contains-i.lunch&note=contains.restaurant") == [1]
    assert wallet.ids("records?note=contains-i.lunch&note=contains.nothing") == []


def test_a_text_needs_a_prefix(wallet):
    sentence = 'note "lunch" has none of the prefixes eq. contains. contains-i.'
    assert wallet.refused("records?note=lunch") == sentence


@pytest.mark.parametrize(
    "query",
    [
        *("recordDate=ne.2026-01-01", "recordDate=gte.-30d", "recordDate=eq.today"),
        *("note=ne.x", "note=in.a,b", "note=is.null", "note=startsWith-i.x", "payee=ne.x"),
        *("amount=ne.1", "amount=abs.gt.1", "amount=gt.1,abs.lt.2", "createdAt=gte.-1y"),
        *("recordDate=2026-01-01", "recordDate="),
    ],
)
def test_other_prefixes_are_refused(wallet, query):
    name = query.partition("=")[0]
    sentence = wallet.refused(f"records?{query}")
    assert sentence.startswith(name)
    # The form that it proposes is accepted.
    for prefix in sentence.partition("prefixes ")[2].split():
        operand = {"amount": "1", "note": "x", "payee": "x"}.get(name, "2026-01-01")
        assert wallet.ask(f"records?{name}={prefix}{operand}").status_int == 200


def test_numbers_are_found_by_ranges(wallet):
    assert wallet.ids("records?amount=eq.-42.5") == [1]
    assert wallet.ids("records?amount=gt.100") == [2]
    assert wallet.ids("records?amount=gte.100") == [4, 2]
    assert wallet.ids("records?amount=lt.-42.5") == [3]
    assert wallet.ids("records?amount=lte.-42.5") == [1, 3]
    for query in ("amount=gte.-20&amount=lt.-6", "amount=gte.-20,lt.-6"):
        assert wallet.ids(f"records?{query}") == [5, 7]


def test_a_bare_date_is_the_whole_day(wallet):
    assert wallet.ids("records?recordDate=eq.2026-11-15") == [1]
    assert wallet.ids("records?recordDate=gt.2026-11-14,lt.2026-11-15") == []
    assert wallet.ids("records?recordDate=lte.2026-11-15,gte.2026-11-15") == [1]
    assert wallet.ids("records?recordDate=gt.2026-11-15,lte.2026-11-22") == [11, 10]


@pytest.mark.parametrize(
    "operand",
    [
        "2026-11-15T14:30:00.000Z",
        "2026-11-15T14:30:00Z",
        "2026-11-15T15:30:00%2B01:00",
        "2026-11-15T15:30:00+01:00",
        "2026-11-15T14:30:00.0Z",
    ],
)
def test_operands_with_and_without_fraction_and_offset(wallet, operand):
    assert wallet.ids(f"records?recordDate=eq.{operand}") == [1]


def test_rows_are_found_by_when_they_were_created_or_changed(wallet):
    assert wallet.ids(f"records?{WIDE}&createdAt=eq.2026-11-21T22:36:30.000Z") == [1]
    assert wallet.ids(f"records?{WIDE}&updatedAt=eq.2026-11-21T22:36:31Z") == [1]
    assert wallet.ids("accounts?createdAt=lt.2026-02-01") == [1]
    assert wallet.ids("labels?updatedAt=eq.2026-03-20") == [1]


def test_lists_of_ids_and_words_are_bare(wallet):
    first, second = uid("Account", 1), uid("Account", 2)
    assert wallet.ids(f"records?accountId={second}") == [4, 7]
    both = wallet.ids(f"records?accountId={first},{second}")
    assert (
        both == wallet.ids("records") == wallet.ids(f"records?accountId={second.upper()},{first}")
    )
    assert wallet.ids("records?recordState=reconciled,cleared&" + WIDE) == [1, 8]
    assert wallet.refused("records?recordState=nope").startswith("recordState ")


def test_a_boolean_selects_rows(wallet):
    assert wallet.ids("accounts?archived=true") == [3]
    assert wallet.ids("accounts?archived=false") == [2, 1, 4]
    assert wallet.refused("accounts?archived=1").startswith("archived ")


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("%2Bamount", [3, 1]),
        ("+amount", [3, 1]),
        ("amount", [3, 1]),
        ("amount,asc", [3, 1]),
        ("-amount", [2, 4]),
        ("amount,desc", [2, 4]),
        ("recordDate", [9, 7]),
        ("-recordDate", [10, 1]),
        ("-createdAt", [1]),
        ("-updatedAt", [1]),
    ],
)
def test_a_sort_takes_a_sign_or_a_direction(wallet, sort, expected):
    query = f"records?sortBy={sort}&createdAt=gte.2000-01-01"
    if "At" in sort:
        query += f"&id={uid('Record', 1)}"
    found = wallet.ids(query)
    assert found[: len(expected)] == expected


@pytest.mark.parametrize("sort", ["", "payee", "--amount", "amount,up", "amount,-recordDate", "+"])
def test_other_sorts_are_refused(wallet, sort):
    assert wallet.refused(f"records?sortBy={sort}").startswith("sortBy ")


def test_what_typed_clients_always_send_is_known_everywhere(wallet):
    sent = "agentHints=false&withTotal=false&limit=30&offset=0"
    for path in (
        "records?",
        "standing-orders/items?",
        f"records/by-id?id={uid('Record', 1)}&",
        "api-usage/stats?",
        "labels/references?id=x&",
    ):
        plain, full = wallet.ask(path), wallet.ask(f"{path}{sent}")
        assert plain.status_int == full.status_int == 200
        assert plain.json.keys() == full.json.keys()


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_booleans_are_taken_in_any_case(wallet, word):
    answer = wallet.get(f"records?agentHints={word}&withTotal={word}&isTransfer={word}")
    assert "total" in answer and "agentHints" in answer
    assert answer["records"] and all(record["transfer"] for record in answer["records"])
    assert wallet.ids(f"categories?archived={word}") == [2]
    no = word.replace("true", "false").replace("True", "False").replace("TRUE", "FALSE")
    assert "agentHints" not in wallet.get(f"accounts?agentHints={no}")
    assert wallet.refused("accounts?archived=Yes").endswith('"Yes" is not one of true, false')


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("records?recordType=expence", "expense"),
        ("accounts?accountType=GENERALL", "General"),
        ("budgets?spending=curent", "current"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_one_that_was_meant(wallet, query, meant):
    assert wallet.refused(query).endswith(f'; did you mean "{meant}"?')
