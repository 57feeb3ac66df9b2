"""Splitting a record on its page, and joining the parts again."""

import re

import pytest

from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, category, label, record, uid
from support.service import Client, on_one_storage

RECEIPT, OTHER, VOIDED = (uid("Record", n) for n in (1, 2, 3))
FOOD, HOME = uid("Category", 1), uid("Category", 2)
PATH, SPLIT = f"/records/{RECEIPT}", f"/records/{RECEIPT}/split"


@pytest.fixture
def client(service, user):
    rows = [
        account(1, name="Giro"),
        category(1, name="Food"),
        category(2, name="Home"),
        label(1, name="week"),
        record(1, payee="<b>Shop", note="receipt", amount=-30, categoryId=FOOD),
        record(2, payee="Salary", amount=50),
        record(3, payee="Gone", amount=-5, recordState="void"),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def parts(client):
    return client.get("records", splitId="is.not_null").json["records"]


def shown_form(page):
    (form,) = (f for f in forms(page.text) if f.action == SPLIT)
    return form, dict(form.fields)


def split(visitor, *amounts, path=SPLIT, status=303, **further):
    given = {f"amount-{n}": amount for n, amount in enumerate(amounts, 1)}
    return visitor.submit(path, path, status=status, **given, **further)


def test_a_receipt_is_split_changed_joined_and_undone(client, visitor):
    before = client.get("records").json["records"]
    assert f'href="{SPLIT}"' in visitor.get(PATH).text
    assert "30.00 EUR left" in shown_text(visitor.get(SPLIT).text)
    page = visitor.follow(
        split(visitor, "12.50", "17.50", **{"categoryId-2": HOME, "labelIds-2": uid("Label", 1)})
    )
    assert "<b>Shop split into parts: −12.50 EUR, −17.50 EUR." in shown_text(page.text)
    one, other = sorted(parts(client), key=lambda row: row["id"])
    assert [(r["amount"], r["category"], r["labels"], r["note"]) for r in (one, other)] == [
        (-12.5, "Food", [], "receipt"),
        (-17.5, "Home", ["week"], "receipt"),
    ]
    assert page.request.path == SPLIT
    page = visitor.get(f"/records/{one['id']}")
    assert f'href="/records/{other["id"]}"' in page.text
    assert re.search("17.50 EUR ?, Home ?, receipt", shown_text(page.text))
    assert location(visitor.get(PATH, status=303)) == SPLIT

    path = f"/records/{one['id']}/split"
    visitor.follow(split(visitor, "10", "20", path=path, **{"note-1": "milk"}))
    assert [(r["amount"], r["note"]) for r in sorted(parts(client), key=lambda r: r["id"])] == [
        (-10, "milk"),
        (-20, "receipt"),
    ]
    page = visitor.get(f"/records/{one['id']}")
    (form,) = (f for f in forms(page.text) if f.action.endswith("/join"))
    page = visitor.follow(visitor.post(form.action, form.fields, status=303))
    assert page.request.path == PATH and parts(client) == []
    assert client.get(PATH.removeprefix("/")).json["amount"] == -30
    for number in (4, 3, 2):
        undone = visitor.undo(visitor.get(f"{SPLIT}?changed={number}"))
        assert "Undone" in visitor.follow(undone).text
    assert client.get("records").json["records"] == before


@on_one_storage
def test_more_parts_are_added_without_a_script(client, visitor):
    form = visitor.form(SPLIT)
    given = {"amount-1": "12.5", "note-1": "kept"}
    page = visitor.post(SPLIT, [*form.filled(given), ("do", "add")], status=200)
    assert parts(client) == []
    assert "17.50 EUR left" in shown_text(page.text)
    form, fields = shown_form(page)
    assert {"amount-3", "note-3", "categoryId-3"} <= fields.keys()
    assert (fields["amount-1"], fields["note-1"]) == ("12.5", "kept")
    given = {"amount-2": "-2.5", "amount-3": "20"}
    visitor.post(SPLIT, form.filled(given), status=303)
    assert sorted(row["amount"] for row in parts(client)) == [-20, -12.5, 2.5]


@on_one_storage
def test_the_rest_is_filled_in_and_a_part_gets_a_new_category(client, visitor):
    form = visitor.form(SPLIT)
    sent = form.filled({"amount-1": "12.5", "new-category-1": "Garden", "note-2": "rest"})
    page = visitor.post(SPLIT, [*sent, ("do", "rest")], status=200)
    form, fields = shown_form(page)
    assert (fields["amount-2"], fields["note-2"]) == ("17.50", "rest")
    assert fields["new-category-1"] == "Garden" and "Nothing is left" in page.text
    assert 'value="rest"' not in page.text.split("Nothing is left")[1]
    more = [("do", "rest"), *form.filled({"amount-2": "10"})]
    form, fields = shown_form(visitor.post(SPLIT, more, status=200))
    assert (fields["amount-2"], fields["amount-3"]) == ("10", "7.50"), "a row is added"
    visitor.post(SPLIT, form.fields, status=303)
    assert sorted((r["amount"], r["category"]) for r in parts(client)) == [
        (-12.5, "Garden"),
        (-10, None),
        (-7.5, None),
    ]


@on_one_storage
@pytest.mark.parametrize(
    ("given", "rest"),
    [
        ({"amount-1": "12.5 EUR"}, "17.50"),
        ({"amount-1": "10+€2.50", "amount-2": ""}, "17.50"),
        # Another field of the part is refused, not its amount.
        ({"amount-1": "12.5", "categoryId-1": uid("Category", 99)}, "17.50"),
        ({"amount-1": "12.5 USD"}, "30.00"),
    ],
)
def test_the_rest_is_that_of_all_amounts_that_are_not_refused(client, visitor, given, rest):
    sent = visitor.form(SPLIT).filled(given)
    page = visitor.post(SPLIT, [*sent, ("do", "add")], status=200)
    assert f"{rest} EUR left" in shown_text(page.text)
    _, fields = shown_form(visitor.post(SPLIT, [*sent, ("do", "rest")], status=200))
    assert fields["amount-2"] == rest


@on_one_storage
@pytest.mark.parametrize(
    ("amounts", "words"),
    [
        (("20", "9"), "Part 2 Amount 1.00 EUR left."),
        (("20", "98.88"), "Part 2 Amount 88.88 EUR too much."),
        (("20", "98.88"), "30.00 EUR in all. 88.88 EUR too much."),
        (("20", "98.88 EUR"), "30.00 EUR in all. 88.88 EUR too much."),
        (("118.88", ""), "Part 1 Amount 88.88 EUR too much."),
        (("30", ""), "needs 2 to 500 parts; 1 were given"),
        (("20", "x"), "is not an amount such as"),
        (("20.0010", "9.9990"), "Amount 20.0010 is too exact, as EUR has two decimals"),
        (("20", "1.123456789"), "more than 4 decimal places"),
        (("20", "9" * 17), "out of range"),
    ],
)
def test_parts_that_do_not_fit_are_refused_and_kept(client, visitor, amounts, words):
    page = split(visitor, *amounts, status=400, **{"note-1": "kept"})
    assert words in shown_text(page.text)
    _, fields = shown_form(page)
    assert (fields["amount-1"], fields["note-1"]) == (amounts[0], "kept")
    assert fields["amount-2"] == amounts[1]
    assert parts(client) == []


@on_one_storage
def test_a_form_that_is_sent_twice_or_late_splits_once(client, visitor):
    form = visitor.form(SPLIT)
    sent = form.filled({"amount-1": "10", "amount-2": "20"})
    visitor.post(SPLIT, sent, status=303)
    before = parts(client)
    assert "changed elsewhere" in shown_text(visitor.post(SPLIT, sent, status=400).text)
    assert parts(client) == before


@on_one_storage
def test_what_cannot_be_split_says_why(client, visitor):
    assert f"{VOIDED}/split" not in visitor.get(f"/records/{VOIDED}").text
    page = split(visitor, "1", "4", path=f"/records/{VOIDED}/split", status=400)
    assert "is void and counts nowhere" in shown_text(page.text)
    visitor.get(f"/records/{uid('Record', 9)}/split", status=404)
    visitor.get("/records/x/split", status=404)
    join = visitor.post(f"/records/{OTHER}/join", visitor.form(SPLIT).fields, status=303)
    assert location(join) == "/records?done=same"


@on_one_storage
def test_a_part_is_neither_deleted_nor_resized_alone(client, visitor):
    split(visitor, "10", "20")
    path = f"/records/{parts(client)[0]['id']}"
    page = visitor.get(path)
    assert f"{path}/remove" not in page.text and f"{path}/link" not in page.text
    client.load(account(2), record(4, amount=10, accountId=uid("Account", 2)))
    assert path.rpartition("/")[2] not in visitor.get(f"/records/{uid('Record', 4)}/link").text
    page = visitor.submit(f"{path}/remove", f"{path}/remove", status=400)
    assert "change or remove all of its parts together" in shown_text(page.text)
    page = visitor.submit(path, path, status=400, amount="11")
    assert "change or remove all of its parts together" in shown_text(page.text)
    visitor.submit(path, path, status=303, note="free", categoryId=HOME)
    assert len(parts(client)) == 2
