"""Nothing typed is lost when the session has ended; and nobody else sees it."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from finance_api.auth.sessions import IDLE_SECONDS
from support.browser import (
    PASSWORD,
    Visitor,
    changed_tables,
    dump,
    location,
    new_token,
    new_user,
    signed_in,
)
from support.browser import few_users as services  # noqa: F401
from support.html import forms, shown_text
from support.native_rows import account, category, label, record, uid
from support.service import Client, on_one_storage

NEW = "/records/new"
LOGIN = "/settings/login"
KEPT = "Your entries were kept. Nothing is saved yet"


@pytest.fixture
def client(service, user):
    service.load(
        user, [account(1, name="Cash"), label(1, name="home"), record(1, payee="Aldi"), category(1)]
    )
    return Client(service, user, new_token(service, user))


def fields_of(page, action):
    (form,) = (f for f in forms(page.text) if f.action == action)
    return {name: value for name, value in form.fields if name != "csrf_token"}


def sign_in_again(visitor, user, answer):
    """Sign in on the page that the answer leads to; return the page after it."""
    path = location(answer)
    assert path.startswith(f"{LOGIN}?next=")
    form = visitor.form(path, LOGIN)
    given = {"email": user.email, "password": PASSWORD}
    return visitor.get(location(visitor.post(LOGIN, form.filled(given), status=303)))


GIVEN = {"accountId": uid("Account", 1), "amount": "4,5 0", "note": "<b>milk</b>", "payee": "שלום"}


def test_a_form_sent_after_the_session_ended_is_there_after_signing_in(
    service, user, client, visitor
):
    sent = visitor.form(NEW).filled(GIVEN)
    service.clock.advance(IDLE_SECONDS + 7_200)
    before = dump(service)
    answer = visitor.post(NEW, sent, status=303)
    assert changed_tables(before, dump(service)) <= {"uploads", "upload_pieces", "pieces"}
    page = sign_in_again(visitor, user, answer)
    assert KEPT in shown_text(page.text)
    expected = {name: value for name, value in sent if name != "csrf_token"}
    assert fields_of(page, NEW) == expected
    fixed = {**fields_of(page, NEW), "amount": "4.50", "csrf_token": visitor.csrf()}
    for _ in range(2):
        visitor.post(NEW, fixed, status=303)
    assert client.names("records", "payee", sortBy="amount") == ["שלום", "Aldi"]
    assert "The files" not in visitor.get("/import").text


@on_one_storage
@pytest.mark.parametrize("path", [f"/records/{uid('Record', 1)}", f"/labels/{uid('Label', 1)}"])
def test_a_change_is_kept_and_a_conflict_is_still_noticed(service, user, client, visitor, path):
    name = "payee" if "records" in path else "name"
    sent = visitor.form(path).filled({name: "mine"})
    service.clock.advance(IDLE_SECONDS)
    signed_in(service, user).submit(path, path, status=303, **{name: "theirs"})
    page = sign_in_again(visitor, user, visitor.post(path, sent, status=303))
    assert KEPT in page.text and fields_of(page, path)[name] == "mine"
    kept = {**fields_of(page, path), "csrf_token": visitor.csrf()}
    page = visitor.post(path, kept, status=400)
    assert f"{name.capitalize()} is now: theirs." in page.text


RECORD = f"/records/{uid('Record', 1)}"


def form_with(page, names):
    return next(f for f in forms(page.text) if f.method == "post" and names <= f.names)


@on_one_storage
@pytest.mark.parametrize("ends", ["in time", "elsewhere"])
@pytest.mark.parametrize(
    ("path", "entries"),
    [
        ("/records?q=aldi&select=some", {"id": uid("Record", 1), "set_note": "mine"}),
        ("/records?q=aldi", {"category": "mine"}),
        (f"{RECORD}/rule?back=%2Frecords%3Fq%3Daldi", {"keyword": "mine"}),
        ("/payees?q=aldi", {"payee": "Aldi", "into": "mine"}),
        ("/payees/categories", {"payee": "Aldi", "category": uid("Category", 1)}),
        (f"{RECORD}/split", {"amount-1": "mine", "note-2": "<i>rest</i>"}),
    ],
)
def test_the_forms_of_the_list_of_rules_and_of_splits_are_kept(
    service, user, client, visitor, path, entries, ends
):
    form = form_with(visitor.get(path), {*entries})
    sent = form.filled(entries)
    if ends == "in time":
        service.clock.advance(IDLE_SECONDS)
        page = sign_in_again(visitor, user, visitor.post(form.action, sent, status=303))
    else:
        service.change(lambda s: s.users.delete_sessions(user.id))
        page = sign_in_on(visitor, user, visitor.post(form.action, sent, status=403))
    assert KEPT in shown_text(page.text)
    shown = form_with(page, {*entries})
    assert shown.action == form.action
    assert {*entries.items()} <= {*shown.fields}


def sign_in_on(visitor, user, page, password=PASSWORD):
    """Sign in on the page that has the entries; return the page after it."""
    assert (
        "You have been signed out. Sign in again, and the form has what you entered." in page.text
    )
    (form,) = (f for f in forms(page.text) if f.action == LOGIN)
    wrong = visitor.post(LOGIN, form.filled({"email": user.email, "password": "-"}), status=403)
    (form,) = (f for f in forms(wrong.text) if f.action == LOGIN)
    given = {"email": user.email, "password": password}
    return visitor.get(location(visitor.post(LOGIN, form.filled(given), status=303)))


@on_one_storage
def test_a_form_sent_after_signing_out_is_there_after_signing_in(service, user, client, visitor):
    sent = visitor.form(NEW).filled(GIVEN)
    visitor.submit("/overview", "/settings/logout", status=303)
    before = dump(service)
    page = visitor.post(NEW, sent, status=403)
    assert dump(service) == before, "nothing is stored for somebody who is not signed in"
    page = sign_in_on(visitor, user, page)
    expected = {name: value for name, value in sent if name != "csrf_token"}
    assert KEPT in shown_text(page.text) and fields_of(page, NEW) == expected


@on_one_storage
def test_somebody_else_who_signs_in_there_does_not_see_the_entries(service, user, client, visitor):
    sent = visitor.form(NEW).filled(GIVEN)
    visitor.submit("/overview", "/settings/logout", status=303)
    page = visitor.post(NEW, sent, status=403)
    stranger = new_user(service)
    service.load(stranger, [account(9, name="Theirs")])
    before = dump(service)
    page = sign_in_on(visitor, stranger, page)
    assert KEPT not in page.text and "milk" not in page.text
    assert changed_tables(before, dump(service)) <= {"sessions", "audit_log"}


@on_one_storage
@pytest.mark.parametrize("text", ["x", "e30=", "W10=", "WzEsMiwzXQ==", "é", "W1tbW1tb" * 4_000])
def test_a_made_up_form_of_the_sign_in_page_is_ignored(service, user, client, visitor, text):
    visitor.submit("/overview", "/settings/logout", status=303)
    form = visitor.form(LOGIN)
    given = {"email": user.email, "password": PASSWORD}
    sent = [*form.filled(given), ("carried-form", text)]
    assert location(visitor.post(LOGIN, sent, status=303)) == "/overview"


@on_one_storage
def test_a_tab_from_before_signing_in_again_keeps_its_entries(service, user, client, visitor):
    sent = visitor.form(NEW).filled(GIVEN)
    service.clock.advance(IDLE_SECONDS)
    visitor.sign_in(user)
    page = visitor.follow(visitor.post(NEW, sent))
    assert KEPT in page.text and fields_of(page, NEW)["note"] == "<b>milk</b>"


@on_one_storage
def test_nobody_else_at_that_browser_sees_the_entries(service, user, client, visitor):
    sent = visitor.form(NEW).filled(GIVEN)
    service.clock.advance(IDLE_SECONDS)
    answer = visitor.post(NEW, sent, status=303)
    stranger = new_user(service)
    service.load(stranger, [account(9, name="Theirs")])
    page = sign_in_again(visitor, stranger, answer)
    assert KEPT not in page.text and "milk" not in page.text
    before = dump(service)
    visitor.post(NEW, sent, status=403)
    assert dump(service) == before, "a form of an older session of somebody else is not kept"


@on_one_storage
def test_a_kept_form_is_gone_after_an_hour_and_belongs_to_its_page(service, user, client, visitor):
    sent = visitor.form(NEW).filled(GIVEN)
    service.clock.advance(IDLE_SECONDS)
    answer = visitor.post(NEW, sent, status=303)
    page = sign_in_again(visitor, user, answer)
    kept = page.request.GET["kept"]
    assert "milk" not in visitor.get(f"/records/{uid('Record', 1)}?kept={kept}").text
    visitor.get(f"/import/{kept}", status=404)
    service.clock.advance(1_700)
    visitor.get(NEW)
    service.services.seen_sessions.flush()
    service.clock.advance(1_700)
    assert "milk" in visitor.get(f"{NEW}?kept={kept}").text
    service.services.seen_sessions.flush()
    service.clock.advance(201)
    assert "milk" not in visitor.get(f"{NEW}?kept={kept}").text
    for text in ("x", "%00", "%ff", uid("Record", 1)):
        visitor.get(f"{NEW}?kept={text}", status=None)


@on_one_storage
def test_kept_forms_are_bounded(service, user, client, visitor):
    form = visitor.form(NEW)
    service.clock.advance(IDLE_SECONDS)
    for number in range(8):
        visitor.post(NEW, form.filled({"note": f"n{number}"}), status=303)
    uploads = service.change(lambda s: s.uploads.list_by_user(user.id))
    assert len(uploads) == 5


@on_one_storage
def test_what_is_no_such_form_is_not_kept(service, user, client, visitor):
    form = visitor.form(NEW)
    secret = visitor.form("/settings/security", "/settings/security/password")
    service.clock.advance(IDLE_SECONDS)
    before = dump(service)
    visitor.post(secret.action, secret.filled({"new_password": "geheim geheim"}), status=403)
    visitor.post(NEW, form.filled({"csrf_token": "x" * 43}), status=403)
    visitor.post(NEW, form.fields, status=403, headers={"Sec-Fetch-Site": "cross-site"})
    Visitor(service).post(NEW, form.fields, status=403)
    service.change(lambda s: s.users.delete_sessions(user.id))
    visitor.post(NEW, form.fields, status=403)
    assert {*changed_tables(before, dump(service))} <= {"sessions"}
    sent = [*form.filled(GIVEN), ("password", "geheim"), ("api-token", "geheim")]
    visitor.sign_in(user)
    visitor.post(NEW, sent, status=303)
    assert "geheim" not in str(dump(service))


@on_one_storage
@pytest.mark.parametrize(
    "errors", ["notjson", "[1]", "null", '{"x": null}', '{"amount": "made up"}']
)
def test_errors_that_a_form_sends_itself_are_ignored(service, user, client, visitor, errors):
    sent = [*visitor.form(NEW).filled(GIVEN), ("form-errors", errors)]
    service.clock.advance(IDLE_SECONDS)
    visitor.sign_in(user)
    page = visitor.follow(visitor.post(NEW, sent))
    assert KEPT in page.text and "made up" not in page.text
    # The same in the field of the sign-in page.
    visitor.submit("/overview", "/settings/logout", status=303)
    login = visitor.post(NEW, sent, status=403)
    (form,) = (f for f in forms(login.text) if f.action == LOGIN)
    path, owner, entries = json.loads(urlsafe_b64decode(dict(form.fields)["carried-form"]))
    carried = json.dumps([path, owner, [*entries, ["form-errors", errors]]]).encode()
    given = {"email": user.email, "password": PASSWORD}
    answer = visitor.post(
        LOGIN, form.filled({**given, "carried-form": urlsafe_b64encode(carried).decode()})
    )
    page = visitor.follow(answer)
    assert KEPT in page.text and "made up" not in page.text
