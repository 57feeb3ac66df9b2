"""The page History: what each entry says, and what stands in the way of an undo."""

import pytest

from finance_api.storage.memory.roles import MemoryLedger
from finance_api.web.rendering import NOTICES
from finance_api.web.views import imports
from functional.pages.test_change_notice import choose
from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, budget, category, label, record, record_rule, uid
from support.service import Client, on_one_storage

FOOD, GROCERIES = uid("Category", 1), uid("Category", 2)
ALDI, REWE = uid("Record", 1), uid("Record", 2)


@pytest.fixture
def client(service, user):
    rows = [
        account(1, name="Giro"),
        category(1, name="Food"),
        category(2, name="Groceries"),
        label(1, name="home"),
        budget(1, name="Month", limitAmount=400, categoryIds=[FOOD]),
        record(1, payee="Aldi", amount=-10, recordDate="2026-03-01"),
        record(2, payee="Rewe", amount=-20.5, recordDate="2026-03-02", categoryId=FOOD),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def change(visitor, path, **values):
    """Submit the form of a page, and return the page with the notice."""
    return visitor.follow(visitor.submit(path, path, **values))


def text_of(visitor, path):
    return shown_text(visitor.get(path).text)


def test_a_sentence_has_both_values_and_keeps_the_names_of_its_time(client, visitor):
    change(visitor, f"/records/{ALDI}", categoryId=GROCERIES, amount="12", recordDate="2026-03-04")
    change(visitor, f"/categories/{GROCERIES}", name="Supermarket")
    change(visitor, f"/records/{ALDI}", payee="Aldi Süd")
    history = text_of(visitor, "/imports")
    sentence = (
        "Amount of Aldi: −10.00 EUR → −12.00 EUR, date: 1 Mar 2026 → 4 Mar 2026, "
        "category: none → Groceries."
    )
    assert sentence in history and "Name of the category: Groceries → Supermarket." in history
    entry = text_of(visitor, "/imports/2")
    assert sentence in entry
    assert "Aldi 1 Mar 2026 −10.00 EUR Amount −10.00 EUR −12.00 EUR" in entry
    assert "Category none Groceries" in entry
    assert [each.text for each in visitor.get("/imports/2").html.select("h1")] == [sentence]
    (heading,) = visitor.get("/imports/2/undo").html.select("h1")
    assert heading.text == "Undo this change?"


def test_a_merge_names_both_categories_and_everything_that_follows(client, visitor):
    path = f"/categories/{FOOD}/remove"
    (form,) = [form for form in forms(visitor.get(path).text) if "into" in form.names]
    page = visitor.follow(visitor.post(form.action, form.filled({"into": GROCERIES})))
    sentence = "Category Food merged into Groceries, 1 record changed, 1 budget changed."
    assert sentence in shown_text(page.text)
    entry = text_of(visitor, "/imports/2")
    assert "Food Removed" in entry and "Removed –" not in entry
    assert "Rewe 2 Mar 2026 −20.50 EUR Category Food Groceries" in entry
    assert "Month Categories Food Groceries" in entry
    # What is gone has no link.
    page = visitor.get("/imports/2").text
    assert f"/records/{REWE}" in page and f"/categories/{FOOD}" not in page


def test_values_of_different_currencies_are_not_written_as_one(client, visitor):
    rows = [
        account(2, name="Dollars", currencyCode="USD"),
        record(3, payee="Diner", amount=-3, accountId=uid("Account", 2)),
    ]
    client.load(*rows)
    (form,) = [f for f in forms(visitor.get("/records").text) if "set_note" in f.names]
    sent = [*form.filled({"id": [ALDI, uid("Record", 3)], "set_note": "cash"}), ("do", "note")]
    (form,) = [f for f in forms(visitor.post(form.action, sent).text) if "seen" in f.names]
    page = visitor.follow(visitor.post(form.action, form.fields))
    assert "Note of 2 records: none → cash." in shown_text(page.text)
    entry = text_of(visitor, "/imports/3")
    assert "−10.00 EUR Note none cash" in entry and "−3.00 USD Note none cash" in entry


@on_one_storage
def test_an_undo_in_the_list_leads_back_to_the_list(client, visitor):
    change(visitor, f"/labels/{uid('Label', 1)}", name="House")
    assert "2 · on a page" in text_of(visitor, "/imports")
    link = next(a for a in visitor.get("/imports").html.select("a") if a.text == "Undo")
    form = visitor.form(link["href"])
    assert "Undoes 2 Name of the label: home → House." in text_of(visitor, link["href"])
    page = visitor.follow(visitor.post(form.action, form.fields))
    assert page.request.path_qs == "/imports?done=undone"
    assert "on a page Undone" in shown_text(page.text)


@on_one_storage
def test_an_undo_with_a_preview_sent_twice_is_done_once(client, visitor):
    change(visitor, f"/labels/{uid('Label', 1)}", name="House")
    form = visitor.form("/imports/2/undo")
    for _ in range(2):
        sent = visitor.post(form.action, form.fields, status=303)
        assert location(sent) == "/imports/2?done=undone"
    assert client.names("labels", "name") == ["home"]


def blocked(visitor):
    """Add a record and edit it; return the page that says what stands in the way of an undo."""
    change(visitor, "/records/new", payee="Kiosk", amount="5", accountId=uid("Account", 1))
    link = next(a for a in visitor.get("/records?q=kiosk").html.select("a") if a.text == "Kiosk")
    change(visitor, link["href"], note="news")
    page = visitor.get("/imports/2/undo")
    assert "Note of Kiosk: none → news." in shown_text(page.text)
    return {a.text: a["href"] for a in page.html.select("main .buttons a")}


@on_one_storage
@pytest.mark.parametrize(
    ("choice", "expected", "notice"),
    [("Keep later manual edits", ["Kiosk"], "undone-kept.1"), ("Undo it too", [], "undone")],
)
def test_what_stands_in_the_way_is_kept_or_undone_too(client, visitor, choice, expected, notice):
    choices = blocked(visitor)
    assert [*choices] == ["Keep later manual edits", "Undo it too", "Cancel"]
    form = visitor.form(choices[choice])
    path = location(visitor.post(form.action, form.fields))
    assert path == f"/imports/2?done={notice}"
    sentence = NOTICES[notice.partition(".")[0]].format("1 item")
    assert sentence in text_of(visitor, path)
    assert client.names("records", "payee", payee="eq.Kiosk") == expected


@on_one_storage
def test_an_undo_of_too_many_records_names_the_command_and_undoes_nothing(
    client, visitor, monkeypatch
):
    change(visitor, f"/records/{ALDI}", note="changed")
    preview = visitor.form("/imports/1/undo?later=keep", "/imports/1/undo")
    monkeypatch.setattr(imports, "MOST_UNDONE", 1)
    command = f"finance-api imports undo '{client.user.email}' 1 --with-later"
    for later, options in (("keep", " --keep-changed"), ("undo", "")):
        page = visitor.get(f"/imports/1/undo?later={later}").text
        assert f"{command}{options} " in shown_text(page)
        assert "Created 2 records" in shown_text(page)
        assert "Restored" not in page and "danger" not in page
    refused = visitor.post(preview.action, preview.fields, status=409)
    assert command in shown_text(refused.text)
    assert client.names("records", "payee") == ["Rewe", "Aldi"]
    monkeypatch.setattr(imports, "MOST_UNDONE", 2)
    visitor.post(preview.action, preview.fields, status=303)
    assert client.names("records", "payee") == ["Aldi"]


@on_one_storage
def test_an_undo_says_when_and_what_in_sentences(client, visitor):
    choices = blocked(visitor)
    sentence = "Record Kiosk of 18 Mar 2026 (−5.00 EUR) added."
    blocked_lead = text_of(visitor, "/imports/2/undo")
    assert f"{sentence} This was done on 18 Mar 2026, " in blocked_lead
    preview = text_of(visitor, choices["Undo it too"])
    assert preview.count(sentence) == 1 and "This was done on 18 Mar 2026, " in preview


@on_one_storage
def test_a_deleted_record_in_the_way_of_an_undo_is_marked(client, visitor):
    path = f"/records/{REWE}"
    change(visitor, path, note="milk")
    form = visitor.form(f"{path}/remove")
    visitor.post(form.action, form.fields, status=303)
    text = text_of(visitor, "/imports/2/undo")
    assert "Changed the record 2 Mar 2026 Rewe −20.50 EUR (no longer exists)" in text


@on_one_storage
def test_a_transfer_is_linked_and_unlinked_in_words(client, visitor):
    client.load(
        account(2, name="Savings"),
        record(3, payee="In", amount=10, recordDate="2026-03-01", accountId=uid("Account", 2)),
    )
    link = f"/records/{ALDI}/link"
    (form,) = [f for f in forms(visitor.get(link).text) if "other" in f.names]
    visitor.post(form.action, form.filled({"other": uid("Record", 3)}), status=303)
    assert "Transfer no yes" in text_of(visitor, "/imports/3")
    form = visitor.form(f"/records/{ALDI}", f"/records/{ALDI}/unlink")
    visitor.post(form.action, form.fields, status=303)
    assert "Transfer yes no" in text_of(visitor, "/imports/4")


@on_one_storage
def test_texts_of_a_list_are_kept_apart(client, visitor):
    client.load(record_rule(1, keywords=["shop"], categoryId=FOOD))
    path = f"/rules/{uid('RecordRule', 1)}"
    page = change(visitor, path, keywords='a;b, "c, d"')
    assert ': shop → a;b, "c, d".' in shown_text(page.text)
    assert 'Keywords shop a;b, "c, d"' in text_of(visitor, "/imports/3")
    change(visitor, f"/categories/{GROCERIES}", name="Drinks, sweets")
    path = f"/budgets/{uid('Budget', 1)}"
    change(visitor, path, categoryIds=[FOOD, GROCERIES])
    assert 'Categories Food Food, "Drinks, sweets"' in text_of(visitor, "/imports/5")


@on_one_storage
def test_a_record_without_payee_and_note_is_named_by_its_day(client, visitor):
    page = change(visitor, f"/records/{ALDI}", payee="")
    assert "Payee of the record: Aldi → none." in shown_text(page.text)
    page = change(visitor, f"/records/{ALDI}", amount="12")
    sentence = "Amount of the record of 1 Mar 2026: −10.00 EUR → −12.00 EUR."
    assert sentence in shown_text(page.text)
    form = visitor.form(f"/records/{ALDI}/remove")
    page = visitor.follow(visitor.post(form.action, form.fields))
    assert "The record of 1 Mar 2026 (−12.00 EUR) deleted." in shown_text(page.text)


@on_one_storage
def test_a_notice_and_the_page_of_an_entry_read_this_entry_alone(client, visitor, monkeypatch):
    for name in ("House", "Flat"):
        change(visitor, f"/labels/{uid('Label', 1)}", name=name)
    list_entries, read = MemoryLedger.list_entries, []

    def remembering(history, user_id, numbers=None):
        entries = list_entries(history, user_id, numbers)
        read.append([entry.number for entry in entries])
        return entries

    monkeypatch.setattr(MemoryLedger, "list_entries", remembering)
    for path in ("/labels?changed=3", "/imports/3"):
        assert "Name of the label: House → Flat." in text_of(visitor, path)
    assert read == [[3], [3]]


@on_one_storage
def test_an_edit_reads_the_whole_history_once(client, visitor, monkeypatch):
    list_entries, asked = MemoryLedger.list_entries, []

    def remembering(history, user_id, numbers=None):
        asked.append(numbers)
        return list_entries(history, user_id, numbers)

    monkeypatch.setattr(MemoryLedger, "list_entries", remembering)
    path = f"/records/{ALDI}"
    visitor.submit(path, path, status=303, note="changed")
    assert asked.count(None) == 1


@on_one_storage
def test_the_records_of_a_change_are_listed_by_day(service, user, visitor):
    days = {1: "2026-03-02", 2: "2026-03-09", 3: "2026-03-05"}
    service.load(
        user,
        [account(1)] + [record(n, payee=f"Shop {n}", recordDate=day) for n, day in days.items()],
    )
    choose(visitor, "/records", "note", id=[uid("Record", n) for n in days], set_note="trip")
    rows = visitor.get("/imports/2").html.select("tbody th")
    assert [row.a.text for row in rows] == ["Shop 2", "Shop 3", "Shop 1"]
