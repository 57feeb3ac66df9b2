"""Links of saved questions: what a form depends on, and how much of the data strangers learn."""

import re
from io import BytesIO

import pytest
from openpyxl import load_workbook

from finance_api.questions.saved import change_question
from support.native_rows import account, category, record, standing_order, uid
from support.native_rows import household as native_household
from support.question_links import RECORDS, SUMMARY, UPCOMING, Linked
from support.service import on_one_storage

pytestmark = on_one_storage

GONE = "/v1/api/records?category=eq.Medicine"
GONE_SUMMARY = "/v1/api/records/summary?category=eq.Medicine&fill=true"


@pytest.fixture
def household(client):
    client.load(
        account(),
        category(1, name="Medicine: an illness"),
        record(1, payee="Bakery", amount=-4),
        record(2, payee="Bakery", amount=-5),
        standing_order(1, accountId=uid("Account", 1), recurrenceRule="FREQ=MONTHLY"),
    )
    return client


def rename(linked):
    question = linked.question
    linked.service.change(
        lambda s: change_question(s, question, name="Renamed", address=question.address, now=1)
    )


@pytest.mark.parametrize(
    ("address", "ending"), [(RECORDS, ".html"), (RECORDS, ".rss"), (UPCOMING, ".ics")]
)
def test_a_form_with_the_name_is_sent_again_after_renaming(household, address, ending):
    linked = Linked(household, address, "Bread")
    tag = linked.read(ending).headers["ETag"]
    assert linked.read(ending, If_None_Match=tag).status_int == 304
    rename(linked)
    answer = linked.read(ending, If_None_Match=tag)
    assert answer.status_int == 200
    assert "Renamed" in answer.text and "Bread" not in answer.text
    again = linked.read(ending, If_None_Match=answer.headers["ETag"])
    assert again.status_int == 304


def test_the_page_is_sent_again_in_another_time_zone(household):
    linked = Linked(household)
    tag = linked.read(".html").headers["ETag"]
    user_id = household.user.id
    linked.service.change(lambda s: s.users.update(user_id, time_zone="Asia/Tokyo"))
    answer = linked.read(".html", If_None_Match=tag)
    assert answer.status_int == 200
    assert "21:00" in answer.text


@pytest.mark.parametrize("address", [GONE, GONE_SUMMARY])
def test_a_link_suggests_no_other_name_of_its_user(household, address):
    """Hints do not get from the owner's cached responses into a link's, or the other way round."""
    path = address.removeprefix("/v1/api/")
    other = "Medicine: an illness"
    linked = Linked(household, address)
    for _ in range(2):
        for ending in (".json", ".csv", ".xlsx", ".html"):
            answer = linked.read(ending)
            assert "No category is called Medicine." in answer.text
            assert other not in answer.text
        assert other in household.get(path).json["hints"][0]
    own = household.get(f"questions/{linked.question.id}/answer")
    assert other in own.json["hints"][0]
    # The entity tag of the owner's response gets no 304 at the link.
    assert linked.read(If_None_Match=own.headers["ETag"]).status_int == 200


def test_the_page_says_that_a_category_is_gone(household):
    answer = Linked(household, GONE).read(".html")
    assert (answer.status_int, answer.content_type) == (200, "text/html")
    assert "No category is called Medicine." in answer.text


@pytest.mark.parametrize(
    ("address", "endings"),
    [(RECORDS, (".csv", ".xlsx", ".json", ".html", ".rss")), (UPCOMING, (".ics",))],
)
def test_a_downloaded_file_is_not_named_after_the_secret(household, address, endings):
    linked = Linked(household, address)
    for ending in endings:
        disposition = linked.read(ending).headers["Content-Disposition"]
        assert disposition == f'inline; filename="answer{ending}"'


def test_a_link_says_that_more_rows_match(household):
    part = Linked(household, "/v1/api/records?limit=1", "part")
    assert "More rows match; the last one here is number 1 of 2." in part.read(".html").text
    for ending in (".csv", ".xlsx"):
        assert part.read(ending).headers["X-Next-Offset"] == "1"
    whole = Linked(household, "/v1/api/records?limit=2", "whole")
    assert "More rows match" not in whole.read(".html").text
    assert whole.read(".csv").headers["X-Next-Offset"] == ""
    assert "More rows match" not in Linked(household, SUMMARY, "sums").read(".html").text


ADDRESSES = ["records", "records/summary?groupBy=category,account,label", "records/recurring"]
ADDRESSES += ["accounts/balances", "accounts/forecast", "budgets", "standing-orders/upcoming"]
ADDRESSES += ["accounts", "goals"]
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@pytest.mark.parametrize("ending", [".json", ".csv", ".xlsx", ".html"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_link_shows_no_ids_but_those_of_its_rows(client, address, ending):
    client.load(
        *native_household(),
        *(record(50 + n, payee="Gym", recordDate=f"2025-{n + 1:02}-05") for n in range(12)),
    )
    linked = Linked(client, f"/v1/api/{address}")
    answer = linked.read(ending)
    assert answer.status_int == 200
    if ending == ".xlsx":
        text = str([*load_workbook(BytesIO(answer.body)).active.values])
    else:
        text = answer.text
    own = client.get(address).json
    rows = next(value for value in own.values() if isinstance(value, list))
    of_rows = {row["id"] for row in rows if "id" in row}
    assert rows
    assert {*UUID.findall(text)} <= of_rows
    # The owner's answer has more, so the test could fail.
    assert not of_rows >= {*UUID.findall(str(own))}


def test_a_link_shows_the_ids_that_its_address_names(client):
    client.load(account(), record(1))
    linked = Linked(client, "/v1/api/records?fields=accountId")
    assert linked.read().json["records"] == [
        {"id": uid("Record", 1), "accountId": uid("Account", 1)}
    ]
