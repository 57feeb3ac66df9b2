"""The notice after a change of money data: what changed, and its Undo button."""

from urllib.parse import urlencode

import pytest

from finance_api.storage.interface import HistoryEntry
from finance_api.web.sentences import sentence_of
from support.browser import location, new_token, new_user, signed_in
from support.html import forms, shown_text
from support.native_rows import account, category, label, record, record_rule, uid
from support.service import Client, on_one_storage

GROCERIES = uid("Category", 1)


@pytest.fixture
def client(service, user):
    rows = [
        account(1, name="Giro"),
        account(2, name="Savings"),
        category(1, name="Groceries"),
        label(1, name="home"),
        record(1, payee="Aldi", amount=-10, recordDate="2026-03-01"),
        record(2, payee="ALDI Nord", amount=-20, recordDate="2026-03-02"),
        record(3, payee="<b>Out", amount=-500, recordDate="2026-02-01"),
        record(4, payee="In", amount=500, recordDate="2026-02-02", accountId=uid("Account", 2)),
        record_rule(1, keywords=["aldi"], categoryId=GROCERIES),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def choose(visitor, page, do, **given):
    (form,) = (
        f for f in forms(visitor.get(page).text) if f.method == "post" and f.names & {"id", "pair"}
    )
    answer = visitor.post(form.action, [*form.filled(given), ("do", do)])
    if answer.status_int == 200:
        (confirmation,) = (form for form in forms(answer.text) if "seen" in form.names)
        answer = visitor.post(confirmation.action, confirmation.fields)
    assert answer.status_int == 303
    return answer


def notice(page):
    """Return the sentence of the notice, and its form; None without a notice."""
    found = [form for form in forms(page.text) if "/undo" in form.action]
    if not found:
        return None
    (form,) = found
    text = page.text.split('class="notice"')[1].split("</form>")[0]
    return shown_text("<p " + text).removesuffix(" Undo"), form


def undo(visitor, page):
    _, form = notice(page)
    return visitor.follow(visitor.post(form.action, form.fields))


def test_a_bulk_change_is_named_and_undone_where_it_was_made(client, visitor):
    before = client.get("records").json["records"]
    ids = [uid("Record", 1), uid("Record", 2)]
    answer = choose(visitor, "/records?q=aldi", "category", id=ids, set_category=GROCERIES)
    page = visitor.follow(answer)
    assert notice(page)[0] == "Category of 2 records: none → Groceries."
    assert client.names("records", "payee", category="eq.Groceries") == ["ALDI Nord", "Aldi"]
    page = undo(visitor, page)
    assert page.request.path_qs == "/records?q=aldi&done=undone"
    assert "Undone. Your data is as it was before." in shown_text(page.text)
    assert client.get("records").json["records"] == before
    visitor.get("/records?changed=2&done=saved")


def test_each_kind_of_change_has_its_sentence(client, visitor):
    record_1, ids = f"/records/{uid('Record', 1)}", [uid("Record", 1), uid("Record", 2)]
    pair = f"{uid('Record', 3)} {uid('Record', 4)}"
    steps = (
        (
            lambda: choose(visitor, "/records", "category", id=ids[0], set_category=GROCERIES),
            "Category of Aldi: none → Groceries.",
        ),
        (
            lambda: choose(visitor, "/records", "category", id=ids[0], set_category="none"),
            "Category of Aldi: Groceries → none.",
        ),
        (
            lambda: choose(visitor, "/records", "label", id=ids, set_label=uid("Label", 1)),
            "Labels of 2 records: none → home.",
        ),
        (
            lambda: visitor.submit(record_1, record_1, note="milk", payee="Aldi Süd"),
            "Payee of the record: Aldi → Aldi Süd, note: none → milk.",
        ),
        (
            lambda: visitor.submit("/labels/new", "/labels/new", name="Trip & <co>"),
            "Label Trip & <co> added.",
        ),
        (
            lambda: visitor.submit(
                f"/labels/{uid('Label', 1)}", f"/labels/{uid('Label', 1)}", name="House"
            ),
            "Name of the label: home → House.",
        ),
        (
            lambda: visitor.submit(
                f"/accounts/{uid('Account', 2)}/remove",
                f"/accounts/{uid('Account', 2)}/remove",
                with_records="yes",
            ),
            "Account Savings removed, 1 record deleted.",
        ),
    )
    for change, sentence in steps:
        page = visitor.follow(change())
        assert notice(page)[0] == sentence
    undo(visitor, page)
    for do, sentence in (
        ("confirm", "Transfer of <b>Out and In linked. Budgets and sums leave transfers out."),
        ("dismiss", "Transfer of <b>Out and In dismissed. These pairs are not proposed again."),
    ):
        page = visitor.follow(choose(visitor, "/transfers", do, pair=pair))
        assert notice(page)[0] == sentence
        undo(visitor, page)
    form = visitor.form("/rules/apply")
    page = visitor.post(form.action, form.fields)
    (form,) = (f for f in forms(page.text) if "revision" in f.names)
    page = visitor.follow(visitor.post(form.action, form.fields))
    assert notice(page)[0] == "Rules applied: category of ALDI Nord: none → Groceries."


@on_one_storage
def test_an_undo_that_a_later_change_prevents_offers_the_choices(client, visitor):
    ids = [uid("Record", 1), uid("Record", 2)]
    first = visitor.follow(choose(visitor, "/records", "category", id=ids, set_category=GROCERIES))
    choose(visitor, "/records", "category", id=ids[0], set_category="none")
    _, form = notice(first)
    refused = visitor.post(form.action, form.fields, status=409)
    assert "It cannot be undone on its own" in shown_text(refused.text)
    assert "Category of Aldi: Groceries → none." in shown_text(refused.text)
    assert "Changed the record 1 Mar 2026 Aldi −10.00 EUR" in shown_text(refused.text)
    assert client.names("records", "payee", category="eq.Groceries") == ["ALDI Nord"]


@on_one_storage
def test_an_undo_sent_twice_is_done_once(client, visitor):
    page = visitor.follow(visitor.submit("/labels/new", "/labels/new", name="Trip"))
    _, form = notice(page)
    for _ in range(2):
        sent = visitor.post(form.action, form.fields, status=303)
        assert location(sent) == "/labels?done=undone"
    assert client.names("labels", "name", name="eq.Trip") == []


@on_one_storage
def test_saving_what_was_there_says_that_nothing_was_changed(client, visitor):
    path = f"/records/{uid('Record', 1)}"
    page = visitor.follow(visitor.submit(path, path))
    assert "Nothing was changed" in page.text and notice(page) is None


@on_one_storage
def test_links_that_are_stale_or_made_up_show_no_notice(service, user, client, visitor):
    visitor.submit("/labels/new", "/labels/new", name="Trip", status=303)
    assert notice(visitor.get("/labels?changed=2"))
    stranger = signed_in(service, new_user(service))
    for number in ("2", "1"):
        assert notice(stranger.get(f"/labels?changed={number}")) is None
    for number in ("", "3", "0", "-1", "x", "2%20", "%D9%A2", "9" * 40, "2e0"):
        assert notice(visitor.get(f"/labels?changed={number}")) is None
    assert 'action="/imports' not in visitor.get("/labels/x?changed=%ff", status=404).text
    assert location(visitor.get("/labels/x?changed=2", status=303)) == "/labels?changed=2"
    service.clock.advance(3_700)
    visitor.sign_in(user)
    assert notice(visitor.get("/labels?changed=2")) is None


@on_one_storage
def test_the_way_back_of_an_undo_stays_on_the_pages(client, visitor):
    for number, back in enumerate(("https://elsewhere.example/", "//a.example", "/v1/api/records")):
        page = visitor.follow(visitor.submit("/labels/new", "/labels/new", name="Trip"))
        _, form = notice(page)
        path = form.action.partition("?")[0]
        answer = visitor.post(f"{path}?{urlencode({'back': back})}", form.fields, status=303)
        assert location(answer) == f"/imports/{number + 2}?done=undone"


@pytest.mark.parametrize(
    ("action", "details", "expected"),
    [
        (
            "import",
            {"file": {"name": "a.ofx"}, "counts": {"created": 1_234, "updated": 2}},
            "a.ofx imported: 1,234 new, 2 changed.",
        ),
        ("import", {"counts": {"created": 0}}, "A file was imported: nothing new."),
        ("records edit", {"counts": {"updated": 2}}, "Your data changed."),
        ("import", {}, "A file was imported: nothing new."),
    ],
)
def test_entries_of_imports_and_of_older_versions_have_a_sentence(action, details, expected):
    entry = HistoryEntry(number=1, at=0, action=action, by="page", revision=1, details=details)
    assert sentence_of(entry) == expected
