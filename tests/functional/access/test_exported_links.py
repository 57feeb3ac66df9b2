"""Exports as saved questions: CSV, workbooks and NDJSON have all rows; other forms have pages."""

from io import BytesIO

import pytest
from openpyxl import load_workbook

from finance_api.questions import asking
from functional.planning.test_answers import Asking
from support.native_rows import account, record
from support.question_links import Linked
from support.service import USUAL_LIMITS, Service, on_one_storage

EXPORT = "/v1/api/export/records?sortBy=amount&payee=contains.Payee"
MANY = 40


@pytest.fixture
def household(client):
    rows = [record(n, amount=-n, payee=f"Payee {n}") for n in range(1, MANY + 1)]
    client.load(account(), *rows, record(99, payee="Other"))
    return client


def test_a_link_of_an_export_has_all_rows(household, monkeypatch):
    monkeypatch.setattr(asking, "MAX_ROWS", 3)
    linked = Linked(household, EXPORT)
    csv = linked.read(".csv")
    assert csv.content_type == "text/csv"
    assert csv.headers["Content-Disposition"] == 'inline; filename="answer.csv"'
    assert csv.headers["X-Total-Count"] == str(MANY)
    heading, *lines = csv.text.splitlines()
    assert len(lines) == MANY
    assert "Other" not in csv.text
    # A link hides ids of other objects.
    assert "accountId" not in heading
    sheet = load_workbook(BytesIO(linked.read(".xlsx").body)).active
    assert sheet.max_row == MANY + 1
    assert len(linked.read(".json").json["records"]) == 3
    assert "number 3 of 40" in linked.read(".html").text
    assert linked.read(".rss").status_int == 404
    again = linked.read(".csv", If_None_Match=csv.headers["ETag"])
    assert again.status_int == 304


def test_the_owner_s_answer_is_the_export_or_a_page_of_the_list(household):
    asking_for = Asking(household)
    question = asking_for.save(EXPORT)
    for suffix in (".csv", ".ndjson", ".xlsx"):
        direct = household.get(f"export/records{suffix}?sortBy=amount&payee=contains.Payee")
        # Commands ask without a token, so without a quota.
        inside = asking_for.answer(question, suffix)
        assert inside.body == direct.body
        over_http = household.get(f"questions/{question.id}/answer{suffix}")
        assert over_http.body == direct.body
        assert over_http.headers["ETag"] == inside.headers["ETag"] == direct.headers["ETag"]
    path = f"questions/{question.id}/answer"
    page = household.get("records?sortBy=amount&payee=contains.Payee").json
    assert household.get(path).json == page
    assert len(page["records"]) == 30
    rows = household.get(path, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    assert len(rows) == MANY


@on_one_storage
def test_an_export_that_lost_its_category_is_refused_at_a_link(client):
    client.load(account(), record(1))
    linked = Linked(client, "/v1/api/export/records?category=eq.Groceries")
    for ending in (".csv", ".xlsx"):
        answer = linked.read(ending)
        assert answer.status_int == 409
        assert "No category is called Groceries" in answer.json["detail"]


def test_an_export_costs_a_link_as_much_as_a_token():
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    client = service.client()
    client.load(account(), *(record(n) for n in range(1, 1_102)))
    linked = Linked(client, "/v1/api/export/records")
    assert linked.read(".csv").headers["X-RateLimit-Remaining"] == str(60 - 3)
    assert linked.read(".csv", method="HEAD").headers["X-RateLimit-Remaining"] == str(60 - 4)
    service.stop()
