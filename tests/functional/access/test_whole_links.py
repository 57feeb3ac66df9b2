"""Links of saved questions have all rows, or say what is missing."""

import json
from io import BytesIO, StringIO

import pandas
import pytest
from icalendar import Calendar
from openpyxl import load_workbook

from finance_api.api.responding import Exchange
from finance_api.questions import asking
from finance_api.questions.asking import Asked
from support.native_rows import account, record, standing_order, uid
from support.nightly import NIGHTLY
from support.question_links import Linked
from support.service import USUAL_LIMITS, Service

RECORDS = "/v1/api/records?sortBy=amount"
FORMS = (".csv", ".xlsx", ".json", ".html")
MANY = 150


def rows_of(linked, ending):
    """The number of rows, with the row of a remark."""
    answer = linked.read(ending)
    assert answer.status_int == 200
    match ending:
        case ".csv":
            return answer.text.count("\r\n") - 1
        case ".xlsx":
            return load_workbook(BytesIO(answer.body)).active.max_row - 1
        case ".json":
            return len(next(iter(answer.json.values())))
        case ".html":
            return answer.text.count('<tr role="row">') - 1
        case ".rss":
            return answer.text.count("<item>")


@pytest.fixture
def household(client):
    rows = [record(n, amount=-n, payee=f"Payee {n}") for n in range(1, MANY + 1)]
    orders = [standing_order(1, accountId=uid("Account", 1), recurrenceRule="FREQ=DAILY")]
    client.load(account(), *rows, *orders)
    return client


@pytest.fixture
def few(client):
    client.load(account(), *(record(n, amount=-n, payee=f"Payee {n}") for n in range(1, 6)))
    return client


@pytest.mark.parametrize("address", [RECORDS, "/v1/api/records/summary?groupBy=payee"])
@pytest.mark.parametrize("ending", FORMS)
def test_a_link_has_all_rows(household, address, ending):
    linked = Linked(household, address)
    assert rows_of(linked, ending) == MANY
    # A workbook is no text; its rows are counted above.
    answer = linked.read(ending)
    assert b"More rows match" not in answer.body
    assert not answer.headers.get("X-Next-Offset")
    # The API itself, and the owner's answer, still have a page.
    own = household.get(f"questions/{linked.question.id}/answer").json
    assert len(next(iter(own.values()))) in (30, 100)


@pytest.mark.parametrize("ending", FORMS)
def test_a_limit_in_the_address_holds(household, ending):
    linked = Linked(household, f"{RECORDS}&limit=30")
    assert rows_of(linked, ending) == 30
    # No row says that more match, as a program would count it as one of the 30.
    if ending != ".json":
        assert linked.read(ending).headers["X-Next-Offset"] == "30"


def test_a_feed_has_the_newest(household):
    assert rows_of(Linked(household, RECORDS), ".rss") == 30


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="10,002 records: by night only")
@pytest.mark.parametrize("ending", FORMS)
def test_a_link_has_10_000_rows(client, ending):
    client.load(account(), *(record(n, amount=-1) for n in range(1, 10_003)))
    linked = Linked(client, RECORDS)
    assert rows_of(linked, ending) == 10_000 + (ending in (".csv", ".xlsx"))
    assert linked.read(ending).headers["X-Next-Offset" if ending != ".json" else "ETag"]


REMARK = "More rows match; the last one here is number 3 of 5."


@pytest.fixture
def three_rows(monkeypatch):
    """Links have up to three rows."""
    monkeypatch.setattr(asking, "MAX_ROWS", 3)


def test_the_last_line_of_a_file_says_what_is_missing(few, three_rows):
    linked = Linked(few, f"{RECORDS}&fields=recordDate,amount,payee,note")
    answer = linked.read(".csv")
    assert answer.text.splitlines()[-1] == f',,"{REMARK}",'
    book = load_workbook(BytesIO(linked.read(".xlsx").body)).active
    assert [cell.value for cell in book[5]] == [None, None, REMARK, None]
    # The row is below the table, so no sum or filter of the table counts it.
    assert [table.ref for table in book.tables.values()] == ["A1:D4"]


def test_headers_and_json_say_what_is_missing(few, three_rows):
    linked = Linked(few, RECORDS)
    for ending in (".csv", ".xlsx", ".html"):
        headers = linked.read(ending).headers
        assert (headers["X-Next-Offset"], headers["X-Total-Count"]) == ("3", "5"), ending
    document = linked.read(".json").json
    assert (document["nextOffset"], document["total"]) == (3, 5)
    assert REMARK in linked.read(".html").text


def test_numbers_and_days_keep_their_types_above_the_last_line(few, three_rows):
    text = Linked(few, f"{RECORDS}&fields=amount,recordDate,payee").read(".csv").text
    table = pandas.read_csv(StringIO(text), parse_dates=["recordDate"])
    assert table["amount"].sum() == -12
    assert str(table["recordDate"].dtype).startswith("datetime64")
    assert table["payee"].iloc[-1] == REMARK


def test_a_table_of_numbers_has_the_sentence_in_its_first_column(few, three_rows):
    text = Linked(few, f"{RECORDS}&fields=amount,recordDate").read(".csv").text
    assert text.splitlines()[-1] == f'"{REMARK}",'


def test_an_offset_counts_in_the_sentence(few, three_rows):
    text = Linked(few, f"{RECORDS}&offset=1").read(".csv").text
    assert "the last one here is number 4 of 5." in text.splitlines()[-1]
    assert "More rows" not in Linked(few, f"{RECORDS}&offset=2", "rest").read(".csv").text


def events(answer):
    return [str(event["summary"]) for event in Calendar.from_ical(answer.body).walk("VEVENT")]


def test_a_calendar_has_all_occurrences_or_says_that_more_follow(household):
    address = f"/v1/api/standing-orders/upcoming?days={MANY}"
    whole = events(Linked(household, address).read(".ics"))
    assert len(whole) == MANY
    assert "More" not in str(whole)
    *part, last = events(Linked(household, f"{address}&limit=100", "part").read(".ics"))
    assert len(part) == 100
    assert last == "More rows match; the last one here is number 100 of 150."


def test_totals_in_place_of_rows_miss_none(household):
    address = f"/v1/api/standing-orders/upcoming?days={MANY}&limit=100&rows=totals"
    linked = Linked(household, address)
    assert "More rows match" not in linked.read(".csv").text
    # No form of the link has the rows.
    assert events(linked.read(".ics")) == []
    assert "number 100 of 150" not in linked.read(".html").text


@pytest.fixture(scope="module")
def usual():
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


def left(answer):
    return int(answer.headers["X-RateLimit-Remaining"])


def test_a_long_answer_costs_as_much_as_an_export(usual):
    client = usual.client()
    client.load(account(), *(record(n) for n in range(1, 1_102)))
    linked = Linked(client, RECORDS)
    first = linked.read(".csv")
    # 1, and 1 for each 1,000 rows or part of them.
    assert left(first) == 60 - 3
    assert left(linked.read(".csv")) == 60 - 6
    assert left(linked.read(".csv", method="HEAD")) == 60 - 7
    tag = first.headers["ETag"]
    assert left(linked.read(".csv", If_None_Match=tag)) == 60 - 7


@pytest.mark.parametrize(
    ("address", "cost"),
    [
        ("/v1/api/records?limit=100", 1),
        ("/v1/api/records/summary?groupBy=payee&limit=101", 2),
        ("/v1/api/records/summary?groupBy=payee&limit=1000", 2),
        ("/v1/api/accounts/balances?interval=day&from=2026-01-01&to=2026-04-10", 1),
        ("/v1/api/accounts/balances?interval=day&from=2026-01-01&to=2026-04-11", 2),
    ],
)
def test_more_than_100_rows_cost_as_much_as_an_export_of_them(usual, address, cost):
    client = usual.client()
    rows = [record(n, payee=f"Payee {n}", recordDate="2026-01-01T12:00:00Z") for n in range(1, 152)]
    client.load(account(), *rows)
    linked = Linked(client, address)
    assert left(linked.read(".csv")) == 60 - cost
    assert left(linked.read(".html")) == 60 - 2 * cost


def test_a_long_answer_that_the_quota_does_not_cover_is_refused(usual):
    client = usual.client()
    client.load(account(), *(record(n) for n in range(1, 1_102)))
    linked = Linked(client, RECORDS)
    statuses = [linked.read(".csv").status_int for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    answer = linked.read(".csv")
    assert "Too many requests" in answer.json["detail"]
    usual.clock.advance(60)
    assert "This answer costs 3 requests" in linked.read(".csv").json["detail"]


def test_an_answer_that_the_quota_does_not_cover_is_not_made(usual, monkeypatch):
    done = []
    for owner, name in ((Asked, "answer"), (Exchange, "complete")):
        real = getattr(owner, name)

        def noted(*arguments, real=real, name=name):
            done.append(name)
            return real(*arguments)

        monkeypatch.setattr(owner, name, noted)
    client = usual.client()
    client.load(account(), *(record(n) for n in range(1, 1_102)))
    linked = Linked(client, RECORDS)
    for _ in range(19):
        linked.read(".csv")
    assert done == ["answer", "complete"]
    assert left(linked.read(".csv")) == 0
    usual.clock.advance(60)
    done.clear()
    for ending in (".html", ".csv", ".json", ".xlsx"):
        refused = linked.read(ending)
        assert (refused.status_int, left(refused)) == (429, 1)
    assert not done
    # New rows are counted once, but not written.
    client.load(record(2_000))
    for _ in range(3):
        assert linked.read(".html").status_int == 429
    assert done == ["answer"]
    # Refusals have cost nothing.
    usual.clock.advance(120)
    assert linked.read(".html").status_int == 200


def test_clients_with_the_page_of_before_get_the_whole(household):
    """The limit is part of the entity tag."""
    linked = Linked(household, RECORDS)
    tags = {linked.read(".csv").headers["ETag"] for _ in range(2)}
    limited = Linked(household, f"{RECORDS}&limit=100", "limited")
    assert limited.read(".csv").headers["ETag"] not in tags
    assert len(tags) == 1


@pytest.mark.parametrize("columns", ["net,count,expense", "lastDate,net,firstDate,count"])
def test_the_columns_of_a_summary_keep_their_order_in_all_forms(few, columns):
    names = columns.split(",")
    path = f"records/summary?groupBy=month&columns={columns}"
    assert [each for each in few.get(path).json["groups"][0] if each in names] == names
    linked = Linked(few, f"/v1/api/{path}")
    heading = linked.read(".csv").text.splitlines()[0].split(",")
    sheet = load_workbook(BytesIO(linked.read(".xlsx").body)).active
    ndjson = few.get(path.replace("?", ".ndjson?"))
    for found in (heading, [cell.value for cell in sheet[1]], list(json.loads(ndjson.body))):
        assert [each for each in found if each in names] == names
    page = linked.read(".html").text
    words = {"lastDate": "Last date", "firstDate": "First date"}
    places = [page.index(f">{words.get(each, each.capitalize())}<") for each in names]
    assert places == sorted(places)
