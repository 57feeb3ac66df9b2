"""GET /v1/api/records/summary. The clock is set to 2026-03-18."""

import json
from decimal import Decimal

import pytest

from support.native_rows import account, category, label, record, uid


def summary(client, **query):
    return client.exact("records/summary", **query)


def cells(client, *names, **query):
    """Return some columns of the groups."""
    return [tuple(group[name] for name in names) for group in summary(client, **query)["groups"]]


@pytest.fixture
def books(client):
    """Two currencies, a tree of categories, a void record, a transfer, an excluded account."""
    client.load(
        account(1, name="Giro"),
        account(2, name="Francs", currencyCode="CHF"),
        account(3, name="Hidden", excludeFromStats=True),
        category(1, name="Food", group="Living"),
        category(2, name="Bread", parentId=uid("Category", 1)),
        category(3, name="Salary", group="Income"),
        label(1, name="home"),
        label(2, name="trip"),
        record(1, amount=-10, recordDate="2026-01-05", categoryId=uid("Category", 1)),
        record(2, amount=-2.5, recordDate="2026-01-31", categoryId=uid("Category", 2)),
        record(3, amount=-4, recordDate="2026-03-01", categoryId=uid("Category", 2)),
        record(
            4, amount=2000, recordDate="2026-03-02", categoryId=uid("Category", 3), payee="ACME"
        ),
        record(5, amount=-1, recordDate="2026-03-03", labelIds=[uid("Label", n) for n in (1, 2)]),
        record(6, amount=-7, recordDate="2026-03-03", accountId=uid("Account", 2)),
        record(7, amount=-100, recordDate="2026-03-04", recordState="void"),
        record(8, amount=-200, recordDate="2026-03-04", transferId=uid("Record", 77)),
        record(9, amount=-400, recordDate="2026-03-04", accountId=uid("Account", 3)),
    )
    return client


def test_groups_have_names_ids_and_sums(books):
    found = summary(books, groupBy="category,month", recordDate="gte.2026-01-01", limit=1)
    assert found == {
        "groups": [
            {
                "currencyCode": "CHF",
                "category": None,
                "categoryId": None,
                "month": "2026-03",
                "periodStart": "2026-03-01",
                "count": 1,
                "income": 0,
                "expense": -7,
                "net": -7,
                "firstDate": "2026-03-03",
                "lastDate": "2026-03-03",
            }
        ],
        "leftOut": {"void": 1, "transfers": 1, "excluded": 1},
        "overlapping": False,
        "groupCount": 6,
        "limit": 1,
        "offset": 0,
        "nextOffset": 1,
        "revision": 1,
    }


def test_without_groups_there_is_one_for_each_currency(books):
    names = ("currencyCode", "count", "income", "expense", "net", "firstDate", "lastDate")
    assert cells(books, *names) == [
        ("CHF", 1, 0, -7, -7, "2026-03-03", "2026-03-03"),
        ("EUR", 5, 2000, Decimal("-17.5"), Decimal("1982.5"), "2026-01-05", "2026-03-03"),
    ]


def test_what_is_left_out_is_counted_and_can_be_included(books):
    assert summary(books)["leftOut"] == {"void": 1, "transfers": 1, "excluded": 1}
    expenses = {}
    for include in ("void", "transfers", "excluded", "excluded,void,transfers"):
        found = summary(books, include=include, currencyCode="EUR")
        expenses[include] = found["groups"][0]["expense"] + Decimal("17.5")
        left = {k: int(k not in include) for k in ("void", "transfers", "excluded")}
        assert found["leftOut"] == left
    assert list(expenses.values()) == [-100, -200, -400, -700]
    # An excluded account is included if the request names its id.
    found = summary(books, accountId=uid("Account", 3))
    assert found["groups"][0]["net"] == -400
    assert found["leftOut"] == {"void": 0, "transfers": 0, "excluded": 0}
    assert summary(books, accountName="eq.Hidden")["leftOut"]["excluded"] == 1


def test_a_record_with_two_labels_counts_in_both_and_that_is_reported(books):
    found = summary(books, groupBy="label", currencyCode="EUR")
    assert found["overlapping"] is True
    assert [group["count"] for group in found["groups"]] == [1, 1, 4]
    assert summary(books, groupBy="label", currencyCode="CHF")["overlapping"] is False
    assert summary(books, groupBy="month")["overlapping"] is False


def test_empty_periods_can_be_filled_between_the_first_and_the_last_that_are_asked(books):
    query = {"groupBy": "category,month", "category": "eq.Bread"}
    assert cells(books, "month", "count", "net", fill="true", **query) == [
        ("2026-01", 1, Decimal("-2.5")),
        ("2026-02", 0, 0),
        ("2026-03", 1, -4),
    ]
    found = cells(books, "month", "firstDate", fill="true", recordDate="gte.2025-12-15", **query)
    assert found[0] == ("2025-12", None)
    bounds = "gte.2026-01-31,lt.2026-05-01"
    found = cells(books, "month", fill="true", recordDate=bounds, **query)
    assert found == [("2026-01",), ("2026-02",), ("2026-03",), ("2026-04",)]
    assert cells(books, "year", "month", fill="true", groupBy="year,month", currencyCode="CHF") == [
        ("2026", "2026-03")
    ]


@pytest.mark.parametrize("period", ["month", "week"])
def test_without_records_each_period_has_a_group_for_every_weekday(books, period):
    query = {"groupBy": f"weekday,{period}", "payee": "eq.Nobody", "recordDate": "eq.2026-02-03"}
    found = cells(books, "weekday", "weekdayName", "count", fill="true", **query)
    assert [(number, name[:3], count) for number, name, count in found] == [
        (number, name, 0)
        for number, name in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), 1)
    ]


def test_without_records_each_period_has_a_group_for_income_and_for_expenses(books):
    query = {"groupBy": "recordType,month", "payee": "eq.Nobody", "recordDate": "eq.2026-02"}
    found = cells(books, "recordType", "month", fill="true", **query)
    assert found == [("expense", "2026-02"), ("income", "2026-02")]


def test_without_records_a_day_has_only_its_own_weekday(books):
    query = {"groupBy": "weekday,day", "payee": "eq.Nobody", "recordDate": "eq.2026-02-03"}
    assert cells(books, "weekday", "day", fill="true", **query) == [(2, "2026-02-03")]


@pytest.mark.parametrize(
    ("query", "periods"),
    [
        ({"groupBy": "month", "recordDate": "gte.2025-12-15,lt.2026-03-01"}, 3),
        ({"groupBy": "day", "recordDate": "eq.2026-02"}, 28),
        # An open end means today, 2026-03-18. Without any date, the range is today only.
        ({"groupBy": "month", "recordDate": "gte.2026-01-31"}, 3),
        ({"groupBy": "month", "recordDate": "gte.2027-01"}, 1),
        ({"groupBy": "month", "recordDate": "lt.2020-03"}, 1),
        ({"groupBy": "year"}, 1),
        ({"groupBy": "category,month", "recordDate": "eq.2026-03"}, 1),
        ({"recordDate": "eq.2026-03"}, 1),
        ({}, 1),
    ],
)
def test_rows_of_zeros_are_filled_in_where_nothing_matches(books, query, periods):
    zeros = {"count": 0, "income": 0, "expense": 0, "net": 0, "firstDate": None}
    nobody = {"payee": "eq.nobody", "fill": "true", **query}

    def currencies(**more):
        groups = summary(books, **nobody, **more)["groups"]
        assert all(group.items() >= zeros.items() for group in groups)
        found = [group["currencyCode"] for group in groups]
        assert len(found) == periods * len(set(found))
        return list(dict.fromkeys(found))

    # The currency of most accounts, until the user chooses one; or the currencies in the filter.
    assert currencies() == ["EUR"]
    before = books.get("records/summary", **nobody).headers["ETag"]
    base = {"base_currency": "NOK"}
    books.service.change(lambda storage: storage.users.update(books.user.id, **base))
    assert currencies() == ["NOK"]
    assert books.get("records/summary", **nobody).headers["ETag"] != before
    assert currencies(currencyCode="CHF") == ["CHF"]
    assert currencies(currencyCode="USD,CHF") == ["CHF", "USD"]
    assert currencies(convertTo="EUR") == ["NOK"]
    assert summary(books, **{**nobody, "fill": "false"})["groups"] == []


@pytest.mark.parametrize("group_by", ["payee", "payee,day", "label,day", "account,month"])
@pytest.mark.parametrize("path", ["records/summary", "records/summary.csv"])
def test_more_groups_than_a_summary_may_have_are_refused(books, monkeypatch, group_by, path):
    monkeypatch.setattr("finance_api.planning.summaries.reading.MAX_GROUPS", 2)
    error = books.fault(path, groupBy=group_by, sortBy="net", limit=1)
    assert error["name"] == "groupBy"
    assert error["message"] == (
        "there are more than 2 groups: ask for fewer dimensions or a shorter period"
    )


def test_too_many_filled_groups_are_refused(books):
    assert (
        books.fault("records/summary", groupBy="day", fill="true", recordDate="gte.1700-01-01")[
            "name"
        ]
        == "fill"
    )


def test_groups_are_sorted_by_any_column(books):
    query = {"groupBy": "category", "currencyCode": "EUR"}
    assert cells(books, "category", sortBy="net", **query) == [
        ("Food",),
        ("Bread",),
        (None,),
        ("Salary",),
    ]
    by_count = cells(books, "category", sortBy="-count,-category", **query)
    assert by_count == [("Bread",), ("Salary",), ("Food",), (None,)]
    for column in summary(books, groupBy="category,month,label")["groups"][0]:
        for sign in "+-":
            summary(books, groupBy="category,month,label", sortBy=sign + column)


def test_groups_of_one_first_day_are_as_they_are_sorted_next_whatever_the_time_of_day(client):
    client.load(
        account(1),
        record(1, amount=-1, recordDate="2026-03-01T23:00:00Z", payee="A"),
        record(2, amount=-2, recordDate="2026-03-01T01:00:00Z", payee="B"),
    )
    for order, expected in (("firstDate", "AB"), ("-lastDate", "AB"), ("firstDate,-payee", "BA")):
        assert cells(client, "payee", groupBy="payee", sortBy=order) == [*zip(expected)]


def test_pages_follow_on_each_other(books):
    whole = cells(books, "currencyCode", "category", "net", groupBy="category")
    pages, offset, link = [], 0, None
    while offset is not None:
        response = books.get("records/summary", groupBy="category", limit=2, offset=offset)
        found = json.loads(response.text, parse_float=Decimal)
        pages += found["groups"]
        offset, link = found["nextOffset"], response.headers.get("Link")
        assert (link is None) == (offset is None)
    assert [(g["currencyCode"], g["category"], g["net"]) for g in pages] == whole


def test_csv_and_ndjson_have_what_is_left_out_in_headers(books):
    query = {"groupBy": "month", "currencyCode": "CHF"}
    as_csv = books.get("records/summary", headers={"Accept": "text/csv"}, **query)
    assert as_csv.text == (
        "currencyCode,month,periodStart,count,income,expense,net,firstDate,lastDate\r\n"
        'CHF,"2026-03",2026-03-01,1,0,-7,-7,2026-03-03,2026-03-03\r\n'
    )
    lines = books.get("records/summary", headers={"Accept": "application/x-ndjson"}, **query)
    assert [json.loads(line)["net"] for line in lines.text.splitlines()] == [-7]
    for response in (as_csv, lines):
        assert response.headers["X-Next-Offset"] == ""
        assert response.headers["X-Left-Out"] == "void=0, transfers=0, excluded=0"
        assert response.headers["X-Overlapping"] == "false"
        assert response.headers["X-Total-Count"] == "1"


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ({"groupBy": "colour"}, "groupBy", '"colour" is not known; it takes account, category'),
        ({"groupBy": "colour,size"}, "groupBy", '"colour", "size" are not known; it takes account'),
        ({"groupBy": "month,month"}, "groupBy", "names a field twice"),
        ({"groupBy": "month,payee,label,account"}, "groupBy", "at most 3"),
        ({"groupBy": ""}, "groupBy", "it takes"),
        ({"include": "all"}, "include", "it takes void, transfers, excluded"),
        ({"fill": "true", "groupBy": "payee"}, "fill", "needs a period"),
        ({"fill": "yes"}, "fill", "true, false"),
        ({"sortBy": "category"}, "sortBy", "not a column of these groups"),
        ({"sortBy": "colour"}, "sortBy", "not a field to sort by"),
        ({"limit": 1001}, "limit", "1 to 1000"),
        ({"withTotal": "true"}, "withTotal", "no such parameter"),
        ({"amount": "x"}, "amount", "no prefix"),
    ],
)
def test_what_is_not_understood_is_refused(client, query, name, message):
    fault = client.fault("records/summary", **query)
    assert fault["name"] == name and message in fault["message"]


def test_an_answer_is_known_by_its_tag_until_the_data_changes(books):
    query = {"groupBy": "month", "category": "eq.Bread"}
    etag = books.get("records/summary", **query).headers["ETag"]
    same = books.get("records/summary", headers={"If-None-Match": etag}, **query)
    assert same.status_int == 304
    others = [{}, {"groupBy": "year"}, {**query, "fill": "true"}, {**query, "include": "void"}]
    others += [{**query, "sortBy": "net"}, {**query, "limit": 5}, {**query, "offset": 1}]
    others += [{**query, "having": f"count.gt.{number}"} for number in (1, 2)]
    tags = {books.get("records/summary", **other).headers["ETag"] for other in others}
    assert len({*tags, etag}) == len(others) + 1
    books.load(record(99, amount=-1, categoryId=uid("Category", 2)))
    changed = books.get("records/summary", headers={"If-None-Match": etag}, **query)
    assert changed.status_int == 200
    assert cells(books, "net", **query)[-1] == (-5,)


def test_words_subcategories_and_relative_days_are_filters_too(books, service):
    def net(**query):
        return [found for (found,) in cells(books, "net", currencyCode="EUR", **query)]

    assert net(q="acme salary") == [2000]
    assert net(q="ÁCME >1000") == [2000]
    assert net(category="eq.Food") == [-10]
    assert net(category="eq.Food", withSubcategories="true") == [Decimal("-16.5")]
    assert net(categoryId=f"ne.{uid('Category', 1)}") == [1996 - Decimal("2.5")]
    assert net(amount="abs.gte.10") == [1990]
    assert net(recordDate="gte.-17d", category="eq.Bread") == [-4]
    query = {"recordDate": "gte.-17d", "category": "eq.Bread"}
    tag = books.get("records/summary", **query).headers["ETag"]
    service.clock.set("2026-03-19T00:00:00Z")
    answer = books.get("records/summary", headers={"If-None-Match": tag}, **query)
    assert (answer.status_int, answer.json["groups"]) == (200, [])
