"""A refused form that is kept: its page is loaded, with the errors, so that Back sends nothing."""

import pytest

from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, category, record, uid
from support.service import Client, on_one_storage

PATH = f"/records/{uid('Record', 1)}"


@pytest.fixture
def client(service, user):
    rows = [account(1), category(1, name="Food"), category(2, name="Fun"), record(1, payee="Aldi")]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def form_of(page, action):
    return next(form for form in forms(page.text) if form.action.startswith(action))


def refused(visitor, form, **values):
    """Send a form that is refused; return the page to which it redirects."""
    answer = visitor.post(form.action, form.filled(values), status=303)
    assert "kept=" in location(answer)
    return visitor.follow(answer)


@pytest.mark.parametrize(
    ("path", "wrong", "expected"),
    [
        (PATH, {"amount": "many"}, "many"),
        ("/records/new", {"amount": "many"}, "many"),
        ("/budgets/new", {"name": "Month", "limitAmount": "-1"}, "must be above 0"),
        (f"/categories/{uid('Category', 1)}", {"name": "Fun"}, "already a category named Fun"),
        ("/questions/new", {"name": "Mine", "address": "/nowhere"}, "must begin with /v1/api/"),
        (f"{PATH}/rule", {"keyword": ""}, "Enter a keyword."),
    ],
)
def test_a_refused_form_redirects_to_its_page_with_its_errors(
    client, visitor, path, wrong, expected
):
    page = refused(visitor, visitor.form(path), **wrong)
    text = shown_text(page.text)
    assert expected in text and text.startswith("Error: ")
    assert "Your entries were kept" not in text
    assert {*wrong.items()} <= {*form_of(page, path).fields}
    # The page can be loaded again, as Back does.
    assert expected in shown_text(visitor.get(page.request.path_qs).text)
    # The form that it shows is the page's own, without what is shown once.
    assert "kept=" not in form_of(page, path).action


def test_a_conflict_is_named_once_and_the_next_attempt_replaces_the_values(client, visitor):
    form = visitor.form(PATH)
    visitor.submit(PATH, PATH, note="first", status=303)
    page = refused(visitor, form, note="second")
    assert "was changed elsewhere" in shown_text(page.text)
    form = form_of(page, PATH)
    assert ("note", "second") in form.fields
    visitor.post(form.action, form.fields, status=303)
    assert client.names("records", "note") == ["second"]


def test_a_category_in_the_row_keeps_its_error_beside_the_row(client, visitor):
    form = form_of(visitor.get("/records?q=aldi"), f"{PATH}/category")
    answer = visitor.post(form.action, form.filled({"category": "Fod"}), status=303)
    assert answer.headers["Location"].endswith(f"#c-{uid('Record', 1)}")
    page = visitor.follow(answer)
    assert "There is no category Fod; did you mean Food?" in shown_text(page.text)
    form = form_of(page, f"{PATH}/category")
    assert ("category", "Fod") in form.fields
    # A conflict shows the stored value, and the next attempt replaces it.
    stale = form_of(visitor.get("/records"), f"{PATH}/category")
    visitor.post(stale.action, stale.filled({"category": "Food"}), status=303)
    page = refused(visitor, stale, category="Fun")
    assert "was changed elsewhere meanwhile" in shown_text(page.text)
    form = form_of(page, f"{PATH}/category")
    visitor.post(form.action, form.filled({"category": "Fun"}), status=303)
    assert client.names("records", "category") == ["Fun"]


@on_one_storage
def test_a_refused_form_leads_back_to_its_list(client, visitor):
    page = visitor.get("/records?q=aldi")
    link = next(a["href"] for a in page.html.select("main a") if a.text == "Aldi")
    page = refused(visitor, visitor.form(link), amount="many")
    cancel = next(a["href"] for a in page.html.select("main a") if a.text == "Cancel")
    assert cancel == f"/records?q=aldi#r-{uid('Record', 1)}"


@on_one_storage
def test_forms_that_are_not_kept_name_the_page_to_which_back_leads(client, visitor):
    page = visitor.change_password("not my password", status=400)
    assert 'data-posted="/settings/security"' in page.text
    assert "data-posted" not in visitor.get("/settings/security").text
