"""Payees on their page: searched, and merged into one name."""

import pytest

from finance_api.web.views import payees
from support.browser import few_users as services  # noqa: F401
from support.browser import location, new_token
from support.html import shown_text
from support.native_rows import account, record, uid
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
    page = merge(visitor, *payees, into=into, status=400)
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
