"""Records on pages: searched and corrected."""

import html
import re

import pytest

from finance_api.resources.currencies import CURRENCIES
from finance_api.web.views import records
from support.browser import KEPT_FORMS, changed_tables, dump
from support.browser import few_users as services  # noqa: F401
from support.html import forms, shown_text
from support.listed_records import FUN, GROCERIES, load_records
from support.native_rows import account, label, record, uid
from support.service import on_one_storage


@pytest.fixture
def client(service, user):
    return load_records(service, user)


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
        # A link that a person writes has names.
        ("category=fun", {"Kino"}),
        ("account=Savings&q=in", {"In"}),
        ("from=2026-03-02&to=2026-03-03", {"ALDI Nord", "Kino"}),
        ("currency=USD", {"Boss"}),
        ("flow=received", {"Boss", "In"}),
        ("flow=spent&counted=true&q=aldi", {"Aldi", "ALDI Nord"}),
        ("q=nothing", set()),
        ("period=2026-02", {"Out", "In"}),
        ("period=last-month", {"Out", "In"}),
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
    assert '"never" is not a day.' in text
    assert "There is no account x." in text
    assert found(visitor, "from=never&q=kino") == {"Kino"}
    too_long = shown_text(visitor.get(f"/records?q={'x' * 300}").text)
    assert "The text has 300 characters; at most 256 are allowed." in too_long


def test_nothing_matches_a_text_that_cannot_be_searched(visitor):
    page = visitor.get("/records?q=kino+OR").text
    assert 'id="q-error"' in page and "No records match these filters." in shown_text(page)
    assert 'id="totals"' not in page


def test_a_list_without_records_says_what_its_filters_name_in_vain(client, visitor):
    gone = uid("Label", 99)
    shown = shown_text(visitor.get(f"/records?label={gone}").text)
    assert f"No records match these filters. There is no label with the id {gone}." in shown
    assert "Remove the filter A removed label" in shown


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
def test_the_periods_are_those_with_records(service, user, client, visitor):
    service.load(user, [record(9, recordDate="2019-07-03", recordState="void")])
    (options,) = re.findall('<select id="period".*?</select>', visitor.get("/records").text, re.S)
    offered = [v for v in re.findall('value="([^"]*)"', options) if v[:1].isdigit()]
    assert offered == ["2026-03", "2026-02", "2019-07", "2026", "2019"]
    assert 'value="2018-05" selected' in visitor.get("/records?period=2018-05").text


@on_one_storage
def test_a_page_has_as_many_records_as_asked_and_says_which(service, user, visitor):
    service.load(user, [account(1), *(record(n, payee=f"p{n}") for n in range(1, 104))])
    for query, position, links in (
        ("", "1–50 of 103", {"next": "offset=50"}),
        ("offset=50", "51–100 of 103", {"prev": "offset=0", "next": "offset=100"}),
        ("size=100&offset=100", "101–103 of 103", {"prev": "size=100&offset=0"}),
        ("size=7", "1–50 of 103", {"next": "size=7&offset=50"}),
        ("offset=9999", "101–103 of 103", {"prev": "offset=50"}),
    ):
        page = visitor.get(f"/records?{query}").text
        assert position in shown_text(page)
        found = dict(re.findall(r'rel="(\w+)" href="\?([^"]+)"', html.unescape(page)))
        assert found == links
        assert f"limit={100 if 'size=100' in query else 50}" in page


def test_what_is_shown_is_downloaded_as_the_api_returns_it(client, visitor):
    path = "/records?q=a&min=15&sort=amount&size=100"
    page = html.unescape(visitor.get(path).text)
    csv_path, xlsx_path = re.findall('href="(/records/download[^"]+)"', page)
    (target,) = set(re.findall("GET (/v1/api/records\\.csv[^<]*)", page))
    answer = visitor.get(csv_path)
    assert answer.text == client.get(target.removeprefix("/v1/api/")).text
    assert '"ALDI Nord"' in answer.text and '"Aldi"' not in answer.text
    assert re.search(r'filename="records-[0-9-]{10}\.csv"', answer.headers["Content-Disposition"])
    workbook = visitor.get(xlsx_path)
    assert workbook.body == client.get(target.removeprefix("/v1/api/").replace("csv", "xlsx")).body
    visitor.get("/records/download?format=exe", status=404)
    answer = visitor.get("/records/download?format=csv&from=x", status=303)
    assert answer.headers["Location"] == "/records?from=x"


def confirm(visitor, sent, path="/records"):
    """Send the form for several records; return the question, and its form."""
    page = visitor.post(path, {"csrf_token": visitor.csrf(), **sent}, status=200)
    (form,) = [form for form in forms(page.text) if "seen" in form.names]
    return shown_text(page.text.split("<h2>")[1].split("<button")[0]), form


def change(visitor, sent, path="/records"):
    """Change several records; return the question and the notice."""
    question, form = confirm(visitor, sent, path)
    page = visitor.follow(visitor.post(form.action, form.fields))
    return question, page.text.split('<span role="status">')[1].split("<")[0]


def test_chosen_records_get_a_category_and_labels(client, visitor):
    ids = f"{uid('Record', 1)},{uid('Record', 2)}"
    form = visitor.form("/records?q=aldi&select=page", "/records?q=aldi")
    assert [v for k, v in form.fields if k == "id"] == ids.split(",")[::-1]
    sent = {"id": ids, "do": "category", "set_category": GROCERIES}
    question, notice = change(visitor, sent, "/records?q=aldi")
    assert question == (
        "Set the category of 2 records to Groceries? together \N{MINUS SIGN}30.00 EUR "
        "Aldi , 1 Mar 2026 , \N{MINUS SIGN}10.00 EUR "
        "ALDI Nord , 2 Mar 2026 , \N{MINUS SIGN}20.00 EUR"
    )
    assert notice == "Category of 2 records: none → Groceries."
    assert client.names("records", "payee", category="eq.Groceries") == ["ALDI Nord", "Aldi"]
    one = {"id": uid("Record", 1), "set_label": uid("Label", 1)}
    for action, expected in (("label", ["Aldi"]), ("unlabel", [])):
        question, _ = change(visitor, {**one, "do": action})
        assert question.endswith("1 record? Aldi , 1 Mar 2026 , \N{MINUS SIGN}10.00 EUR")
        assert client.names("records", "payee", labels="eq.home") == expected
    change(visitor, {"id": uid("Record", 1), "do": "category", "set_category": "none"})
    assert client.get(f"records/{uid('Record', 1)}").json["category"] is None


def test_rows_have_no_rule_while_records_are_chosen(client, visitor):
    """The form that sticks to the end of the window would cover a part of the link."""
    for query, is_there in (("", True), ("?select=all", False), ("?select=some", False)):
        links = visitor.get(f"/records{query}").html.select("td.action a")
        assert bool(links) == is_there, query


@on_one_storage
def test_all_records_that_match_are_changed_and_changed_back(client, visitor):
    path = "/records?to=2026-03-04&from=2026-02-02"
    sent = {"all": "true", "do": "note", "set_note": " checked "}
    question, notice = change(visitor, sent, path)
    assert question == (
        "Set the note of 5 records to “checked”? 4 records, together 440.00 EUR "
        "1 record, 100.00 USD"
    )
    assert notice == "Note of 5 records set to checked."
    assert len(client.names("records", "payee", note="eq.checked")) == 5
    page = visitor.get(f"{path}&changed=2")
    visitor.undo(page)
    assert client.names("records", "payee", note="is.not_null") == ["Kino"]
    change(visitor, {"all": "true", "do": "state", "set_state": "cleared"}, path)
    assert len(client.names("records", "payee", recordState="eq.cleared")) == 5
    change(visitor, {"all": "true", "do": "remove"}, path)
    assert client.names("records", "payee") == ["Out"]


@on_one_storage
def test_other_records_with_the_same_sum_are_asked_about_again(service, user, client, visitor):
    service.load(user, [record(9, payee="ZZ", amount=-5)])
    _, form = confirm(visitor, {"all": "true", "do": "remove"}, "/records?q=zz")
    service.load(user, [record(9, payee="Other", amount=-5), record(10, payee="ZZ", amount=-5)])
    page = visitor.post(form.action, form.fields, status=200)
    assert "Your data has changed since you were asked, so nothing was changed" in page.text
    assert "Delete records</h1>" in page.text
    assert client.names("records", "payee", payee="eq.ZZ") == ["ZZ"]


@on_one_storage
def test_a_mistake_of_the_choice_keeps_all_entries(service, client, visitor):
    given = {"set_category": FUN, "set_label": uid("Label", 1), "set_note": "x"}
    sent = {"csrf_token": visitor.csrf(), "all": "true", "do": "state", **given}
    page = visitor.post("/records", sent, status=400)
    (form,) = [each for each in forms(page.text) if "set_note" in each.names]
    assert {*given.items(), ("all", "true")} <= {*form.fields}


@on_one_storage
def test_thousands_of_ticked_records_are_changed_at_once(service, user, client, visitor):
    number = 5_000
    service.load(user, [record(n, payee="many", amount=-1) for n in range(10, number + 10)])
    ids = [("id", uid("Record", n)) for n in range(10, number + 10)]
    sent = [("csrf_token", visitor.csrf()), ("do", "state"), ("set_state", "cleared"), *ids]
    page = visitor.post("/records", sent, status=200)
    assert "Set the state of 5,000 records to Cleared?" in shown_text(page.text)
    (form,) = [form for form in forms(page.text) if "seen" in form.names]
    visitor.post(form.action, form.fields, status=303)
    path = "/v1/api/records?recordState=cleared&withTotal=true&limit=1"
    assert client.get(path.removeprefix("/v1/api/")).json["total"] == number
    too_many = [*sent, *ids, *ids]
    visitor.post("/records", too_many, status=413)


@on_one_storage
def test_mistakes_of_the_choice_are_reported_and_change_nothing(service, client, visitor):
    before = dump(service)
    csrf = {"csrf_token": visitor.csrf()}
    for path, sent, words in (
        ("", {}, "Choose one or more records."),
        ("", {"id": uid("Record", 1), "do": "category"}, "Choose a category."),
        ("", {"id": uid("Record", 1), "do": "label"}, "Choose a label."),
        ("", {"id": uid("Record", 1), "do": "state"}, "Choose a state."),
        ("", {"id": uid("Record", 1), "do": "note", "set_note": "a\0b"}, "Note contains"),
        ("", {"id": "x", "do": "category", "set_category": FUN}, "No record has the id x."),
        ("?from=x", {"all": "true", "do": "remove"}, "Correct the filters first."),
    ):
        page = visitor.post(f"/records{path}", {**csrf, **sent}, status=400)
        assert words in shown_text(page.text), words
    assert changed_tables(before, dump(service)) <= KEPT_FORMS


def set_in_row(visitor, number, text, path="/records", status=303, **given):
    form = visitor.form(path, f"/records/{uid('Record', number)}/category{path[8:]}")
    sent = form.filled({"category": text, **given})
    return visitor.post(form.action, sent, status=status)


def test_a_category_is_set_in_the_row_by_a_part_of_its_name(client, visitor):
    answer = set_in_row(visitor, 2, "groc", "/records?q=aldi")
    assert answer.headers["Location"].endswith(f"#c-{uid('Record', 1)}")
    assert answer.headers["Location"].startswith("/records?q=aldi&changed=")
    for number, text in ((1, "fun › cinema"), (3, "Fun")):
        set_in_row(visitor, number, text)
    found = {n: client.get(f"records/{uid('Record', n)}").json["category"] for n in (1, 2, 3)}
    assert found == {1: "Cinema", 2: "Groceries", 3: "Fun"}
    set_in_row(visitor, 3, " ")
    assert client.get(f"records/{uid('Record', 3)}").json["category"] is None


@on_one_storage
def test_a_category_for_a_record_that_is_deleted_meanwhile_is_refused(client, visitor, monkeypatch):
    form = visitor.form("/records", f"/records/{uid('Record', 1)}/category")
    monkeypatch.setattr(records.pages, "own_row", lambda *_: {"id": uid("Record", 99)})
    page = visitor.post(form.action, form.filled({"category": "fun"}), status=400)
    assert f"No record has the id {uid('Record', 99)}." in shown_text(page.text)


@on_one_storage
def test_a_category_is_added_in_the_row_by_a_button_of_its_own(client, visitor):
    path = f"/records/{uid('Record', 1)}/category"
    page = set_in_row(visitor, 1, "Garden", status=400)
    assert "There is no category Garden" in shown_text(page.text)
    (form,) = (f for f in forms(page.text) if f.action == path)
    visitor.post(path, form.fields, status=400)
    visitor.post(path, [*form.filled({"category": "Gardn"}), ("new", "Garden")], status=400)
    assert client.names("categories", "name", name="eq.Garden") == []
    page = visitor.follow(visitor.post(path, [*form.fields, ("new", "Garden")], status=303))
    assert client.get(f"records/{uid('Record', 1)}").json["category"] == "Garden"


@on_one_storage
def test_a_category_that_is_not_clear_is_refused_beside_the_row(service, client, visitor):
    before = dump(service)
    for text, words in (
        ("n", "N can be Fun, Fun › Cinema: type more of the name."),
        ("Grozeries", "There is no category Grozeries; did you mean Groceries?"),
    ):
        page = set_in_row(visitor, 1, text, status=400)
        assert words in shown_text(page.text)
        assert f'value="{text}"' in page.text
    page = set_in_row(visitor, 1, "Fun", status=400, seen=GROCERIES)
    assert "was changed elsewhere meanwhile, so it stays as it is now: none" in page.text
    assert changed_tables(before, dump(service)) <= KEPT_FORMS


@on_one_storage
def test_a_new_category_is_added_where_it_is_first_given(service, client, visitor):
    path = f"/records/{uid('Record', 3)}"
    visitor.submit(path, path, status=303, **{"new-category": " Cinema "})
    change(visitor, {"id": uid("Record", 1), "do": "category", "new-category": "Party"})
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
    assert changed_tables(before, dump(service)) <= KEPT_FORMS


@on_one_storage
def test_the_sums_have_every_currency(service, user, visitor):
    codes = list(CURRENCIES)[:120]
    accounts = [account(n, currencyCode=code) for n, code in enumerate(codes, 1)]
    rows = [record(n, accountId=each["id"]) for n, each in enumerate(accounts, 1)]
    service.load(user, [*accounts, *rows])
    page = visitor.get("/records").text
    totals = page.split('id="totals"')[1].split("</table>")[0]
    assert re.findall('class="name-text">([^<]*)', totals) == sorted(codes)
    assert "120 records" in shown_text(page)


@on_one_storage
def test_a_row_has_two_labels_and_says_how_many_more(service, user, visitor):
    labels = [label(n, name=name) for n, name in enumerate(("home", "tax", "trip", "work"), 1)]
    tagged = record(1, payee="Kiosk", labelIds=[each["id"] for each in labels])
    service.load(user, [account(1), *labels, tagged])
    page = visitor.get("/records").text
    assert "Kiosk home tax +2" in shown_text(page)
    assert 'title="trip, work"' in page
