"""From a list to one of its rows, and back to the same filter, page, order and row."""

from urllib.parse import urlencode

import pytest

from support.browser import location, new_token
from support.html import forms, shown_text
from support.native_rows import account, label, record, uid
from support.service import Client, on_one_storage

#: The second page of a filtered list, the largest expense first.
LIST = "/records?q=shop&sort=amount&offset=50"


@pytest.fixture
def client(service, user):
    shops = [record(n, payee=f"Shop {n}", amount=-1000 + n) for n in range(1, 121)]
    labels = [label(n, name=f"label {n:03}") for n in range(1, 61)]
    rows = [account(1), record(200, payee="Salary", amount=500), *shops, *labels]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))


def links(visitor, path):
    """Return the links in the content of a page: text -> address."""
    return {" ".join(a.text.split()): a["href"] for a in visitor.get(path).html.select("main a")}


def row(n):
    return f"#r-{uid('Record', n)}"


def test_saving_cancelling_and_going_back_lead_to_the_row_of_the_list(client, visitor):
    path = links(visitor, LIST)["Shop 60"]
    found = links(visitor, path)
    assert found["← Records"] == found["Cancel"] == LIST + row(60)
    assert f'id="r-{uid("Record", 60)}"' in visitor.get(found["Cancel"].partition("#")[0]).text
    answer = visitor.submit(path, path, note="milk", status=303)
    assert answer.headers["Location"] == f"{LIST}&changed=2{row(60)}"
    page = visitor.follow(answer)
    assert "Note of Shop 60: none → milk." in shown_text(page.text)
    # The undo of the notice stays in the list, too.
    assert location(visitor.undo(page)) == f"{LIST}&done=undone"


def test_each_page_of_a_record_leads_back_to_the_list(client, visitor):
    path = links(visitor, LIST)["Shop 60"]
    found = links(visitor, path)
    for name in ("Split", "Link as a transfer", "Delete"):
        assert path in links(visitor, found[name]).values(), name
    assert links(visitor, found["Make a rule"])["← Records"] == LIST + row(60)
    page = found["Split"]
    (form,) = [form for form in forms(visitor.get(page).text) if "part" in form.names]
    refused = visitor.post(form.action, form.fields, status=400)
    assert path in {a["href"] for a in refused.html.select("main a")}
    form = visitor.form(found["Delete"])
    assert location(visitor.post(form.action, form.fields)) == f"{LIST}&changed=2"


def test_neighbours_follow_the_order_of_the_list_across_its_pages(client, visitor):
    path = links(visitor, LIST)["Shop 51"]
    passed = []
    for way in ("Previous record", "Next record", "Next record"):
        path = links(visitor, path)[way]
        passed.append(visitor.get(path).html.h1.text)
    assert passed == ["Shop 50", "Shop 51", "Shop 52"]
    before = links(visitor, links(visitor, LIST)["Shop 51"])["Previous record"]
    assert links(visitor, before)["Cancel"] == f"/records?q=shop&sort=amount{row(50)}"
    first = links(visitor, links(visitor, "/records?q=shop&sort=amount")["Shop 1"])
    last = links(visitor, links(visitor, "/records?q=shop&sort=amount&offset=100")["Shop 120"])
    assert "Previous record" not in first and "Next record" in first
    assert "Next record" not in last and "Previous record" in last


@on_one_storage
@pytest.mark.parametrize(
    "back",
    [
        *("/labels", "/records?q=nothing", "/records?min=x&sort=y&offset=z&size=7", "/records/x"),
        *("https://elsewhere.example/", "//elsewhere.example", "/v1/api/records", "x", ""),
    ],
)
def test_a_record_of_no_list_has_no_neighbours_and_no_way_elsewhere(client, visitor, back):
    path = f"/records/{uid('Record', 60)}?{urlencode({'back': back})}"
    found = links(visitor, path)
    has_neighbours = {"Previous record", "Next record"} <= found.keys()
    assert has_neighbours == ("min=x" in back)
    is_page = back.startswith("/") and not back.startswith(("//", "/v1"))
    assert found["Cancel"] == (f"{back}{row(60)}" if is_page else "/records")
    answer = visitor.submit(path, path, note="milk", status=303)
    assert "elsewhere" not in location(answer) and "/v1" not in location(answer)


def test_a_record_that_was_added_is_shown_in_the_list_it_was_added_from(client, visitor):
    path = links(visitor, LIST)["Add a record"]
    assert links(visitor, path)["Cancel"] == LIST
    (form,) = [form for form in forms(visitor.get(path).text) if "form-id" in form.names]
    refused = visitor.post(form.action, form.filled({"amount": "x"}), status=400)
    (form,) = [form for form in forms(refused.text) if "form-id" in form.names]
    sent = form.filled({"amount": "5", "payee": "Shop"})
    again = location(visitor.post(form.action, [*sent, ("then", "another")]))
    assert again.endswith(f"&{urlencode({'back': LIST})}&changed=2")
    (form,) = [form for form in forms(visitor.get(path).text) if "form-id" in form.names]
    answer = visitor.post(form.action, form.filled({"amount": "5", "payee": "Shop"}))
    assert answer.headers["Location"].startswith(f"{LIST}&changed=3#r-")


def test_lists_of_other_objects_are_returned_to_at_their_row(client, visitor):
    path = links(visitor, "/labels?offset=50")["label 055"]
    place = f"#r-{uid('Label', 55)}"
    assert links(visitor, path)["Cancel"] == f"/labels?offset=50{place}"
    assert place[1:] in visitor.get("/labels?offset=50").text
    answer = visitor.submit(path, path, name="label 055b", status=303)
    assert answer.headers["Location"] == f"/labels?offset=50&changed=2{place}"
    removal = links(visitor, path)["Remove"]
    assert links(visitor, removal)["Keep it"] == f"/labels?offset=50{place}"
    form = visitor.form(removal)
    assert location(visitor.post(form.action, form.fields)) == "/labels?offset=50&changed=3"


@on_one_storage
def test_a_form_that_is_kept_still_leads_back(service, client, user, visitor):
    path = links(visitor, LIST)["Shop 60"]
    form = visitor.form(path)
    service.clock.advance(90 * 86_400)
    answer = visitor.post(form.action, form.filled({"note": "milk"}), status=303)
    assert "login" in location(answer) and "back" in location(answer)


def test_a_page_that_a_change_removed_leads_to_the_page_above_it_with_the_notice(client, visitor):
    path = f"/records/{uid('Record', 60)}"
    form = visitor.form(f"{path}/remove?{urlencode({'back': path})}")
    gone = visitor.post(form.action, form.fields)
    assert location(gone) == f"{path}?changed=2"
    above = visitor.follow(gone, status=303)
    assert location(above) == "/records?changed=2"
    page = visitor.follow(above)
    assert "Record Shop 60 of " in shown_text(page.text)
    visitor.undo(page)
    visitor.get(path, status=200)


def test_the_page_of_a_payee_is_returned_to_when_its_last_record_has_another_payee(client, visitor):
    path = links(visitor, "/payee?name=Shop+60")["Shop 60"]
    page = visitor.follow(visitor.submit(path, path, payee="Shop 60b", status=303))
    assert page.request.path_qs == "/payee?name=Shop+60&changed=2"
    assert "No record has this payee." in shown_text(page.text)
    visitor.follow(visitor.undo(page))
    assert "Shop 60" in links(visitor, "/payee?name=Shop+60")


def test_the_page_of_a_payee_leads_back_to_where_it_was_opened(client, visitor):
    found = links(visitor, "/payees?q=salary")
    payee = links(visitor, found["Salary"])
    assert payee["← Back"] == "/payees?q=salary"
    record_path = links(visitor, "/records?q=shop&offset=50")["Shop 60"]
    payee = links(visitor, links(visitor, record_path)["About this payee"])
    assert payee["← Back"] == record_path
    assert links(visitor, "/payee?name=Salary")["← Records"] == "/records"
