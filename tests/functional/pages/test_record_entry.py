"""Records that people type in: added, duplicated, changed, deleted and linked."""

import html
import re

import pytest

from finance_api.importers.interface import Statement
from support.browser import location, new_token, new_user, signed_in
from support.html import forms, shown_text
from support.native_rows import account, category, label, record, record_rule, uid
from support.service import Client, on_one_storage
from support.statements import OFX_ACCOUNT, Reader, entry

GIRO, CASH, ABROAD = uid("Account", 1), uid("Account", 2), uid("Account", 3)
NEW = "/records/new"


@pytest.fixture
def client(service, user):
    rows = [
        account(1, name="Giro"),
        account(2, name="Cash"),
        account(3, name="Abroad", currencyCode="USD"),
        category(1, name="Food"),
        label(1, name="home"),
        record(1, payee="Out", amount=-500, recordDate="2026-02-01", accountId=GIRO),
        record(2, payee="In", amount=500, recordDate="2026-02-02", accountId=CASH),
        record(3, payee="Dollars", amount=480, recordDate="2026-02-03", accountId=ABROAD),
        record_rule(1, keywords=["bakery"], categoryId=uid("Category", 1)),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def listed(client, **conditions):
    return client.get("records", **conditions).json["records"]


def balance(client, name):
    (found,) = client.get("accounts", name=f"eq.{name}").json["accounts"]
    return found["balance"]


def test_a_cash_payment_is_added_and_counts(client, visitor):
    before = balance(client, "Cash")
    response = visitor.submit(
        NEW, NEW, accountId=CASH, amount="4.50", payee="Old Bakery", labelIds=uid("Label", 1)
    )
    page = visitor.follow(response)
    assert page.request.path == "/records"
    assert "Record Old Bakery of " in shown_text(page.text)
    (row,) = listed(client, payee="eq.Old Bakery")
    shown = ("amount", "recordDate", "accountName", "category", "labels", "recordState")
    assert [row[name] for name in shown] == [
        *(-4.5, "2026-03-18", "Cash", "Food", ["home"], "cleared")
    ]
    assert balance(client, "Cash") == before - 4.5
    visitor.undo(page)
    assert listed(client, payee="eq.Old Bakery") == [] and balance(client, "Cash") == before


@on_one_storage
def test_a_form_sent_twice_adds_one_record_and_two_equal_forms_add_two(client, visitor):
    first, second = (visitor.form(NEW) for _ in range(2))
    given = {"accountId": CASH, "amount": "2", "payee": "Coffee"}
    for form, expected in ((first, 1), (first, 1), (second, 2), (second, 2)):
        answer = visitor.post(form.action, form.filled(given), status=303)
        assert len(listed(client, payee="eq.Coffee")) == expected
    assert "was not added a second time" in visitor.follow(answer).text
    for bad in ("", "x", uid("Record", 8)[:-1] + "\n", "00000000-0000-5000-8000-000000000000"):
        form = visitor.form(NEW)
        visitor.post(form.action, form.filled({**given, "form-id": bad}), status=303)
    assert len(listed(client, payee="eq.Coffee")) == 6


@on_one_storage
def test_a_form_for_one_more_record_sent_twice_leads_to_an_empty_form(client, visitor):
    form = visitor.form(NEW)
    given = {"accountId": CASH, "amount": "2", "payee": "Coffee", "recordDate": "2026-03-01"}
    sent = [*form.filled(given), ("then", "another")]
    for notice in ("changed=2", "done=already-added"):
        path = location(visitor.post(form.action, sent, status=303))
        assert path == f"{NEW}?accountId={CASH}&recordDate=2026-03-01&{notice}"
    assert len(listed(client, payee="eq.Coffee")) == 1


@on_one_storage
def test_an_archived_account_is_not_chosen(client, visitor):
    def chosen():
        return dict(visitor.form(NEW).fields)["accountId"]

    for row_id in (GIRO, CASH):
        visitor.submit(NEW, NEW, accountId=row_id, amount="2", payee="Coffee", status=303)
    assert chosen() == CASH
    visitor.submit(f"/accounts/{CASH}", f"/accounts/{CASH}", archived="true", status=303)
    assert chosen() == GIRO
    visitor.submit(f"/accounts/{GIRO}", f"/accounts/{GIRO}", archived="true", status=303)
    assert chosen() == ABROAD


@on_one_storage
def test_a_duplicate_has_the_values_and_today(client, visitor):
    page = visitor.get(f"/records/{uid('Record', 2)}")
    assert f'href="{NEW}?like={uid("Record", 2)}"' in page.text
    visitor.submit(f"{NEW}?like={uid('Record', 2)}", NEW, status=303)
    old, new = sorted(listed(client, payee="eq.In"), key=lambda row: row["recordDate"])
    assert new["id"] != old["id"]
    assert [new["recordDate"], new["amount"], new["accountId"]] == ["2026-03-18", 500, CASH]
    visitor.get(f"{NEW}?like={uid('Record', 9)}", status=404)
    visitor.get(f"{NEW}?like=x", status=404)


@on_one_storage
def test_the_page_of_a_record_has_its_category_open_and_its_other_fields_behind_edit(
    client, visitor
):
    path = f"/records/{uid('Record', 1)}"
    visitor.submit(path, path, note="by card", labelIds=uid("Label", 1), status=303)
    page = visitor.get(path)
    form = page.html.select_one(f'form[action="{path}"]')
    assert not form.select("details [name=categoryId]") and form.select("[name=categoryId]")
    folded = {each["name"] for each in form.select("details:not([open]) [name]")}
    assert {"amount", "payee", "accountId", "recordDate", "note", "recordState"} <= folded
    shown = shown_text(page.text)
    assert "Note by card Labels home" in shown
    refused = visitor.submit(path, path, amount="x", status=400)
    assert refused.html.select("form > details[open] [name=amount]")


@on_one_storage
def test_every_field_is_changed_and_undone(client, visitor):
    path = f"/records/{uid('Record', 1)}"
    lead = visitor.get(path).text.partition('class="lead">')[2].partition("</p>")[0]
    assert shown_text(lead) == "−500.00 EUR , 1 Feb 2026 , Giro"
    before = listed(client)
    page = visitor.follow(
        visitor.submit(
            *(path, path),
            accountId=ABROAD,
            amount="12.34",
            direction="in",
            recordDate="2026-03-01",
            note="corrected",
            recordState="reconciled",
            paymentType="cash",
        )
    )
    row = client.get(path.removeprefix("/")).json
    names = ("accountName", "currencyCode", "amount", "recordDate", "note", "recordState")
    assert [row[name] for name in names] == [
        *("Abroad", "USD", 12.34, "2026-03-01", "corrected", "reconciled")
    ]
    visitor.undo(page)
    assert listed(client) == before


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"amount": "1.123456789"}, "amount", "more than 4 decimal places"),
        ({"amount": "9" * 17}, "amount", "it can be from -922337203685477.5807 to"),
        ({"amount": "12 00"}, "amount", "is not an amount such as"),
        ({"amount": "1.250"}, "amount", "Amount 1.250 can be read in two ways: write 1,250 or"),
        ({"amount": "0.001"}, "amount", "too exact"),
        ({"amount": ""}, "amount", "Amount is missing"),
        ({"amount": "-5", "direction": "in"}, "amount", "leave out the minus"),
        ({"recordDate": "0001-01-01"}, "recordDate", "The year 1 cannot be right"),
        ({"recordDate": "9999-12-31"}, "recordDate", "The year 9999 cannot be right"),
        ({"recordDate": "31.13.2026"}, "recordDate", "is not a day such as"),
        ({"accountId": ""}, "accountId", "Account is missing"),
    ],
)
@on_one_storage
def test_bad_input_gets_a_sentence_beside_the_field_and_loses_nothing(
    client, visitor, given, field, words
):
    good = {"accountId": CASH, "amount": "1", "note": "\u05e9\u05dc\u05d5\u05dd <b>&amp;"}
    form = visitor.form(NEW)
    page = visitor.post(form.action, form.filled({**good, **given}), status=400)
    assert words in shown_text(page.text.split(f'id="{field}-error"')[1][:600])
    (again,) = (f for f in forms(page.text) if f.action == NEW)
    assert dict(again.fields) == {**dict(form.fields), **good, **given}
    assert len(listed(client)) == 3
    both = form.filled({"recordDate": "0001-01-01", "amount": "x"})
    page = visitor.post(form.action, both, status=400)
    assert 'id="recordDate-error"' in page.text and 'id="amount-error"' in page.text
    fixed = {"amount": "1", "recordDate": "2026-03-01", "accountId": CASH, "payee": "ok"}
    visitor.post(again.action, again.filled({**fixed, "direction": "out"}), status=303)
    assert listed(client, payee="eq.ok")[0]["note"] == good["note"]


@on_one_storage
def test_large_amounts_are_exact_and_a_typed_sign_counts(client, visitor):
    for amount, direction, expected in (
        ("123456789012", "out", -123456789012),
        ("+7", "out", 7),
        ("\N{MINUS SIGN}7", "out", -7),
        ("1.234,50", "in", 1234.5),
    ):
        form = visitor.form(NEW)
        given = {"accountId": CASH, "amount": amount, "direction": direction, "payee": amount}
        visitor.post(form.action, form.filled(given), status=303)
        assert listed(client, amount=f"eq.{expected}")


@on_one_storage
@pytest.mark.parametrize(
    ("amount", "account_id", "expected"),
    [
        ("5 EUR", CASH, "-5"),
        ("\u20ac5", CASH, "-5"),
        ("$ 5,50", ABROAD, "-5.5"),
        ("3+4", CASH, "-7"),
        ("0.1 + 0.2", CASH, "-0.3"),
        ("10 \N{MINUS SIGN} 2,50 \u20ac", CASH, "-7.5"),
        ("1.000,25+1", CASH, "-1001.25"),
        ("-5 EUR", CASH, "-5"),
        ("+5 EUR", CASH, "5"),
        ("\u20ac-5", CASH, "-5"),
        ("-\u20ac5", CASH, "-5"),
        ("2026 - 3 - 1", CASH, "-2022"),
    ],
)
def test_an_amount_may_name_its_currency_or_be_a_sum(client, visitor, amount, account_id, expected):
    visitor.submit(NEW, NEW, accountId=account_id, amount=amount, payee="Typed", status=303)
    assert len(listed(client, payee="eq.Typed", amount=f"eq.{expected}")) == 1


@on_one_storage
@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("5 USD", "Amount is in USD, not in EUR: enter it in EUR."),
        ("$5", "Amount is in $, not in EUR"),
        ("3+4 USD", "Amount is in USD, not in EUR"),
        ("3-4", "Amount 3-4 adds up to 0 or less: enter the amount itself."),
        ("12-12", "Amount 12-12 adds up to 0 or less"),
        ("2026-03-01", "Amount 2026-03-01 looks like a day: enter an amount."),
        ("5,-", 'Amount "5,-" is not an amount or a sum such as 3+4.50.'),
        ("5.-", 'Amount "5.-" is not an amount or a sum such as 3+4.50.'),
        ("1.250+1", "Amount 1.250 can be read in two ways: write 1,250 or"),
        ("3+", 'Amount "3+" is not an amount or a sum such as 3+4.50.'),
        ("3+4=", 'Amount "4=" is not an amount such as 12.50.'),
        *(
            (text, f"Amount {text} is a sum that begins with a sign: begin with a number")
            for text in ("-3+4", "+3+4", "-5-3")
        ),
        ("3*4", 'Amount "3*4" is not an amount such as 12.50.'),
        ("0.00005+0.00005", "Amount has more than 4 decimal places."),
        ("9" * 17 + "+1", "Amount is out of range"),
    ],
)
def test_an_amount_that_cannot_be_calculated_is_refused_and_kept(client, visitor, amount, words):
    page = visitor.submit(NEW, NEW, accountId=CASH, amount=amount, status=400)
    assert words in shown_text(page.text.split('id="amount-error"')[1][:600])
    (form,) = (f for f in forms(page.text) if f.action == NEW)
    assert dict(form.fields)["amount"] == amount
    assert len(listed(client)) == 3


@on_one_storage
def test_a_new_record_has_the_last_account_and_payees_with_their_categories(client, visitor):
    assert dict(visitor.form(NEW).fields)["accountId"] == ""
    added = {"accountId": CASH, "amount": "1", "payee": "Kiosk", "categoryId": uid("Category", 1)}
    visitor.submit(NEW, NEW, **added)
    page = visitor.get(NEW)
    (form,) = (f for f in forms(page.text) if f.action == NEW)
    assert dict(form.fields)["accountId"] == CASH
    assert f'<option value="Kiosk" data-category="{uid("Category", 1)}">' in page.text
    assert '<option value="Out" data-category="">' in page.text
    # Rules choose no other category for a record that is there already.
    hint = "Rules choose it if you do not."
    assert hint in page.text and hint not in visitor.get(f"/records/{uid('Record', 1)}").text


@on_one_storage
def test_a_conflict_shows_both_values(client, visitor):
    path = f"/records/{uid('Record', 1)}"
    form = visitor.form(path)
    visitor.submit(path, path, payee="Theirs", amount="7", status=303)
    page = visitor.post(path, form.filled({"payee": "Mine", "note": "kept"}), status=400)
    text = shown_text(page.text)
    assert "changed elsewhere since you opened the form" in text
    assert "Payee is now: Theirs." in text and "Amount is now: 7." in text
    # Nobody else changed the note.
    assert "Note is now" not in text
    (again,) = (f for f in forms(page.text) if f.action == path)
    assert dict(again.fields)["payee"] == "Mine" and dict(again.fields)["note"] == "kept"
    visitor.post(path, again.fields, status=303)
    assert client.get(path.removeprefix("/")).json["payee"] == "Mine"


def test_a_record_is_deleted_after_a_question_and_restored(client, visitor):
    path, before = f"/records/{uid('Record', 2)}", listed(client)
    page = visitor.follow(visitor.submit(f"{path}/remove", f"{path}/remove"))
    assert "Record In of " in shown_text(page.text)
    visitor.get(path, status=404)
    visitor.undo(page)
    assert listed(client) == before


@on_one_storage
def test_transfers_are_linked_from_the_record_and_end_with_either_half(client, visitor):
    out, other = f"/records/{uid('Record', 1)}", uid("Record", 2)
    page = visitor.get(f"{out}/link")
    values = dict(forms(page.text)[-1].fields)
    assert "other" not in values
    # A name from right to left does not move the date that follows.
    first = page.text.index("<bdi>Cash</bdi> · ")
    assert first < page.text.index("<bdi>Abroad</bdi> · "), "the equal amount comes first"
    visitor.post(f"{out}/link", values, status=400)
    linked = visitor.follow(visitor.post(f"{out}/link", {**values, "other": other}))
    assert "Transfer of Out and In linked." in shown_text(linked.text)
    assert f'href="/records/{other}"' in linked.text
    wrong = visitor.submit(out, out, direction="in", status=400)
    assert "unlink the transfer first" in shown_text(wrong.text)
    path = f"/records/{other}/remove"
    assert "The other half of its transfer" in visitor.get(path).text
    visitor.submit(path, path, status=303)
    assert client.get(out.removeprefix("/")).json["transferId"] is None


@on_one_storage
def test_nothing_of_another_user_is_reached(service, client, visitor):
    stranger = signed_in(service, new_user(service))
    path = f"/records/{uid('Record', 1)}"
    for below in ("", "/remove", "/link"):
        stranger.get(path + below, status=404)
        stranger.post(path + below, {"csrf_token": stranger.csrf()}, status=404)
    stranger.get(f"{NEW}?like={uid('Record', 1)}", status=404)
    assert GIRO not in stranger.get(NEW).text
    form = visitor.form(NEW)
    given = {"accountId": uid("Account", 9), "amount": "1"}
    visitor.post(NEW, form.filled(given), status=400)
    answer = visitor.post(
        NEW, form.filled({"accountId": CASH, "amount": "1"}) + [("then", "another")]
    )
    assert location(answer).startswith(f"{NEW}?accountId={CASH}&recordDate=2026-03-18&changed=")


@on_one_storage
def test_a_deleted_record_of_a_file_stays_away_and_has_no_page(service, user, visitor):
    entries = [entry("1", "-1", "Aldi"), entry("2", "-2", "Lidl")]
    client = Client(service, user, new_token(service, user))
    statement = (Statement(OFX_ACCOUNT), entries)
    client.statement(Reader("ofx", statement))
    (row,) = listed(client, payee="eq.Aldi")
    path = f"/records/{row['id']}"
    page = visitor.follow(visitor.submit(f"{path}/remove", f"{path}/remove"))
    for _ in range(2):
        assert client.names("records", "payee") == ["Lidl"]
        for below in ("", "/split", "/remove"):
            visitor.get(path + below, status=404)
        assert client.get(path.removeprefix("/")).status_int == 404
        client.statement(Reader("ofx", statement))
    visitor.undo(page)
    assert client.get(path.removeprefix("/")).json["payee"] == "Aldi"


@on_one_storage
def test_somebody_without_an_account_adds_it_with_the_first_record(service, user, visitor):
    client = Client(service, user, new_token(service, user))
    page = visitor.submit(NEW, NEW, status=400, amount="4.50", payee="Bakery")
    assert "Choose the account's currency." in html.unescape(page.text)
    needed = re.findall(r'<label for="([^"]*)" class="needed"', page.text)
    assert needed[:2] == ["new-currency", "amount"]
    (form,) = (f for f in forms(page.text) if f.action == NEW)
    assert ("new-account", "Cash") in form.fields and ("payee", "Bakery") in form.fields
    assert {"note", "recordState", "paymentType"} <= {name for name, _ in form.fields}
    assert client.names("accounts", "name") == []
    page = visitor.post(NEW, form.filled({"new-account": " ", "new-currency": "EUR"}), status=400)
    assert "Enter the account's name" in html.unescape(page.text)
    sent = form.filled({"new-account": "Wallet", "new-currency": "EUR"})
    for _ in range(2):
        visitor.post(NEW, sent, status=303)
    assert client.names("records", "accountName") == ["Wallet"]
    assert balance(client, "Wallet") == -4.5
    assert "new-account" not in visitor.get(NEW).text
