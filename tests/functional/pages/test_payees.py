"""Payees on their page: searched, and merged into one name."""

from urllib.parse import urlencode

import pytest

from finance_api.web.views import payees
from support.browser import few_users as services  # noqa: F401
from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, category, record, record_rule, uid
from support.service import Client

BANK_TEXT = "AMZN Mktp DE*2K4LL8"


@pytest.fixture
def client(service, user):
    names = (BANK_TEXT, "Amazon", "Amazon", "Shop")
    rows = [record(n, payee=name, amount=-n, sourceId=f"{n}") for n, name in enumerate(names, 1)]
    service.load(user, [account(1), *rows])
    return Client(service, user, new_token(service, user))


def merge(visitor, *payees, into, path="/payees", status=303):
    sent = [("csrf_token", visitor.csrf()), *(("payee", each) for each in payees), ("into", into)]
    return visitor.post(path, sent, status=status)


def records(client, **query):
    found = client.get("records", **query, sortBy="+id").json["records"]
    return [(row["payee"], row["originalPayee"]) for row in found]


def test_payees_are_searched_by_words_and_merged(client, visitor):
    page = visitor.get("/payees?q=amazon+OR+amzn")
    assert BANK_TEXT in page.text and "Shop" not in shown_text(page.text)
    merged = merge(visitor, BANK_TEXT, into="Amazon", path="/payees?q=amazon+OR+amzn")
    assert location(merged) == "/payees?q=amazon+OR+amzn&changed=2"
    expected = [("Amazon", BANK_TEXT), ("Amazon", None), ("Amazon", None)]
    assert records(client, q="amazon") == expected
    assert records(client, q="amzn") == expected[:1]
    (rule,) = client.get("record-rules").json["recordRules"]
    assert (rule["keywords"], rule["payee"], rule["wholePayee"]) == ([BANK_TEXT], "Amazon", True)
    # A rule made of it looks for what later files have.
    form = visitor.get(f"/records/{uid('Record', 1)}/rule").text
    assert 'value="AMZN Mktp DE"' in form
    # The record's page shows both.
    assert BANK_TEXT in visitor.get(f"/records/{uid('Record', 1)}").text
    assert "Merge payees" in visitor.get("/rules").text


def test_the_page_of_a_payee_renames_it_or_merges_it_with_another(client, visitor):
    path = "/payee?name=Shop&back=%2Frecords%3Fq%3Dshop"
    page = visitor.submit(path, path, into=" ", status=400)
    assert "Enter the name that they all get." in shown_text(page.text)
    renamed = visitor.submit(path, path, into="Corner Shop", status=303)
    page = visitor.follow(renamed)
    assert page.request.path_qs.startswith("/payee?name=Corner+Shop&back=")
    assert "Corner Shop" in page.html.h1.text
    assert records(client, payee="eq.Corner Shop") == [("Corner Shop", "Shop")]
    own = "/payee?name=Amazon"
    visitor.submit(own, own, into="Corner Shop", status=303)
    assert len(records(client, payee="eq.Corner Shop")) == 3


@pytest.mark.parametrize(
    ("payees", "into", "said"),
    [
        ((), "Amazon", "Choose one or more payees."),
        (("Shop",), " ", "Enter the name that they all get."),
        (("Gone",), "Amazon", "No record has the payee Gone"),
        (("Shop",), "Shop", "Give at least one payee that is not the new one already."),
    ],
)
def test_a_merge_that_is_refused_keeps_what_was_chosen(client, visitor, payees, into, said):
    answer = merge(visitor, *payees, into=into)
    assert "kept=" in location(answer)
    page = visitor.follow(answer)
    assert said in shown_text(page.text)
    assert page.text.count(" checked") == len({"Shop"}.intersection(payees))
    assert records(client, payee="eq.Shop") == [("Shop", None)]


def test_a_search_that_cannot_be_read_says_why(client, visitor):
    page = visitor.get("/payees?q=amazon+OR")
    assert "has no word before or after an OR" in shown_text(page.text)
    page = visitor.get("/payees?q=nowhere")
    assert "No payee has these words, and no original payee." in shown_text(page.text)


@pytest.mark.parametrize("most", [20_000, 2])
def test_payees_are_found_by_their_names_alone(client, visitor, service, user, monkeypatch, most):
    """most: how many payees the page counts at once."""
    monkeypatch.setattr(payees, "_MOST", most)
    service.load(user, [record(5, payee="Kiosk", note="amazon, 17.07", amount=-3)])
    page = shown_text(visitor.get("/payees?q=amazon").text)
    assert "Amazon 2" in page.replace("\n", " ") and "Kiosk" not in page
    # The record's note has these words, and no payee has them.
    assert "No payees" in shown_text(visitor.get("/payees?q=17.07").text)
    too_many = "Too many payees" in shown_text(visitor.get("/payees").text)
    assert too_many == (most == 2)


# -- categories for the largest payees

PAGE = "/payees/categories"
FOOD, RENT = uid("Category", 1), uid("Category", 2)


@pytest.fixture
def started(service, user):
    """A user with payees without a category."""
    rows = [record(n, payee="Shop", amount=-10, sourceId=f"{n}") for n in (1, 2)]
    rows += [record(10 + n, payee=f"Small {n:02}", amount=-n) for n in range(1, 12)]
    rows += [
        record(3, payee="SHOP", amount=-5),
        record(4, payee="Shop around", amount=-1),
        record(5, payee="Landlord", amount=-900),
        record(6, payee="Done", amount=-5_000, categoryId=FOOD),
        record(7, payee="Me", amount=-7_000, transferId=uid("Record", 99)),
        record(9, payee="Void", amount=-9_000, recordState="void"),
        record(30, payee="Shop", amount=-3, currencyCode="USD", accountId=uid("Account", 3)),
    ]
    categories = category(1, name="Food"), category(2, name="Rent")
    accounts = account(1), account(3, currencyCode="USD")
    service.load(user, [*accounts, *categories, *rows])
    return Client(service, user, new_token(service, user))


def categorise(visitor, chosen, status=303):
    """Send the page's form with these categories by payee."""
    form = visitor.form(PAGE)
    names = [value for name, value in form.fields if name == "payee"]
    sent = {"payee": [*names, *(set(chosen) - set(names))]}
    sent["category"] = [chosen.get(name, "") for name in sent["payee"]]
    sent_form = [("csrf_token", visitor.csrf())]
    sent_form += [(key, value) for key, values in sent.items() for value in values]
    return visitor.post(PAGE, sent_form, status=status)


def categories(client):
    rows = client.get("records", limit=100).json["records"]
    return {(row["payee"], row["category"]) for row in rows if row["category"]}


def test_the_largest_payees_are_offered_with_number_and_sums(started, visitor):
    assert PAGE in visitor.get("/overview").text
    page = visitor.get(PAGE)
    names = [value for name, value in visitor.form(PAGE).fields if name == "payee"]
    # "SHOP" and "Shop" are one payee for rules.
    expected = ["SHOP", "Landlord", *(f"Small {n:02}" for n in range(11, 3, -1))]
    assert names == expected
    text = " ".join(shown_text(page.text).split())
    assert "SHOP 4 −25.00 EUR −3.00 USD" in text, text
    assert "Landlord 1 −900.00 EUR" in text


def test_the_chosen_categories_are_one_change_with_a_rule_for_each_payee(started, visitor):
    answer = categorise(visitor, {"SHOP": FOOD, "Landlord": RENT})
    assert location(answer).startswith(f"{PAGE}?changed=")
    expected = {("Shop", "Food"), ("SHOP", "Food"), ("Landlord", "Rent"), ("Done", "Food")}
    assert categories(started) == expected
    rules = started.get("record-rules").json["recordRules"]
    assert {(*row["keywords"], row["categoryId"], row["wholePayee"]) for row in rules} == {
        ("SHOP", FOOD, True),
        ("Landlord", RENT, True),
    }
    notice = visitor.follow(answer)
    names = [value for name, value in visitor.form(PAGE).fields if name == "payee"]
    assert not {"SHOP", "Landlord"}.intersection(names) and "Small 02" in names
    (undo,) = [form for form in forms(notice.text) if "/undo" in form.action]
    visitor.post(undo.action, undo.fields, status=303)
    assert categories(started) == {("Done", "Food")}
    assert started.get("record-rules").json["recordRules"] == []


def test_a_form_sent_twice_adds_nothing_twice(started, visitor):
    for _ in range(2):
        answer = categorise(visitor, {"SHOP": FOOD})
    assert location(answer) == f"{PAGE}?done=same"
    assert len(started.get("record-rules").json["recordRules"]) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "Choose a category for at least one payee."),
        ({"Landlord": FOOD, "Gone": FOOD}, "No records of this payee are left without a category"),
        ({"Landlord": FOOD, "SHOP": uid("Category", 9)}, "This category was removed"),
    ],
)
def test_a_refused_form_stores_nothing_and_says_so_at_the_payee(started, visitor, more, said):
    page = categorise(visitor, more, status=400)
    assert said in shown_text(page.text)
    assert page.text.count(" selected") == sum(c == FOOD for c in more.values())
    assert page.text.count('class="error"') == min(len(more), 1)
    assert categories(started) == {("Done", "Food")}
    assert started.get("record-rules").json["recordRules"] == []


def test_a_rule_that_gives_another_category_is_not_overruled_in_silence(started, visitor):
    started.load(record_rule(1, keywords=["shop"], categoryId=RENT))
    page = categorise(visitor, {"SHOP": FOOD}, status=400)
    assert "An earlier rule gives records of this payee another category" in shown_text(page.text)
    assert categories(started) == {("Done", "Food")}


def test_without_categories_the_page_leads_to_them(visitor):
    assert "No categories yet" in shown_text(visitor.get(PAGE).text)


def test_records_of_other_payees_with_the_same_words_are_left_alone(started, visitor):
    started.load(record_rule(1, keywords=["around"], categoryId=RENT))
    categorise(visitor, {"SHOP": FOOD})
    assert categories(started) == {("Shop", "Food"), ("SHOP", "Food"), ("Done", "Food")}


def test_a_payee_with_a_very_long_name_has_a_page_that_renames_it(service, user, client, visitor):
    long = "Long " * 60 + "end"
    service.load(user, [record(9, payee=long, sourceId="9")])
    path = f"/payee?{urlencode({'name': long})}"
    page = visitor.get(path)
    assert "This name has 303 characters." in shown_text(page.text)
    renamed = visitor.submit(path, path, into="Short", status=303)
    assert "/payee?name=Short" in location(renamed)
    assert records(client, payee="eq.Short") == [("Short", long)]
    # Renaming to such a name leads to its page as well.
    own = "/payee?name=Short"
    page = visitor.follow(visitor.submit(own, own, into=long, status=303))
    assert page.request.path_qs.startswith("/payee?name=Long+")
    assert "Payee of the record" in shown_text(page.text)
    nobody = visitor.get(f"/payee?{urlencode({'name': long + 's'})}")
    assert "No record has this payee." in shown_text(nobody.text)
