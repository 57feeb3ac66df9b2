"""Records on pages: searched, corrected, categorised by rules, confirmed as transfers."""

import html
import re

import pytest

from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import remove_records
from finance_api.values.ids import new_id
from support.browser import (
    comparable,
    dump,
    few_users,  # noqa: F401
    new_token,
    new_user,
    signed_in,
)
from support.html import forms, shown_text
from support.native_rows import account, category, label, record, record_rule, uid
from support.service import Client, on_one_storage

GROCERIES, FUN = uid("Category", 1), uid("Category", 2)
ACCOUNTS = [
    account(1, name="Giro"),
    account(2, name="Savings"),
    account(3, name="Abroad", currencyCode="USD"),
]


@pytest.fixture
def client(service, user):
    rows = [
        *ACCOUNTS,
        category(1, name="Groceries"),
        category(2, name="Fun"),
        category(3, name="Cinema", parentId=FUN),
        label(1, name="home"),
        label(2, name="work"),
        record(1, payee="Aldi", amount=-10, recordDate="2026-03-01"),
        record(2, payee="ALDI Nord", amount=-20, recordDate="2026-03-02"),
        record(
            3,
            payee="Kino",
            amount=-30,
            recordDate="2026-03-03",
            categoryId=uid("Category", 3),
            note="two seats",
        ),
        record(
            4,
            payee="Boss",
            amount=100,
            accountId=uid("Account", 3),
            recordState="void",
            recordDate="2026-03-04",
            labelIds=[uid("Label", 2)],
        ),
        record(5, payee="Out", amount=-500, recordDate="2026-02-01"),
        record(6, payee="In", amount=500, recordDate="2026-02-02", accountId=uid("Account", 2)),
        record_rule(1, keywords=["aldi"], categoryId=GROCERIES),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def found(visitor, query):
    page = visitor.get(f"/records?{query}").text
    part = page.split("record-list")
    names = ("Aldi", "ALDI Nord", "Kino", "Boss", "Out", "In")
    return {name for name in names if len(part) > 1 and f">{name}</a>" in part[1]}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=aldi", {"Aldi", "ALDI Nord"}),
        ("category=none", {"Aldi", "ALDI Nord", "Boss", "Out", "In"}),
        (f"category={FUN}", {"Kino"}),
        (f"account={uid('Account', 2)}", {"In"}),
        ("from=2026-03-02&to=2026-03-03", {"ALDI Nord", "Kino"}),
        ("currency=USD", {"Boss"}),
        ("flow=received", {"Boss", "In"}),
        ("flow=spent&counted=true&q=aldi", {"Aldi", "ALDI Nord"}),
        ("q=nothing", set()),
        ("period=2026-02", {"Out", "In"}),
        ("period=2026-Q1&from=2026-03-03", {"Kino", "Boss"}),
        ("category=any", {"Kino"}),
        ("label=any", {"Boss"}),
        ("label=none&to=2026-02-28", {"Out", "In"}),
        ("note=any", {"Kino"}),
        ("min=19,50&max=-100", {"ALDI Nord", "Kino", "Boss"}),
        ("type=income", {"Boss", "In"}),
        ("type=expense&max=10", {"Aldi"}),
        ("type=transfer", set()),
        ("state=void", {"Boss"}),
    ],
)
def test_records_are_found(client, visitor, query, expected):
    assert found(visitor, query) == expected


@on_one_storage
def test_sums_leave_out_what_counts_nowhere_and_say_so(client, visitor):
    text = shown_text(visitor.get("/records").text)
    assert "EUR 5 500.00 \N{MINUS SIGN}560.00 \N{MINUS SIGN}60.00" in text
    assert "Not counted: 1 void." in text


@on_one_storage
def test_a_filter_that_is_none_is_reported_and_the_others_count(client, visitor):
    page = visitor.get("/records?from=never&q=kino&account=x&flow=out")
    text = shown_text(page.text)
    assert "is not a date in the form" in text
    assert "is not a UUID" in text
    assert found(visitor, "from=never&q=kino") == {"Kino"}


def order(visitor, query):
    names = re.findall('name-text" href="[^"]*">([^<]+)</a>', visitor.get(f"/records?{query}").text)
    return "".join(name[0] for name in names)


def test_headings_sort_the_list_and_say_how_it_is_sorted(client, visitor):
    for query, expected, sorted_by, then in (
        ("", "BKAAIO", ("date", "descending"), "sort=date"),
        ("sort=date", "OIAAKB", ("date", "ascending"), None),
        ("sort=amount", "OKAABI", ("amount", "ascending"), "sort=-amount"),
        ("sort=-amount", "IBAAKO", ("amount", "descending"), "sort=amount"),
        ("sort=payee", "AABIKO", ("payee", "ascending"), "sort=-payee"),
        ("sort=nonsense", "BKAAIO", ("date", "descending"), "sort=date"),
    ):
        assert order(visitor, query) == expected, query
        page = visitor.get(f"/records?{query}").text
        ((order_now, path, label),) = re.findall(
            'aria-sort="([a-z]+)"><a href="([^"]+)">(.+?)<', page
        )
        assert (label.lower(), order_now) == sorted_by
        assert path == (f"/records?{then}" if then else "/records")


@on_one_storage
def test_a_filter_that_applies_is_a_link_that_removes_it(client, visitor):
    page = visitor.get(f"/records?q=a&category={FUN}&min=30&type=expense&from=2026-03-01").text
    chips = dict(
        re.findall('href="([^"]+)" title="Remove this filter">.*?</span> (.+?) <svg', page)
    )
    assert list(chips.values()) == ["“a”", "From 1 Mar 2026", "Fun", "Expense", "At least 30"]
    without_fun = html.unescape(next(path for path, words in chips.items() if words == "Fun"))
    assert without_fun == "/records?q=a&from=2026-03-01&type=expense&min=30"
    assert "Remove this filter" not in visitor.get("/records").text


@on_one_storage
def test_a_page_has_as_many_records_as_asked_and_says_which(service, user, visitor):
    service.load(user, [account(1), *(record(n, payee=f"p{n}") for n in range(1, 104))])
    for query, position, links in (
        ("", "1–50 of 103", {"next": "offset=50"}),
        ("offset=50", "51–100 of 103", {"prev": "offset=0", "next": "offset=100"}),
        ("size=100&offset=100", "101–103 of 103", {"prev": "size=100&offset=0"}),
        ("size=7", "1–50 of 103", {"next": "size=7&offset=50"}),
    ):
        page = visitor.get(f"/records?{query}").text
        assert position in shown_text(page)
        found = dict(re.findall(r'rel="(\w+)" href="\?([^"]+)"', html.unescape(page)))
        assert found == links
        assert f"limit={100 if 'size=100' in query else 50}" in page


def test_chosen_records_get_a_category_and_labels(client, visitor):
    form = visitor.form("/records?q=aldi", "/records?q=aldi")
    chosen = {"id": [uid("Record", 1), uid("Record", 2)]}
    answer = visitor.post(
        form.action, form.filled({**chosen, "set_category": GROCERIES}) + [("do", "category")]
    )
    assert answer.status_int == 303
    assert answer.headers["Location"] == "/records?q=aldi&changed=2"
    assert client.names("records", "payee", category="eq.Groceries") == ["ALDI Nord", "Aldi"]
    for action, expected in (("label", ["Aldi"]), ("unlabel", [])):
        sent = form.filled({"id": uid("Record", 1), "set_label": uid("Label", 1)})
        visitor.post(form.action, sent + [("do", action)], status=303)
        assert client.names("records", "payee", labels="eq.home") == expected
    sent = form.filled({"id": uid("Record", 1), "set_category": "none"})
    visitor.post(form.action, sent + [("do", "category")], status=303)
    assert client.get(f"records/{uid('Record', 1)}").json["category"] is None


@on_one_storage
def test_mistakes_of_the_choice_are_reported_and_change_nothing(service, client, visitor):
    before = dump(service)
    csrf = {"csrf_token": visitor.csrf()}
    for sent, words in (
        ({}, "Choose one or more records."),
        ({"id": uid("Record", 1), "do": "category"}, "Choose a category."),
        ({"id": uid("Record", 1), "do": "label"}, "Choose a label."),
        ({"id": "x", "do": "category", "set_category": FUN}, "No record has the id x."),
    ):
        page = visitor.post("/records", {**csrf, **sent}, status=400)
        assert words in shown_text(page.text)
    assert dump(service) == before


@on_one_storage
def test_a_record_is_changed_by_its_form_and_no_rule_changes_it_back(client, visitor):
    path = f"/records/{uid('Record', 1)}"
    visitor.submit(path, path, status=303, categoryId=FUN, note="for the party")
    row = client.get(path.removeprefix("/")).json
    assert (row["category"], row["note"]) == ("Fun", "for the party")
    apply_rules(visitor, "true")
    assert client.get(path.removeprefix("/")).json["category"] == "Fun"


@on_one_storage
def test_a_record_makes_a_rule(client, visitor):
    page = visitor.get(f"/records/{uid('Record', 3)}").text
    link = page.split('href="/rules/new')[1].split('"')[0].replace("&amp;", "&")
    form = visitor.form(f"/rules/new{link}", "/rules/new")
    assert ("keywords", "Kino") in form.fields
    assert ("categoryId", uid("Category", 3)) in form.fields
    visitor.post(form.action, form.fields, status=303)
    assert client.names("record-rules", "name", name="eq.Kino") == ["Kino"]


@on_one_storage
def test_a_new_category_is_added_where_it_is_first_given(service, client, visitor):
    path = f"/records/{uid('Record', 3)}"
    visitor.submit(path, path, status=303, **{"new-category": " Cinema "})
    form = visitor.form("/records?q=aldi", "/records?q=aldi")
    sent = form.filled({"id": [uid("Record", 1)], "new-category": "Party", "set_category": "none"})
    visitor.post(form.action, sent + [("do", "category")], status=303)
    new = {"keywords": "kiosk", "new-category": "Party"}
    visitor.submit("/rules/new", "/rules/new", status=303, **new)
    assert client.names("records", "payee", category="eq.Cinema") == ["Kino"]
    assert client.names("records", "payee", category="eq.Party") == ["Aldi"]
    party = client.names("categories", "id", name="eq.Party")
    assert client.names("record-rules", "categoryId", name="eq.kiosk") == party

    before = dump(service)
    faulty = {"keywords": "", "new-category": "Not kept"}
    page = visitor.submit("/rules/new", "/rules/new", status=400, **faulty)
    assert 'value="Not kept"' in page.text
    assert dump(service) == before


def apply_rules(visitor, everything=""):
    """Looks at the preview, and applies it; the preview."""
    form = visitor.form("/rules/apply")
    preview = visitor.post(form.action, form.filled({"all": everything}), status=200)
    second = [f for f in forms(preview.text) if "revision" in f.names]
    if second:
        visitor.post("/rules/apply", second[0].fields, status=303)
    return shown_text(preview.text)


def test_rules_are_applied_after_a_preview(service, client, visitor):
    preview = apply_rules(visitor)
    assert "2 records would change" in preview
    newest_first = (
        "ALDI Nord 2 Mar 2026 Category: Groceries −20.00 EUR",
        "Aldi 1 Mar 2026 Category: Groceries −10.00 EUR",
    )
    assert " ".join(newest_first) in preview
    assert client.names("records", "payee", category="eq.Groceries") == ["ALDI Nord", "Aldi"]
    assert "Nothing would change" in apply_rules(visitor)


@on_one_storage
def test_a_preview_that_is_too_old_is_shown_again(service, user, client, visitor):
    form = visitor.form("/rules/apply")
    preview = visitor.post(form.action, form.fields, status=200)
    (second,) = [f for f in forms(preview.text) if "revision" in f.names]
    service.load(user, [record(9, payee="Aldi Süd")])
    page = visitor.post("/rules/apply", second.fields, status=200)
    assert "Your data changed since the preview" in shown_text(page.text)
    assert "3 records would change" in shown_text(page.text)
    assert client.names("records", "payee", category="eq.Groceries") == []


PAIR = f"{uid('Record', 5)} {uid('Record', 6)}"


def waiting(visitor):
    return PAIR in visitor.get("/transfers").text


def test_a_transfer_is_found_when_data_comes_in_and_confirmed(service, client, visitor):
    assert "1 transfer to confirm" in shown_text(visitor.get("/overview").text)
    csrf = visitor.csrf()
    sent = {"csrf_token": csrf, "pair": PAIR, "do": "confirm"}
    visitor.post("/transfers", sent, status=303)
    rows = [client.get(f"records/{uid('Record', n)}").json for n in (5, 6)]
    assert rows[0]["transferId"] == rows[1]["transferId"] is not None
    assert not waiting(visitor)
    page = visitor.post("/transfers", sent, status=400)
    assert "is no longer waiting for confirmation" in shown_text(page.text)
    visitor.post(f"/records/{uid('Record', 5)}/unlink", {"csrf_token": csrf}, status=303)
    assert client.get(f"records/{uid('Record', 6)}").json["transferId"] is None
    visitor.post("/transfers", {"csrf_token": csrf, "do": "find"}, status=303)
    assert not waiting(visitor)


def test_what_is_no_transfer_is_not_proposed_again(service, user, client, visitor):
    assert waiting(visitor)
    sent = {"csrf_token": visitor.csrf(), "pair": PAIR, "do": "dismiss"}
    visitor.post("/transfers", sent, status=303)
    assert not waiting(visitor)
    service.load(user, [record(8, amount=-1, recordDate="2026-02-01")])
    assert not waiting(visitor)


def test_a_pair_goes_with_its_record_and_comes_back_with_it(service, user, client, visitor):
    with changing(service.backend, user.email, service.clock.now(), action="x") as session:
        remove_records(session, [uid("Record", 6)])
    assert not waiting(visitor)
    into = {"amount": 500, "accountId": uid("Account", 2)}
    service.load(user, [record(6, recordDate="2026-02-02", **into)])
    assert waiting(visitor)
    # Another one that fits as well: nobody knows any more.
    service.load(user, [record(7, recordDate="2026-02-03", **into)])
    assert not waiting(visitor)


@on_one_storage
def test_another_user_s_records_and_pairs_are_like_ones_that_there_are_not(service, client):
    stranger = signed_in(service, new_user(service))
    csrf = {"csrf_token": stranger.csrf()}
    before = dump(service)
    for below in ("", "/unlink"):
        paths = [f"/records/{i}{below}" for i in (uid("Record", 1), new_id())]
        if not below:
            gets = [comparable(stranger.get(path, 404)) for path in paths]
            assert gets[0] == gets[1]
        posts = [comparable(stranger.post(path, csrf, status=404)) for path in paths]
        assert posts[0] == posts[1]
    for sent in (
        {"id": uid("Record", 1), "do": "category", "set_category": "none"},
        {"id": uid("Record", 1), "do": "label", "set_label": uid("Label", 1)},
    ):
        stranger.post("/records", {**csrf, **sent}, status=400)
    page = stranger.post("/transfers", {**csrf, "pair": PAIR, "do": "confirm"}, status=400)
    assert "no longer waiting" in shown_text(page.text)
    for query in (f"account={uid('Account', 1)}", f"category={FUN}", f"label={uid('Label', 1)}"):
        assert "Nothing found" in stranger.get(f"/records?{query}").text
    assert dump(service) == before
