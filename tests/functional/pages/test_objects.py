"""Lists and forms of accounts, categories, budgets, goals, rules, labels and standing orders."""

import re

import pytest

from finance_api.ledger.edits.naming import editable_fields
from finance_api.values.ids import new_id
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.own_limits import OVERRIDES
from functional.pages.test_questions import save
from support.browser import new_token, new_user, signed_in
from support.html import forms, shown_text
from support.native_rows import (
    account,
    budget,
    category,
    goal,
    household,
    label,
    record,
    record_rule,
    standing_order,
    uid,
)
from support.service import Client, on_one_storage

PAGES = tuple(OBJECT_PAGES.values())
by_page = pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.name)


def some_id(client, shown):
    found = client.get(shown.resource.path).json[shown.resource.name]
    return found[0]["id"]


@pytest.fixture
def at_home(service, user):
    """The visitor's own token, and data of every type."""
    service.load(user, household())
    return Client(service, user, new_token(service, user))


@by_page
def test_lists_and_forms_show_what_the_api_lists(at_home, visitor, shown):
    rows = at_home.get(shown.resource.path).json[shown.resource.name]
    text = shown_text(visitor.get(shown.path).text)
    for row in rows:
        assert (row["name"] or "Without name") in text
    form = visitor.get(f"{shown.path}/{rows[0]['id']}").text
    (names,) = (f.names for f in forms(form) if f.action == f"{shown.path}/{rows[0]['id']}")
    declared = {field.name for field in editable_fields(shown.resource).values()}
    # A budget of weeks, months or years has a control for them instead, see `test_budgets`.
    declared.discard(OVERRIDES)
    assert declared <= names


@on_one_storage
def test_a_list_has_no_columns_without_values(service, user, visitor):
    service.load(user, [goal(1, targetAmount=5)])
    assert "Wanted by" not in visitor.get("/goals").text
    service.load(user, [goal(2, desiredDate="2026-06-01")])
    assert "Wanted by" in visitor.get("/goals").text


@on_one_storage
def test_fields_with_a_default_are_not_called_required(at_home, visitor):
    needed = re.findall(r'class="needed">([^<]+)<', visitor.get("/accounts/new").text)
    assert needed == ["Name", "Currency"]
    visitor.submit("/accounts/new", "/accounts/new", status=303, name="Wallet", currencyCode="EUR")
    (made,) = at_home.get("accounts", name="eq.Wallet").json["accounts"]
    assert (made["initialBalance"], made["accountType"]) == (0, "General")


@by_page
def test_a_form_that_is_sent_unchanged_changes_nothing(at_home, visitor, shown):
    before = at_home.get(shown.resource.path)
    path = f"{shown.path}/{some_id(at_home, shown)}"
    visitor.submit(path, path, status=303)
    assert at_home.get(shown.resource.path).body == before.body


@on_one_storage
def test_a_category_is_added_changed_and_removed(at_home, visitor):
    visitor.submit("/categories/new", "/categories/new", status=303, name="Pets", kind="expense")
    (made,) = at_home.get("categories", name="eq.Pets").json["categories"]
    path = f"/categories/{made['id']}"
    visitor.submit(path, path, status=303, name="Animals")
    assert at_home.get(f"categories/{made['id']}").json["name"] == "Animals"
    visitor.submit(f"{path}/remove", f"{path}/remove", status=303)
    assert at_home.get(f"categories/{made['id']}").status_int == 404


@on_one_storage
def test_mistakes_stand_beside_their_fields_and_nothing_is_stored(at_home, visitor):
    page = visitor.submit(
        "/budgets/new", "/budgets/new", status=400, name="Food", limitAmount="a lot", startDate="x"
    )
    text = shown_text(page.text)
    assert 'Limit "a lot" is not an amount such as 12.50.' in text
    assert "Start date is not a day such as 26 Nov 2026 or 2026-11-26." in text
    assert 'value="a lot"' in page.text
    page = visitor.submit("/rules/new", "/rules/new", status=400, keywords="aldi, lidl")
    assert "A rule needs a category, a label or a payee." in shown_text(page.text)
    assert not at_home.get("record-rules", name="eq.aldi, lidl").json["recordRules"]


@on_one_storage
@pytest.mark.parametrize(
    ("text", "currency", "words"),
    [
        ("5 USD", "EUR", "Limit is in USD, not in EUR: enter it in EUR."),
        ("5 $", "", "Limit 5 $ names a currency: choose it, or enter only the number."),
        ("3+4.50", "", "Currency is missing: the accounts are in CHF, EUR."),
        ("7.50 EUR", "", None),
        ("3-4", "EUR", "Limit 3-4 adds up to 0 or less: enter the amount itself."),
        ("3+4.50 EUR", "EUR", None),
    ],
)
def test_an_amount_of_a_budget_may_name_its_currency_or_be_a_sum(
    at_home, visitor, text, currency, words
):
    given = {"name": "Sums", "limitAmount": text, "currencyCode": currency}
    page = visitor.submit("/budgets/new", "/budgets/new", status=400 if words else 303, **given)
    assert not words or words in shown_text(page.text)
    limits = at_home.names("budgets", "limitAmount", name="eq.Sums")
    assert limits == ([] if words else [7.5])


@on_one_storage
@by_page
def test_what_people_must_give_is_marked_and_asked_for_at_its_field(at_home, visitor, shown):
    before = at_home.get(shown.resource.path).body
    page = visitor.submit(f"{shown.path}/new", f"{shown.path}/new", status=400)
    assert at_home.get(shown.resource.path).body == before
    assert shown.needed
    for name in shown.needed:
        label, words = {
            "name": ("Name", "Name is missing."),
            "keywords": ("Keywords", "Keywords are missing."),
            "accountId": ("Account", "Account is missing."),
            "startDate": ("Start date", "Start date is missing."),
            "targetAmount": ("Target", "Target is missing."),
        }[name]
        assert f'<label for="{name}" class="needed">{label}</label>' in page.text
        control = page.text.partition(f'<label for="{name}"')[2].partition("</div>")[0]
        assert words in shown_text(control)


@on_one_storage
@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("/standing-orders/new", ["Account is missing.", "Start date is missing."]),
        ("/goals/new", ["Target is missing."]),
    ],
)
def test_a_name_alone_makes_no_plan(service, user, visitor, path, missing):
    service.load(user, [account(1)])
    refused = visitor.submit(path, path, status=400, name="Rent")
    assert [each.text for each in refused.html.select(".error-summary li")] == missing
    assert "Rent" not in shown_text(visitor.get(path.removesuffix("/new")).text)


@on_one_storage
def test_what_a_file_left_out_is_not_asked_for_when_something_else_is_changed(
    service, user, visitor
):
    service.load(user, [goal(1, targetAmount=None), standing_order(1, startDate=None)])
    for path in (f"/goals/{uid('Goal', 1)}", f"/standing-orders/{uid('StandingOrder', 1)}"):
        visitor.submit(path, path, status=303, note="changed")
        page = visitor.submit(path, path, status=400, name="")
        assert "Name is missing." in shown_text(page.text)


@on_one_storage
def test_what_is_in_use_is_not_removed_and_an_account_goes_with_its_records(at_home, visitor):
    path = f"/categories/{uid('Category', 1)}/remove"
    page = visitor.get(path)
    assert "It is in use" in shown_text(page.text)
    assert "danger" not in page.text
    visitor.post(path, {"csrf_token": visitor.csrf()}, status=400)
    assert at_home.get(f"categories/{uid('Category', 1)}").status_int == 200


@on_one_storage
def test_a_category_in_use_is_moved_into_another(service, user, visitor):
    own = [account(1), category(1, name="Shop"), category(2, name="Groceries"), category(3)]
    service.load(user, [*own, record(1, categoryId=uid("Category", 1), amount=-5)])
    path = f"/categories/{uid('Category', 1)}/remove"
    save(service, user, "Shopping", f"/v1/api/records?categoryId=eq.{uid('Category', 1)}")
    save(service, user, "Other", "/v1/api/records")
    page = visitor.get(path).text
    assert "1 record the saved question “Shopping” Move them to" in shown_text(page)
    assert f'<option value="{uid("Category", 1)}"' not in page
    assert re.search(r'<select id="into"[^>]* required>\s*<option value="" selected>', page)
    visitor.submit(path, path, status=400, into="")
    visitor.submit(path, path, status=400, into=new_id())
    visitor.submit(path, path, status=303, into=uid("Category", 2))
    client = Client(service, user, new_token(service, user))
    (moved,) = client.get("records").json["records"]
    assert moved["category"] == "Groceries"
    assert client.get(f"categories/{uid('Category', 1)}").status_int == 404
    # Accounts cannot be merged.
    page = visitor.get(f"/accounts/{uid('Account', 1)}/remove").text
    assert "Move them to" not in page


@on_one_storage
def test_a_form_that_was_opened_before_another_change_saves_nothing(at_home, visitor):
    path = f"/labels/{some_id(at_home, OBJECT_PAGES['labels'])}"
    (form,) = (f for f in forms(visitor.get(path).text) if f.action == path)
    visitor.submit(path, path, status=303, name="first")
    page = visitor.post(path, form.filled({"name": "second"}), status=400)
    assert "changed elsewhere" in shown_text(page.text)
    assert "Name is now: first." in page.text and 'value="second"' in page.text
    assert at_home.get(path.removeprefix("/")).json["name"] == "first"


@on_one_storage
def test_another_user_s_ids_in_a_form_are_answered_like_unknown_ones(service, at_home):
    stranger = signed_in(service, new_user(service))
    foreign = uid("Category", 1)
    for path, field in (("/rules/new", "categoryId"), ("/budgets/new", "categoryIds")):
        for row_id in (foreign, new_id()):
            page = stranger.post(
                path, {"csrf_token": stranger.csrf(), "name": "x", field: row_id}, status=400
            )
            assert f"There is no category {row_id}." in shown_text(page.text)


@on_one_storage
def test_names_that_are_markup_are_shown_as_they_are(service, user, visitor):
    name = "<img src=x onerror=alert(1)>\"'&amp;"
    types = {"category": category, "label": label, "budget": budget, "goal": goal}
    rows = [make(1, name=name) for make in types.values()]
    record_of = {"payee": name, "note": name, "categoryId": uid("Category", 1)}
    rows += [
        account(1, name=name, color=name),
        record(1, **record_of, labelIds=[uid("Label", 1)]),
        record(2, amount=1, accountId=uid("Account", 2)),
        account(2, name=name + "2"),
        standing_order(1, name=name, amount=-1),
        record_rule(1, name=name, keywords=[name], categoryId=uid("Category", 1)),
    ]
    service.load(user, rows)
    paths = ["/overview?period=2026-03", "/records", "/transfers", f"/records/{uid('Record', 1)}"]
    for shown in PAGES:
        row_id = uid(shown.resource.model_type, 1)
        paths += [f"{shown.path}{below}" for below in ("", f"/{row_id}", f"/{row_id}/remove")]
    for path in paths:
        page = visitor.get(path)
        assert "<img src=x" not in page.text, path
        entries = [value for form in forms(page.text) for _, value in form.fields]
        assert name in shown_text(page.text) or name in entries, path


@on_one_storage
@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"color": "teal"}, "#00897b"),
        ({"color": "#3A7D44"}, "#3A7D44"),
        ({"color-picked": "#123456"}, "#123456"),
        ({"color": "Red", "color-picked": "#123456"}, "#d32f2f"),
        ({"color": "", "color-picked": "#123456"}, "#123456"),
        ({}, None),
    ],
)
def test_a_colour_is_typed_or_picked(at_home, visitor, given, stored):
    visitor.submit("/labels/new", "/labels/new", status=303, name="Tinted", **given)
    (label_,) = at_home.get("labels", name="eq.Tinted").json["labels"]
    assert label_["color"] == stored
    path = f"/labels/{label_['id']}"
    visitor.submit(path, path, status=303)
    assert at_home.get(f"labels/{label_['id']}").json["color"] == stored
    visitor.submit(path, path, status=303, color="")
    assert at_home.get(f"labels/{label_['id']}").json["color"] is None


@on_one_storage
def test_a_colour_that_nobody_knows_is_refused_unless_it_is_stored(service, at_home, visitor, user):
    service.load(user, [label(9, name="Odd", color="papaya whip")])
    path = f"/labels/{uid('Label', 9)}"
    visitor.submit(path, path, status=303, name="Even")
    assert at_home.get(f"labels/{uid('Label', 9)}").json["color"] == "papaya whip"
    page = visitor.submit(path, path, status=400, color="mauve")
    assert "Colour is not a colour such as Red, Orange," in shown_text(page.text)
    assert 'value="mauve"' in page.text


@on_one_storage
def test_the_overview_draws_categories_in_their_colours(service, user, visitor):
    rows = [account(1), category(1, color="#ff0"), category(2, name="Plain", color="odd")]
    spent = [record(n, categoryId=uid("Category", n), amount=-5) for n in (1, 2)]
    service.load(user, [*rows, *spent])
    text = visitor.get("/overview").text
    assert text.count('<rect fill="#') == 1
    assert text.count('class="column expense" width="') == 1


@on_one_storage
def test_currencies_are_offered_in_groups_and_a_stored_one_stays(service, user, visitor):
    service.load(user, [account(1, currencyCode="DEM"), budget(1, currencyCode="XXX")])
    page = visitor.get("/budgets/new").text
    offered = page.partition('id="currencyCode"')[2].partition("</select>")[0]
    assert [offered.count(f'<optgroup label="{g}"') for g in ("Yours", "Common", "All others")] == [
        1
    ] * 3
    assert 'value="DEM"' in offered and 'value="XTS"' not in offered
    path = f"/budgets/{uid('Budget', 1)}"
    assert 'value="XXX" selected' in visitor.get(path).text
    visitor.submit(path, path, status=303)
