"""Rules on pages: made from a record, and applied after a preview."""

import html
import re

import pytest

from finance_api.ledger import rule_matches
from finance_api.web import object_details
from finance_api.web.views import rules
from support.browser import KEPT_FORMS, changed_tables, dump
from support.browser import few_users as services  # noqa: F401
from support.html import forms, shown_text
from support.listed_records import FUN, GROCERIES, load_records
from support.native_rows import account, record, record_rule, uid
from support.service import on_one_storage


@pytest.fixture
def client(service, user):
    return load_records(service, user)


def apply_rules(visitor, everything=""):
    """Apply the rules after their preview, and return the preview."""
    form = visitor.form("/rules/apply")
    preview = visitor.post(form.action, form.filled({"all": everything}), status=200)
    second = [f for f in forms(preview.text) if "revision" in f.names]
    if second:
        visitor.post("/rules/apply", second[0].fields, status=303)
    return shown_text(preview.text)


@on_one_storage
def test_a_record_is_changed_by_its_form_and_no_rule_changes_it_back(client, visitor):
    path = f"/records/{uid('Record', 1)}"
    visitor.submit(path, path, status=303, categoryId=FUN, note="for the party")
    row = client.get(path.removeprefix("/")).json
    assert (row["category"], row["note"]) == ("Fun", "for the party")
    apply_rules(visitor, "true")
    assert client.get(path.removeprefix("/")).json["category"] == "Fun"


def test_a_record_makes_a_rule_that_is_applied_at_once(service, user, client, visitor):
    kinos = [
        record(20, payee="KINO 4711 Berlin", amount=-8),
        record(21, payee="Kino 0815 Ulm", amount=-9),
        record(22, payee="Bar", note="after the kino", amount=-9),
        record(23, payee="KINO KINO", note="kino", amount=-9, categoryId=GROCERIES),
    ]
    service.load(user, kinos)
    page = visitor.get("/records?q=4711").text
    link = html.unescape(re.search('href="(/records/[^"]*/rule[^"]*)"', page)[1])
    assert "Matches 5 records , 3 of them without a category" in shown_text(visitor.get(link).text)
    form = visitor.form(link, f"/records/{uid('Record', 20)}/rule")
    assert ("keyword", "KINO") in form.fields
    sent = form.filled({"category": FUN})
    checked = visitor.post(form.action, [*form.filled({"keyword": "ulm"}), ("do", "check")])
    assert "Matches 1 record , 1 of them without a category" in shown_text(checked.text)
    answer = visitor.post(form.action, [*sent, ("do", "apply")], status=303)
    assert answer.headers["Location"].startswith("/records?q=4711&changed=")
    assert "Record rule KINO added, 3 records changed." in shown_text(visitor.follow(answer).text)
    applied = ["KINO 4711 Berlin", "Kino 0815 Ulm", "Bar"]
    assert client.names("records", "payee", category="eq.Fun") == applied
    visitor.undo(visitor.follow(answer))
    assert client.names("records", "payee", category="eq.Fun") == []
    assert client.names("record-rules", "name") == ["Shops"]


@on_one_storage
def test_the_page_searches_the_records_once_and_counts_each_once(
    service, user, client, visitor, monkeypatch
):
    """A search reads all of the user's records; the payees are in stored sums."""
    bought = {"payee": "Books", "amount": -8}
    rows = [
        record(20, payee="AMZN", note="amzn", originalPayee="Amzn 1", amount=-8),
        record(21, **bought, note="from amzn", originalPayee="Amzn 1", categoryId=FUN),
        record(22, **bought, note="from AMZN"),
        record(23, **bought, note="from a shop"),
    ]
    service.load(user, rows)
    asked, counted = [], rule_matches.RuleSearch._counted

    def noted(search, columns, condition):
        asked.append(columns)
        return counted(search, columns, condition)

    monkeypatch.setattr(rule_matches.RuleSearch, "_counted", noted)
    path, both = f"/records/{uid('Record', 23)}/rule", ("originalPayee", "note")
    form = visitor.form(path)
    assert asked == [("categoryId", "payee"), ("categoryId", "payee", *both)]
    page = visitor.post(path, [*form.filled({"keyword": "amzn"}), ("do", "check")])
    shown = shown_text(page.text)
    assert "Matches 3 records , 2 of them without a category" in shown
    examples = "AMZN", "Amzn 1", "from AMZN"
    assert [text for text in examples if f"<bdi>{text}</bdi>" in page.text] == list(examples)


@on_one_storage
def test_a_rule_from_a_record_needs_a_keyword_and_a_category(service, client, visitor):
    path = f"/records/{uid('Record', 1)}/rule"
    before = dump(service)
    for given, words in (
        ({"keyword": " "}, "Enter a keyword."),
        ({"category": ""}, "Choose a category."),
        ({"category": "x"}, "Choose a category."),
        ({"keyword": "a\0b", "category": FUN}, "NUL"),
    ):
        page = visitor.submit(path, path, status=400, **given)
        assert words in shown_text(page.text), words
    assert changed_tables(before, dump(service)) <= KEPT_FORMS
    form = visitor.form(path)
    visitor.post(path, [*form.filled({"new-category": "Food"}), ("do", "add")], status=303)
    assert set(client.names("record-rules", "name")) == {"Aldi", "Shops"}
    assert client.names("records", "payee", category="eq.Food") == []


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
def test_a_preview_of_too_many_records_names_the_command(client, visitor, monkeypatch):
    without = len(client.names("records", "payee", categoryId="is.null"))
    command = f"finance-api rules apply '{client.user.email}'"
    monkeypatch.setattr(rules, "MOST_READ", without - 1)
    for everything, option in (("", ""), ("true", "--all ")):
        page = apply_rules(visitor, everything)
        assert f"{command} {option}" in page and ("--all" in page) == bool(option)
        assert "records would change" not in page
    monkeypatch.setattr(rules, "MOST_READ", without)
    # Records that have a category are not read, unless asked for.
    assert "2 records would change" in apply_rules(visitor)
    assert command in apply_rules(visitor, "true")


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


@on_one_storage
@pytest.mark.parametrize(
    ("given", "count", "without", "payees"),
    [
        ({"keywords": ["kino"]}, 4, 3, ["KINO", "Bar", "Kino 0815", "KINO 4711"]),
        ({"keywords": ["kino", "bar"]}, 4, 3, ["KINO", "Bar", "Kino 0815", "KINO 4711"]),
        # The file's text of a payee counts, whatever its case.
        ({"keywords": ["kino 4711", "k1"], "wholePayee": True}, 2, 2, ["Kino 0815", "KINO 4711"]),
        ({"keywords": ["kino"], "accountId": uid("Account", 2)}, 0, 0, []),
        ({"keywords": ["nothing of this"]}, 0, 0, []),
    ],
)
def test_the_page_of_a_rule_has_the_number_of_its_records_and_the_newest(
    service, user, client, visitor, given, count, without, payees
):
    days = ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
    texts = [
        {"payee": "KINO 4711"},
        {"payee": "Kino 0815", "originalPayee": "K1"},
        {"payee": "Bar", "note": "after the kino"},
        {"payee": "KINO", "note": "kino", "categoryId": GROCERIES},
    ]
    rows = [
        record(20 + n, amount=-8, recordDate=day, **text)
        for n, (day, text) in enumerate(zip(days, texts, strict=True))
    ]
    other = account(2, name="Other")
    service.load(user, [other, *rows, record_rule(7, categoryId=FUN, **given)])
    page = visitor.get(f"/rules/{uid('RecordRule', 7)}")
    shown = shown_text(page.text)
    assert f"Records that it matches {count} " in shown
    assert (f"Of these without a category {without} " in shown) == bool(count)
    assert [each.text for each in page.html.select("#newest-table a")] == payees
    assert "Gives the category Fun" in shown


@on_one_storage
def test_a_rule_with_too_much_to_search_says_so(client, visitor, monkeypatch):
    monkeypatch.setattr(object_details, "_MOST_COMPARED", 1)
    path = visitor.get("/rules").html.select_one("th.name a")["href"]
    assert "too many records to search" in shown_text(visitor.get(path).text)


@on_one_storage
def test_the_history_counts_each_field_that_rules_changed_for_itself(service, user, visitor):
    rows = [record(n, payee=f"REWE {n}") for n in range(1, 4)]
    rows += [record(n, payee=f"NETFLIX {n}") for n in range(4, 6)]
    service.load(user, [account(1), *rows])
    for keyword, given in (("rewe", {"payee": "Rewe"}), ("netflix", {"payee": "Netflix"})):
        new = {"new-category": "Films"} if keyword == "netflix" else {}
        visitor.submit("/rules/new", "/rules/new", status=303, keywords=keyword, **given, **new)
    apply_rules(visitor)
    sentence = "Rules applied: payee of 5 records changed, category of 2 records: none → Films."
    assert sentence in shown_text(visitor.get("/imports").text)
