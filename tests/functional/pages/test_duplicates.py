"""Likely duplicates on pages: one is voided, or both are right."""

import pytest

from support.browser import few_users as services  # noqa: F401
from support.browser import new_token
from support.html import shown_text
from support.native_rows import account, record, uid
from support.service import Client

PAIR = f"{uid('Record', 1)} {uid('Record', 2)}"


@pytest.fixture
def client(service, user):
    stated = {"amount": -4, "recordState": "cleared"}
    service.load(user, [account(1, initialBalance=100), record(1, payee="Kiosk", **stated)])
    service.load(user, [record(2, payee="KIOSK", **stated)])
    return Client(service, user, new_token(service, user))


def settle(visitor, do, pair=PAIR, status=303):
    sent = {"csrf_token": visitor.csrf(), "pair": pair, "do": do}
    return visitor.post("/duplicates", sent, status=status)


def listed(client):
    return client.get("records/duplicates").json["total"]


def states(client):
    return [client.get(f"records/{uid('Record', n)}").json["recordState"] for n in (1, 2)]


@pytest.mark.parametrize(
    ("do", "expected"), [("earlier", ["void", "cleared"]), ("later", ["cleared", "void"])]
)
def test_one_click_voids_one_of_two(client, visitor, do, expected):
    assert "1 likely duplicate" in shown_text(visitor.get("/overview").text)
    page = visitor.follow(settle(visitor, do))
    assert "Cleared → Void" in shown_text(page.text)
    assert listed(client) == 0
    assert states(client) == expected
    assert "likely duplicate" not in shown_text(visitor.get("/overview").text)
    # The other record of the pair stays, whatever another window says.
    answer = settle(visitor, "later" if do == "earlier" else "earlier", status=400)
    assert "no longer waiting for your decision" in shown_text(answer.text)
    assert states(client) == expected


def test_both_are_right_is_remembered_until_it_is_undone(service, user, client, visitor):
    page = visitor.follow(settle(visitor, "keep"))
    assert "Remembered as no duplicates: Kiosk and KIOSK." in shown_text(page.text)
    assert states(client) == ["cleared", "cleared"]
    visitor.post("/duplicates", {"csrf_token": visitor.csrf(), "do": "find"}, status=303)
    assert "No duplicates found" in shown_text(visitor.get("/duplicates").text)
    assert listed(client) == 0
    service.load(user, [record(3, payee="Kiosk", amount=-1)])
    assert "No duplicates found" in shown_text(visitor.get("/duplicates").text)


def test_a_choice_without_a_pair_is_refused(client, visitor):
    sent = {"csrf_token": visitor.csrf(), "do": "later"}
    page = visitor.post("/duplicates", sent, status=400)
    assert "Choose one or more pairs" in shown_text(page.text)
    assert states(client) == ["cleared", "cleared"]


@pytest.mark.parametrize("do", ["earlier", "later"])
def test_the_page_says_which_record_was_added_by_hand_and_either_can_be_voided(
    service, user, visitor, do
):
    service.load(user, [account(1, initialBalance=100)])
    visitor.submit(
        "/records/new",
        "/records/new",
        status=303,
        amount="4",
        payee="Shop",
        recordDate="2026-03-18",
    )
    service.load(user, [record(2, payee="SHOP", amount=-4, recordState="cleared")])
    page = visitor.get("/duplicates")
    text = shown_text(page.text)
    assert "added by hand" in text and "from a file" in text
    (pair,) = (each["value"] for each in page.html.select("td input[name=pair]"))
    settle(visitor, do, pair)
    assert "Balance today 96.00 EUR" in shown_text(
        visitor.get(f"/accounts/{uid('Account', 1)}").text
    )
