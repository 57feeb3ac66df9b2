"""``spent`` and ``received`` in summaries, and ``flow=``, which lists the records they count."""

import pytest

from support.native_rows import account, category, record, uid

FOOD, SALARY, OTHER = (uid("Category", number) for number in (1, 2, 3))


@pytest.fixture
def books(client):
    client.load(
        account(1),
        account(2, name="Afghani", currencyCode="AFN"),
        account(3, name="Hidden", excludeFromStats=True),
        category(1, name="Food", kind="expense"),
        category(2, name="Salary", kind="income"),
        category(3, name="Other"),
        record(1, amount=-50, categoryId=FOOD, recordDate="2026-03-01"),
        # A refund, and a salary that was paid back in part.
        record(2, amount=20, categoryId=FOOD, recordDate="2026-03-02"),
        record(3, amount=2000, categoryId=SALARY, recordDate="2026-03-03"),
        record(4, amount=-100, categoryId=SALARY, recordDate="2026-03-04"),
        # Without a kind, or without a category, the sign decides.
        record(5, amount=-1, categoryId=OTHER),
        record(6, amount=2, categoryId=OTHER),
        record(7, amount=-4),
        record(8, amount=8),
        record(9, amount=-7, accountId=uid("Account", 2), categoryId=FOOD),
        record(10, amount=-300, categoryId=FOOD, recordState="void"),
        record(11, amount=-300, transferId=uid("Record", 77)),
        record(12, amount=-300, categoryId=FOOD, accountId=uid("Account", 3)),
    )
    return client


def groups(client, **query):
    return client.exact("records/summary", **query)["groups"]


def test_a_category_s_kind_decides_what_is_spent_and_received(books):
    found = groups(books, columns="received,spent", currencyCode="EUR")
    # The columns are in the order that was asked for.
    assert [list(group.items()) for group in found] == [
        [("currencyCode", "EUR"), ("received", 1910), ("spent", 35)]
    ]
    whole = groups(books, columns="count,income,expense,net,spent,received", currencyCode="EUR")
    assert whole == [
        {
            "currencyCode": "EUR",
            "count": 8,
            "income": 2030,
            "expense": -155,
            "net": 1875,
            "spent": 35,
            "received": 1910,
        }
    ]
    by_category = groups(books, groupBy="category", columns="spent,received", currencyCode="EUR")
    assert [tuple(group.values())[1:] for group in by_category] == [
        ("Food", FOOD, 30, 0),
        ("Other", OTHER, 1, 2),
        ("Salary", SALARY, 0, 1900),
        (None, None, 4, 8),
    ]


def test_converted_sums_are_those_of_the_columns(books):
    first, second = groups(books, columns="spent", convertTo="EUR")
    names = ["currencyCode", "spent", "convertedCurrencyCode", "convertedCount", "convertedSpent"]
    assert list(first) == [*names, "conversionError"]
    assert (second["spent"], second["convertedSpent"], second["convertedCount"]) == (35, 35, 8)
    assert (first["spent"], first["convertedSpent"], first["convertedCount"]) == (7, None, 0)


def test_a_flow_lists_the_records_of_its_sum(books):
    for flow, numbers in (("spent", [1, 2, 5, 7, 9]), ("received", [3, 4, 6, 8])):
        expected = [uid("Record", number) for number in numbers]
        query = {"flow": flow, "counted": "true", "sortBy": "id"}
        assert books.names("records", "id", **query) == sorted(expected)
        exported = books.get("export/records.csv", **query, fields="id").text.splitlines()[1:]
        assert exported == sorted(expected)
        (sums,) = groups(books, flow=flow, columns="count,spent,received", currencyCode="EUR")
        others = {"spent": 35, "received": 1910} | dict.fromkeys({"spent", "received"} - {flow}, 0)
        assert sums == {"currencyCode": "EUR", "count": 4, **others}
    spent = books.names("records", "id", flow="spent", categoryId="is.null", sortBy="id")
    assert spent == sorted([uid("Record", 7), uid("Record", 11)])
    both = {"category": "eq.Food", "withSubcategories": "true", "counted": "true"}
    assert len(books.names("records", "id", flow="spent", **both)) == 3
    assert books.names("records", "id", flow="received", **both) == []


def test_figures_and_lists_follow_the_kind_of_a_category(books):
    query = {"flow": "received", "categoryId": OTHER}
    before = books.get("records", **query)
    assert before.json["records"][0]["amount"] == 2
    books.load(category(3, name="Other", kind="income"))
    after = books.get("records", headers={"If-None-Match": before.headers["ETag"]}, **query)
    assert {row["amount"] for row in after.json["records"]} == {2, -1}
    (sums,) = groups(books, columns="spent,received", categoryId=OTHER)
    assert (sums["spent"], sums["received"]) == (0, 1)


def test_csv_and_tags_are_those_of_the_columns(books):
    accept = {"Accept": "text/csv"}
    answer = books.get("records/summary", columns="spent", currencyCode="AFN", headers=accept)
    assert answer.text == "currencyCode,spent\r\nAFN,7\r\n"
    asked = ({}, {"columns": "spent"}, {"columns": "received"}, {"columns": "spent,received"})
    asked += ({"columns": "received,spent"}, {"flow": "spent"}, {"flow": "received"})
    tags = [books.get("records/summary", **query).headers["ETag"] for query in asked]
    assert len(set(tags)) == len(asked)


@pytest.mark.parametrize(
    ("path", "query", "name", "message"),
    [
        (
            "records/summary",
            {"columns": "spend"},
            "columns",
            '"spend" is not known; did you mean "spent"?',
        ),
        ("records/summary", {"columns": ""}, "columns", "it takes count"),
        ("records/summary", {"columns": "net,net"}, "columns", "names a field twice"),
        ("records/summary", {"sortBy": "spent"}, "sortBy", "not a column of these groups"),
        ("records/summary", {"columns": "spent", "sortBy": "net"}, "sortBy", "not a column"),
        ("records", {"flow": "out"}, "flow", '"out" is not one of spent, received'),
        ("records", {"flow": "eq.spent"}, "flow", "is not one of"),
        ("accounts", {"flow": "spent"}, "flow", "no such parameter"),
    ],
)
def test_what_is_not_understood_is_refused(client, path, query, name, message):
    fault = client.fault(path, **query)
    assert fault["name"] == name and message in fault["message"]
