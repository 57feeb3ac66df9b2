"""An account's page: its balance over time, its newest records, and the bank's balance."""

import html
import re
from decimal import Decimal
from io import BytesIO

import pytest

from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import make_order
from support.browser import new_token, new_user, signed_in
from support.html import shown_text
from support.ledger import IMPORT_SETTINGS, ofx_file, ofx_statement
from support.native_rows import account, record, uid
from support.service import Client, on_one_storage

ENTRIES = [("20260131", "-10", "a", "Shop"), ("20260228", "-5", "b", "Shop")]


def number(text):
    return Decimal(re.sub(r"[^0-9.-]", "", text.replace("\N{MINUS SIGN}", "-")))


def figures(page):
    return shown_text(page.text.split('aria-label="Balance"')[1].split("</section>")[0])


@pytest.fixture
def imported(service, user):
    """Import two statements; no record explains 12 EUR of the change between their balances."""

    settings = IMPORT_SETTINGS
    for entry, balance in (
        (("20260131", "-10", "a", "Shop"), ("90", "20260131")),
        (("20260228", "-5", "b", "Shop"), ("73", "20260228")),
    ):
        content = BytesIO(ofx_file(ofx_statement([entry], balance=balance)).encode())
        now = service.clock.now()
        order = make_order(content, {}, settings, email=user.email, now=now, name="bank.ofx")
        import_file(service.backend, order)
    return Client(service, user, new_token(service, user))


@on_one_storage
def test_the_bank_s_balance_is_beside_the_computed_one_with_the_day_they_differ_from(
    imported, visitor
):
    (found,) = imported.get("accounts").json["accounts"]
    page = visitor.get(f"/accounts/{found['id']}")
    text = figures(page)
    assert "Balance today 73.00 EUR" in text
    assert "The bank’s balance on 28 Feb 2026 73.00 EUR" in text
    assert "The records add up to the same." in text
    assert "differ from 31 Jan 2026 on" in text
    assert "31 Jan 2026 to 28 Feb 2026" in text
    assert "changed by 12.00 EUR less than the records add up to" in text
    (link,) = re.findall(r'<li><a href="([^"]*)"', page.text.split('aria-label="Balance"')[1])
    assert 'id="totals-title">2 records' in visitor.get(html.unescape(link)).text


@on_one_storage
def test_a_balance_that_was_set_by_hand_differs_from_the_bank_s(imported, visitor):
    (found,) = imported.get("accounts").json["accounts"]
    path = f"/accounts/{found['id']}"
    visitor.submit(path, path, status=303, initialBalance="50")
    assert "Your records add up to 35.00 EUR : 38.00 EUR less." in figures(visitor.get(path))


@on_one_storage
def test_what_was_added_by_hand_is_the_difference_since_the_day_of_the_edit(service, user, visitor):
    content = BytesIO(ofx_file(ofx_statement(ENTRIES, balance=("3372.87", "20260228"))).encode())
    order = make_order(
        content, {}, IMPORT_SETTINGS, email=user.email, now=service.clock.now(), name="bank.ofx"
    )
    import_file(service.backend, order)
    api = Client(service, user, new_token(service, user))
    (found,) = api.get("accounts").json["accounts"]
    path = f"/accounts/{found['id']}"
    assert "No other balance of the bank is known" in figures(visitor.get(path))
    cash = {"accountId": found["id"], "amount": "200", "recordDate": "2026-01-28"}
    visitor.submit("/records/new", "/records/new", status=303, **cash)
    text = figures(visitor.get(path))
    assert "Your records add up to 3,172.87 EUR : 200.00 EUR less." in text
    assert "28 Jan 2026 to 28 Feb 2026 : the bank’s balance changed by 200.00 EUR more" in text
    assert re.search(
        "since your edit of .* 2026 : The record of 28 Jan 2026 .−200.00 EUR. added", text
    )
    (found,) = api.get("accounts", unexplained="gt.0").json["accounts"]
    assert (found["unexplained"], found["unexplainedSince"]) == (200, "2026-01-28")
    assert found["initialBalance"] == 3387.87
    assert "since 28 Jan 2026 , the records do not explain 200.00 EUR" in shown_text(
        visitor.get("/overview").text
    )


@pytest.fixture
def at_home(service, user):
    days = [f"2026-{1 + n % 3:02}-{1 + n:02}" for n in range(18)]
    rows = [record(n, amount=n - 4, recordDate=day, payee=f"P{n}") for n, day in enumerate(days)]
    service.load(user, [account(1, initialBalance=100), *rows])
    return Client(service, user, new_token(service, user))


def test_the_chart_the_table_and_the_api_have_the_same_balances(at_home, visitor):
    page = visitor.get(f"/accounts/{uid('Account', 1)}").text
    today, course, newest = (
        html.unescape(target).removeprefix("/v1/api/")
        for target in re.findall(r"GET (/v1/api/[^<]*)</code>", page)[1:]
    )
    (balance,) = at_home.exact(today)["balances"]
    assert f"Balance today {balance['balance']:.2f} EUR" in shown_text(page)
    found = [str(row["balance"]) for row in at_home.get(course).json["balances"]]
    # It begins with the first record; before it there is only the initial balance.
    assert len(found) == 12
    found = found[-3:]
    cells = re.findall(
        r'<td class="number">([^<]*)</td>', page.split('id="balance-table"')[1].split("</table>")[0]
    )
    assert [number(cell) for cell in cells] == [Decimal(each) for each in found]
    labels = re.findall(r'<a class="mark" href="[^"]*" aria-label="[^"]*, ([^"]*) EUR">', page)
    assert [number(label) for label in labels] == [Decimal(each) for each in found]
    shown = re.findall(
        r'<a class="name-text" href="/records/([^"?]*)', page.split('id="newest-table"')[1]
    )
    assert shown == [row["id"] for row in at_home.get(newest).json["records"]]


@on_one_storage
def test_the_form_is_behind_edit_and_open_after_a_mistake(at_home, visitor):
    path = f"/accounts/{uid('Account', 1)}"
    assert '<details class="edit" id="edit"><summary class="button">Edit' in visitor.get(path).text
    assert '<details class="edit" id="edit" open>' in visitor.get(f"{path}?edit").text
    page = visitor.submit(path, path, status=400, name="")
    assert '<details class="edit" id="edit" open>' in page.text


@on_one_storage
def test_an_account_without_records_has_a_page(service):
    user = new_user(service)
    service.load(user, [account(1)])
    text = shown_text(signed_in(service, user).get(f"/accounts/{uid('Account', 1)}").text)
    assert "No records yet." in text


@on_one_storage
def test_an_account_whose_first_record_is_of_a_day_to_come_has_no_curve(service, user, visitor):
    service.load(user, [account(1, initialBalance=5), record(1, recordDate="2199-12-31")])
    text = shown_text(visitor.get(f"/accounts/{uid('Account', 1)}").text)
    assert "Balance today 5.00 EUR 1 record of days to come: −1.00" in text
    assert "There is no record until today." in text


@on_one_storage
def test_the_change_since_which_the_bank_s_balance_differs_is_named(imported, visitor):
    row = imported.get("records", recordDate="eq.2026-02-28").json["records"][0]
    path = f"/records/{row['id']}"
    account_page = f"/accounts/{row['accountId']}"
    assert "since your edit" not in figures(visitor.get(account_page))
    visitor.submit(path, path, status=303, note="nothing in the sums")
    assert "since your edit" not in figures(visitor.get(account_page))
    page = visitor.follow(visitor.submit(path, path, amount="15"))
    text = figures(visitor.get(account_page))
    assert "changed by 2.00 EUR less" in text
    amounts = "Amount of Shop: −5.00 EUR → −15.00 EUR"
    edited_on = re.search(f"since your edit of ([^:]*): {amounts}", text)[1]
    assert edited_on.strip() in shown_text(visitor.get("/imports/4").text)
    assert 'href="/imports/4"' in visitor.get(account_page).text
    visitor.undo(page)
    assert "since your edit" not in figures(visitor.get(account_page))
