"""GET /internal/v1/get-records: transactions, their range, order and pages."""

from decimal import Decimal

import pytest

from finance_api.serialization.documents import TRANSACTION_FIELDS
from support.native_rows import account, category, household, payees, record, uid

PATH = "get-records"
FIELDS = ["id", "note", "payee", "amount", "currency", "record_date", "category", "record_state"]


def shown(client, field="id", **query):
    """GET records, which must return 200. Return the values of one field, ids as numbers."""
    response = client.internal(PATH, **query)
    assert response.status_int == 200, response.text
    values = [row[field] for row in response.json["transactions"]]
    return [int(value[-12:], 16) for value in values] if field == "id" else values


def faults(response):
    assert response.status_int == 400, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    return {fault["name"]: fault["message"] for fault in response.json["errors"]}


def fault(client, name, **query):
    found = faults(client.internal(PATH, **query))
    assert list(found) == [name], found
    return found[name]


# -- what a transaction is


def test_a_transaction_has_the_documented_fields_in_their_order(client):
    client.load(
        account(currencyCode="CHF"),
        category(name="Food"),
        record(
            1,
            amount=Decimal("-42.50"),
            recordDate="2026-03-18T09:30:15+01:00",
            categoryId=uid("Category", 1),
            payee="Corner Shop",
            note="weekly shopping",
            recordState="cleared",
            paymentType="cash",
        ),
    )
    response = client.internal(PATH)
    assert response.headers["Content-Type"] == "application/json"
    assert list(response.json) == ["transactions"]
    (row,) = response.json["transactions"]
    assert list(row) == FIELDS == list(TRANSACTION_FIELDS)
    assert row == {
        "id": uid("Record", 1),
        "note": "weekly shopping",
        "payee": "Corner Shop",
        "amount": -42.5,
        "currency": "CHF",
        "record_date": "2026-03-18T08:30:15Z",
        "category": "Food",
        "record_state": "active",
    }
    assert '"amount":-42.5,' in response.text


def test_missing_values_are_null_and_a_date_is_its_midnight(client):
    client.load(account(), record(1, recordDate="2026-03-18"))
    (row,) = client.internal(PATH).json["transactions"]
    assert [row["note"], row["payee"], row["category"]] == [None] * 3
    assert row["record_date"] == "2026-03-18T00:00:00Z"


def test_no_data_is_an_empty_list(client):
    assert client.internal(PATH).json == {"transactions": []}


def test_only_void_records_are_void(client):
    states = ("reconciled", "cleared", "uncleared", "void", None)
    client.load(account(), *(record(n, recordState=s) for n, s in enumerate(states, 1)))
    expected = ["active", "active", "active", "void", "active"]
    assert shown(client, "record_state", sort_by="id") == expected


def test_amounts_are_exact(client):
    texts = ("900719925474099.3001", "-922337203685477.5807", "0.0001", "0", "-1000000")
    client.load(account(), *(record(n, amount=Decimal(t)) for n, t in enumerate(texts, 1)))
    response = client.internal(PATH, sort_by="id")
    for text in texts:
        assert f'"amount":{text},' in response.text
        assert shown(client, min_amount=text, max_amount=text) == [texts.index(text) + 1]


# -- ranges


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"min_amount": "5"}, [5, 6]),
        ({"min_amount": "5.0000"}, [5, 6]),
        ({"min_amount": "+5"}, [5, 6]),
        ({"min_amount": " 5"}, [5, 6]),
        ({"min_amount": "5.0001"}, [6]),
        ({"min_amount": "4.99990000001"}, [5, 6]),
        ({"max_amount": "-10.5"}, [1]),
        ({"max_amount": "-10.500000000001"}, []),
        ({"max_amount": "0"}, [1, 2, 3]),
        ({"max_amount": "-0"}, [1, 2, 3]),
        ({"min_amount": "0", "max_amount": "0"}, [3]),
        ({"min_amount": "-10.5", "max_amount": "4.9999"}, [1, 2, 3, 4]),
        ({"min_amount": "0.00001", "max_amount": "0.00001"}, []),
        ({"min_amount": "0.00001", "max_amount": "0.00002"}, []),
        ({"min_amount": "9" * 256}, []),
        ({"max_amount": "9" * 256}, [1, 2, 3, 4, 5, 6]),
        ({"min_amount": "-" + "9" * 255}, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_amounts_are_bounded_inclusively_and_exactly(client, query, expected):
    amounts = ("-10.5", "-0.0001", "0", "4.9999", "5", "700")
    client.load(account(), *(record(n, amount=Decimal(a)) for n, a in enumerate(amounts, 1)))
    assert shown(client, sort_by="id", **query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"date_from": "2026-03-18"}, [2, 3, 4, 5]),
        ({"date_to": "2026-03-18"}, [1, 2, 3, 4]),
        ({"date_from": "2026-03-18", "date_to": "2026-03-18"}, [2, 3, 4]),
        ({"date_from": "2026-03-18T08:00:00Z"}, [3, 4, 5]),
        ({"date_from": "2026-03-18T08:00:00.001Z"}, [4, 5]),
        ({"date_to": "2026-03-18T08:00:00Z"}, [1, 2, 3]),
        ({"date_to": "2026-03-18T07:59:59.999Z"}, [1, 2]),
        ({"date_to": "2026-03-18T08:00"}, [1, 2, 3]),
        ({"date_from": "2026-03-18T10:00:00+02:00"}, [3, 4, 5]),
        ({"date_from": "2026-03-18T10:00:00 02:00"}, [3, 4, 5]),
        ({"date_to": "2026-03-18T10:00:00 02:00"}, [1, 2, 3]),
        ({"date_to": "2026-03-18T03:00:00-05:00"}, [1, 2, 3]),
        ({"date_from": "2026-03-18T08:00:00Z", "date_to": "2026-03-18"}, [3, 4]),
        ({"date_from": "2026-03-18T08:00:00Z", "date_to": "2026-03-18T08:00:00Z"}, [3]),
        ({"date_from": "2026-03-18T10:00:00 02:00", "date_to": "2026-03-18T08:00Z"}, [3]),
        ({"date_from": "2026-03-18T23:59:59.5Z", "date_to": "2026-03-18"}, []),
        ({"date_from": "2026-03-19", "date_to": "2026-03-19"}, [5]),
        ({"date_from": "0001-01-01", "date_to": "9999-12-31"}, [1, 2, 3, 4, 5]),
    ],
)
def test_dates_are_bounded_inclusively_and_a_last_day_counts_to_its_end(client, query, expected):
    times = ("17T23:59:59Z", "18", "18T08:00:00Z", "18T23:59:59Z", "19T00:00:00Z")
    client.load(account(), *(record(n, recordDate=f"2026-03-{t}") for n, t in enumerate(times, 1)))
    assert shown(client, sort_by="id", **query) == expected


def test_a_plus_as_it_stands_in_a_url_is_read_as_a_plus(client):
    client.load(account(), record(1, amount=5, recordDate="2026-03-18T08:00:00Z"))
    for query in ("min_amount=+5", "date_to=2026-03-18T10:00:00+02:00", "sort_by=+amount"):
        assert len(client.internal(f"{PATH}?{query}").json["transactions"]) == 1, query


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (("min_amount", "0.00002"), ("max_amount", "0.00001"), "is greater than max_amount"),
        (("min_amount", "-1"), ("max_amount", "-2"), "is greater than max_amount"),
        (("date_from", "2026-03-19"), ("date_to", "2026-03-18"), "is later than date_to"),
        (("date_from", "2026-03-18"), ("date_to", "2026-03-17T23:59:59Z"), "is later than date_to"),
        (
            ("date_from", "2026-03-18T10:00:00Z"),
            ("date_to", "2026-03-18T10:00:00 02:00"),
            "is later than date_to",
        ),
    ],
)
def test_a_range_that_ends_before_it_begins_is_refused(client, low, high, message):
    assert fault(client, low[0], **dict([low, high])) == message


@pytest.mark.parametrize("name", ["min_amount", "max_amount"])
def test_what_is_no_decimal_number_is_refused(client, name):
    for text in (
        *("", "abc", "1e3", "NaN", "Infinity", "1,5", "1_000", "٣", "--1", ".5", "5.", "  1"),
    ):
        assert "is not a decimal number" in fault(client, name, **{name: text})
    for text in ("gte.5", "9" * 257):
        assert fault(client, name, **{name: text})


@pytest.mark.parametrize("name", ["date_from", "date_to"])
def test_what_is_no_date_is_refused(client, name):
    for text in (
        *("", "today", "2026-02-30", "2026-13-01", "2026-3-1", "20260318", "0000-01-01"),
        *("2026-03-18T25:00:00Z", "2026-03-18T10:00:00+25:00", "2026-03-18 10:00:00", "1773792000"),
        *("gte.2026-03-18", "2026-03-18,2026-03-19", "2026-W12-3"),
    ):
        assert fault(client, name, **{name: text})


# -- order


@pytest.mark.parametrize("field", FIELDS)
def test_any_field_of_a_transaction_can_be_sorted_by(client, field):
    client.load(*household())
    values = [v for v in shown(client, field, sort_by=field) if v is not None]
    assert values == sorted(values)
    found = shown(client, field, sort_by=f"-{field}")
    assert [v for v in found if v is not None] == values[::-1]
    assert found == sorted(found, key=lambda value: value is None)


def test_the_newest_come_first_unless_asked_otherwise(client):
    times = ("18T08:00:00Z", "18T09:00:00Z", "17", "18T09:00:00Z")
    client.load(account(), *(record(n, recordDate=f"2026-03-{t}") for n, t in enumerate(times, 1)))
    assert shown(client) == [2, 4, 1, 3]
    assert shown(client, sort_by="-record_date") == [2, 4, 1, 3]
    assert shown(client, sort_by="record_date") == [3, 1, 2, 4]


def test_several_fields_and_every_way_to_write_a_sign(client):
    rows = (("2026-03-17", 5), ("2026-03-18", 7), ("2026-03-18", -7), ("2026-03-17", 5))
    client.load(account(), *(record(n, recordDate=d, amount=a) for n, (d, a) in enumerate(rows, 1)))
    for text in ("-record_date,+amount", "-record_date, amount", "-record_date,amount"):
        assert shown(client, sort_by=text) == [3, 2, 1, 4]
    for text in ("+amount", " amount", "amount", "amount,id", "amount,-amount"):
        assert shown(client, sort_by=text) == [3, 1, 4, 2]
    assert shown(client, sort_by="-amount,-id") == [2, 4, 1, 3]


def test_states_are_ordered_as_they_are_shown(client):
    states = ("void", "uncleared", None, "cleared", "void", "reconciled")
    client.load(account(), *(record(n, recordState=s) for n, s in enumerate(states, 1)))
    assert shown(client, sort_by="record_state") == [2, 3, 4, 6, 1, 5]
    assert shown(client, sort_by="-record_state") == [1, 5, 2, 3, 4, 6]
    assert shown(client, sort_by="-record_state,-id") == [5, 1, 6, 4, 3, 2]


def test_missing_values_come_last_in_both_directions(client):
    client.load(*payees("b", None, "a", None))
    assert shown(client, sort_by="payee") == [3, 1, 2, 4]
    assert shown(client, sort_by="-payee") == [1, 3, 2, 4]


def test_an_order_that_is_empty_or_unknown_is_refused_with_the_fields_it_takes(client):
    for text in (
        *("", ",", "amount,", "-", "+", " ", "nope", "-nope", "recordDate", "currencyCode"),
        *("account_id", "labels", "Amount", "--amount", "+-amount", "amount desc", "amount;id"),
    ):
        assert "; it takes " + ", ".join(FIELDS) in fault(client, "sort_by", sort_by=text)


# -- pages


def test_limit_is_30_unless_given_and_300_at_most(client):
    client.load(account(), *(record(n) for n in range(1, 311)))
    assert len(shown(client)) == 30
    for limit in (1, 30, 299, 300):
        assert shown(client, limit=limit) == list(range(1, limit + 1))
    for limit in ("0", "301", "-1", "1000", "", "abc", "1.0", "1e2", " 1", "+1", "٣"):
        assert "whole number from 1 to 300" in fault(client, "limit", limit=limit)


def test_offset_skips_rows(client):
    client.load(account(), *(record(n) for n in range(1, 6)))
    assert shown(client, offset=0) == [1, 2, 3, 4, 5]
    assert shown(client, offset=3) == [4, 5]
    assert shown(client, offset=5) == shown(client, offset=2147483647) == []
    for offset in ("-1", "2147483648", "", "abc"):
        assert "whole number from 0 to 2147483647" in fault(client, "offset", offset=offset)


def test_links_lead_through_all_pages(client):
    client.load(account(), *(record(n, amount=-n) for n in range(1, 8)))
    path, seen = f"{PATH}?limit=3&sort_by=%2Bamount&max_amount=-1", []
    while path:
        response = client.internal(path)
        assert list(response.json) == ["transactions"]
        seen += [row["amount"] for row in response.json["transactions"]]
        link = response.headers.get("Link")
        if link is None:
            break
        assert link.startswith("</internal/v1/get-records?")
        assert link.endswith('>; rel="next"')
        path = link.partition(">")[0].removeprefix("</internal/v1/")
    assert seen == [-7, -6, -5, -4, -3, -2, -1]
    assert "Link" not in client.internal(PATH, limit=7).headers


# -- what is refused


def test_every_fault_of_a_request_is_reported(client):
    wrong = {"limit": 0, "offset": -1, "sort_by": "x", "min_amount": "2", "date_to": "x", "y": "1"}
    found = faults(client.internal(PATH, max_amount="1", **wrong))
    assert set(found) == {"limit", "offset", "sort_by", "min_amount", "date_to", "y"}


# -- conditional requests


def test_the_tag_is_of_what_is_asked_and_not_of_how(client):
    def tag(query):
        response = client.internal(f"{PATH}?{query}")
        assert response.status_int == 200, response.text
        return response.headers["ETag"]

    same = [
        ("", "limit=30", "offset=00", "sort_by=-record_date", "sort_by=-record_date,record_date"),
        ("sort_by=amount", "sort_by=%2Bamount", "sort_by=+amount", "sort_by=amount,-amount"),
        ("min_amount=1&max_amount=2", "max_amount=2.0&min_amount=%2B1.00"),
        ("date_from=2026-03-18T08:00:00Z", "date_from=2026-03-18T10:00:00+02:00"),
    ]
    for group in same:
        assert len({tag(query) for query in group}) == 1, group
    different = [
        *("", "limit=29", "offset=1", "sort_by=amount", "sort_by=-amount", "sort_by=record_state"),
        *("min_amount=1", "max_amount=1", "min_amount=1.00001", "date_from=2026-03-18"),
        *("date_to=2026-03-18", "date_to=2026-03-18T00:00:00Z", "sort_by=amount,note"),
    ]
    tags = [tag(query) for query in different]
    tags.append(client.get("records").headers["ETag"])
    assert len(set(tags)) == len(tags)
