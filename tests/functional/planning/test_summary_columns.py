"""Further columns, changes and conditions of summaries. The clock is set to 2026-03-18."""

from decimal import Decimal

import pytest

from support.native_rows import account, category, label, record, standing_order, uid

FOOD = uid("Category", 1)


def summary(client, **query):
    return client.exact("records/summary", **query)


def cells(client, *names, **query):
    """Return some columns of the groups."""
    return [tuple(group[name] for name in names) for group in summary(client, **query)["groups"]]


@pytest.fixture
def books(client):
    client.load(
        account(1, name="Giro"),
        account(2, name="Francs", currencyCode="CHF"),
        category(1, name="Food"),
        record(1, amount=-10, recordDate="2025-03-10", categoryId=FOOD),
        record(2, amount=-20, recordDate="2026-02-05", categoryId=FOOD),
        record(3, amount=-30, recordDate="2026-02-28"),
        record(4, amount=100, recordDate="2026-02-28"),
        record(5, amount=-6, recordDate="2026-03-02", categoryId=FOOD),
        record(6, amount=-9, recordDate="2026-03-09", categoryId=FOOD),
        record(7, amount=-15, recordDate="2026-03-18", categoryId=FOOD),
        record(8, amount=-7, recordDate="2026-03-18", accountId=uid("Account", 2)),
    )
    return client


EUR = {"currencyCode": "EUR"}


COLUMNS = [
    ("avg", {"recordDate": "eq.2026-03"}, [(-10,)]),
    ("median,min,max", {"recordDate": "eq.2026-03"}, [(-9, -15, -6)]),
    ("median", {"recordDate": "gte.2026-02-28,lte.2026-03-02"}, [(-6,)]),
    ("avg,median", {"recordDate": "gte.2026-03-09"}, [(-12, -12)]),
    ("avg", {"recordDate": "gte.2026-02-28,lt.2026-03-09"}, [(Decimal("21.3333"),)]),
    ("share", {"groupBy": "category"}, [(Decimal("0.6667"),), (Decimal("0.3333"),)]),
    ("share", {"amount": "gt.0"}, [(None,)]),
    ("incomeShare", {"groupBy": "category"}, [(Decimal("-0.6"),), (Decimal("0.7"),)]),
    ("incomeShare", {"recordDate": "eq.2026-02"}, [(Decimal("0.5"),)]),
    ("incomeShare", {"recordDate": "eq.2026-03"}, [(None,)]),
    # 50 of 80: whatever is filtered besides days and currency, the whole is all that was spent.
    ("spentShare", {"recordDate": "eq.2026", "category": "eq.Food"}, [(Decimal("0.625"),)]),
    (
        "spentShare",
        {"recordDate": "eq.2026", "groupBy": "category", "amount": "lt.-10"},
        [(Decimal("0.4375"),), (Decimal("0.375"),)],
    ),
    ("spentShare", {"amount": "gt.0"}, [(0,)]),
    ("spentShare", {"recordDate": "eq.2024", "fill": "true"}, [(None,)]),
    (
        "spentShare,previousSpentShare",
        {"recordDate": "eq.2026-02-28", "compare": "2026-02-05", "category": "eq.Food"},
        [(0, 1)],
    ),
    ("receivedShare", {"recordDate": "eq.2026", "categoryId": "is.null"}, [(1,)]),
    ("receivedShare", {"recordDate": "eq.2026", "category": "eq.Food"}, [(0,)]),
    ("perDay", {"recordDate": "eq.this-month"}, [(Decimal("-1.6667"),)]),
    ("perWeek", {"recordDate": "eq.this-month"}, [(Decimal("-11.6667"),)]),
    ("perWeek", {"recordDate": "eq.2026-02"}, [(Decimal("12.5"),)]),
    ("perDay", {"recordDate": "eq.2026-02"}, [(Decimal("1.7857"),)]),
    # 18 of the 31 days of March.
    ("perMonth", {"recordDate": "eq.this-month"}, [(Decimal("-51.6667"),)]),
    ("perMonth", {"recordDate": "gte.2026-02,lte.2026-03-31"}, [(Decimal("12.6531"),)]),
    ("avg,min", {"recordDate": "eq.2024", "fill": "true"}, [(None, None)]),
]


def test_each_column_has_its_value(books):
    for columns, query, expected in COLUMNS:
        asked = columns.partition(",previous")[0]
        found = cells(books, *columns.split(","), columns=asked, **EUR, **query)
        assert found == expected, (columns, query)


def test_the_whole_of_a_share_has_the_excluded_account_that_is_asked_for(books):
    hidden = uid("Account", 3)
    books.load(
        account(3, name="Shed", excludeFromStats=True),
        record(9, amount=-20, recordDate="2026-02-07", accountId=hidden),
    )
    query = {"columns": "spentShare", "recordDate": "eq.2026", **EUR}
    assert cells(books, "spentShare", **query) == [(1,)]
    # 20 of 80 and 20.
    assert cells(books, "spentShare", accountId=hidden, **query) == [(Decimal("0.2"),)]


def test_days_up_to_the_newest_record_are_counted_with_it(client):
    """Today is Wednesday, 18 March."""
    days = ["2026-03-16", "2026-03-18", "2026-03-20"]
    client.load(
        account(1), *(record(at, amount=-5, recordDate=day) for at, day in enumerate(days, 1))
    )
    query = {"columns": "net,perDay,perWeek", "recordDate": "eq.2026-W12"}
    assert cells(client, "net", "perDay", "perWeek", **query) == [(-15, -3, -21)]
    query["recordDate"] = "eq.2026-03"
    by_week = cells(client, "week", "net", "perDay", groupBy="week", **query)
    assert by_week == [("2026-W12", -15, -3)]
    elapsed = {**query, "recordDate": "gte.2026-03-16,lte.today"}
    assert cells(client, "net", "perDay", **elapsed) == [(-10, Decimal("-3.3333"))]


def test_an_average_per_day_does_not_depend_on_later_records_of_other_groups(client):
    """Today is Wednesday, 18 March."""
    client.load(
        account(1),
        account(2, currencyCode="JPY"),
        record(1, amount=-180, recordDate="2026-03-05"),
        record(2, amount=-5, recordDate="2026-05-25"),
        record(3, amount=-500, recordDate="2026-03-02", accountId=uid("Account", 2)),
        record(4, amount=-7, recordDate="2026-03-25"),
    )
    query = {"columns": "perDay,perWeek", "currencyCode": "EUR", "amount": "ne.-7"}
    query["groupBy"] = "month"
    march, may = ("2026-03", -10, -70), ("2026-05", Decimal("-0.1613"), Decimal("-1.129"))
    for days, expected in [
        ("eq.this-month", [march]),
        ("gte.2026-03-01", [march, may]),
        ("eq.2026", [march, may]),
        ("eq.2026-05", [may]),
    ]:
        found = cells(client, "month", "perDay", "perWeek", recordDate=days, **query)
        assert found == expected, days
    for days in ("eq.this-month", "gte.2026-03-01,lt.2026-04-01"):
        by_currency = cells(client, "currencyCode", "perDay", columns="perDay", recordDate=days)
        assert by_currency == [("EUR", Decimal("-7.48")), ("JPY", Decimal("-27.7778"))]
    ahead = {"columns": "perDay", "recordDate": "gte.2026-05-21"}
    assert cells(client, "perDay", **ahead) == [(-1,)]


def test_cumulative_adds_up_the_periods_of_each_currency_and_category(books):
    query = {"columns": "net,cumulative", "recordDate": "eq.2026", "fill": "true"}
    found = cells(books, "month", "net", "cumulative", groupBy="month", **EUR, **query)
    assert found[:4] == [
        ("2026-01", 0, 0),
        ("2026-02", 50, 50),
        ("2026-03", -30, 20),
        ("2026-04", 0, 20),
    ]
    by_category = cells(books, "category", "cumulative", groupBy="month,category", **EUR, **query)
    assert by_category[-2:] == [("Food", -50), (None, 70)]


COMPARED = [
    ({"recordDate": "eq.this-month", "compare": "previous"}, (-30, 50, -80, -160)),
    ({"recordDate": "eq.2026-03", "compare": "previous"}, (-30, 50, -80, -160)),
    ({"recordDate": "eq.month-to-date", "compare": "previous"}, (-30, -20, -10, -50)),
    ({"recordDate": "eq.2026-03", "compare": "year"}, (-30, -10, -20, -200)),
    (
        {"recordDate": "gte.2026-03-01,lte.2026-03-02", "compare": "previous"},
        (-6, 70, -76, Decimal("-108.57")),
    ),
    ({"recordDate": "eq.2026-03-10", "fill": "true", "compare": "year"}, (0, -10, 10, 100)),
    ({"recordDate": "eq.2026-03-02", "compare": "year"}, (-6, 0, -6, None)),
    ({"recordDate": "eq.2026-03", "compare": "2026-02"}, (-30, 50, -80, -160)),
    ({"recordDate": "eq.2026-Q1", "compare": "last-year"}, (20, -10, 30, 300)),
    (
        {"recordDate": "eq.2026-02", "compare": "2026-03-02/2026-03-09"},
        (50, -15, 65, Decimal("433.33")),
    ),
    ({"recordDate": "gte.2026-03-18", "compare": "2026-W10"}, (-15, -6, -9, -150)),
]


def test_a_time_is_compared_with_an_earlier_one(books):
    names = ("net", "previousNet", "changeNet", "changeNetPercent")
    for query, expected in COMPARED:
        assert cells(books, *names, **EUR, **query) == [expected], query


def test_groups_of_one_side_only_are_compared_with_nothing(books):
    query = {"groupBy": "category", "recordDate": "eq.2026-03", "compare": "previous"}
    found = cells(books, "currencyCode", "category", "count", "previousCount", "avg", "changeAvg",
                  columns="count,avg", **query)  # fmt: skip
    assert found == [
        ("CHF", None, 1, 0, -7, None),
        ("EUR", "Food", 3, 1, -10, 10),
        ("EUR", None, 0, 2, None, None),
    ]


def test_having_keeps_the_groups_that_meet_all_conditions(books):
    query = {"groupBy": "month", **EUR}
    assert cells(books, "month", having="net.gt.0", **query) == [("2026-02",)]
    both = ["count.gte.3", "expense.lte.-30,gt.-50"]
    found = summary(books, having=both, **query)
    assert [group["month"] for group in found["groups"]] == ["2026-03"]
    assert found["groupCount"] == 1
    dated = {"recordDate": "eq.2026", "compare": "previous", **query}
    assert cells(books, "month", having="changeNetPercent.is.null", **dated) == [("2026-02",)]
    assert cells(books, "month", having="changeNet.abs.gt.79", **dated) == [("2026-03",)]


def test_having_compares_dates(books):
    query = {"groupBy": "category", **EUR}
    assert cells(books, "category", having="firstDate.gte.2026-02-28", **query) == [(None,)]
    assert cells(books, "category", having="firstDate.lt.this-year", **query) == [("Food",)]
    assert cells(books, "category", having="lastDate.gte.-7d,lte.today", **query) == [("Food",)]
    by_month = {"groupBy": "month", **EUR}
    assert cells(books, "month", having="periodStart.eq.2026-Q1", **by_month) == [
        ("2026-02",),
        ("2026-03",),
    ]


def test_a_share_of_no_income_is_empty_and_a_hint_says_why(books):
    found = summary(books, columns="net,incomeShare", recordDate="eq.2026-03")
    assert [group["incomeShare"] for group in found["groups"]] == [None, None]
    reason = "incomeShare is empty in {}, because there is no income."
    assert found["hints"] == [reason.format("CHF and EUR")]
    filtered = summary(books, columns="incomeShare", recordDate="eq.2026", category="eq.Food")
    assert filtered["hints"] == [
        f"{reason.format('EUR')} A filter such as category=eq.Rent leaves out the income: ask "
        "without it, with groupBy=category."
    ]
    assert "hints" not in summary(books, columns="incomeShare", recordDate="eq.2026-02")


def test_groups_by_hour_say_how_many_records_have_no_time(client):
    client.load(
        account(1),
        record(1, amount=-1, recordDate="2026-03-02T00:00:01Z"),
        record(2, amount=-2, recordDate="2026-03-03T18:59:59Z"),
        record(3, amount=-4, recordDate="2026-03-04T18:00:00Z"),
        record(4, amount=-8, recordDate="2026-03-05"),
        record(5, amount=-16, recordDate="1969-12-31T23:30:00Z"),
    )
    found = summary(client, groupBy="hour", columns="net")
    groups = [(group["hour"], group["net"]) for group in found["groups"]]
    assert groups == [(0, -1), (18, -6), (23, -16), (None, -8)]
    assert found["hints"] == [
        "Records without a time of day are in groups without an hour: 1 of 5."
    ]
    # It counts records, also of a page that has few of the groups.
    page = summary(client, groupBy="recordType,hour", limit=1)
    assert page["hints"] == found["hints"]
    timed = summary(client, groupBy="hour,weekday", amount="gt.-8")
    assert len(timed["groups"]) == 3 and "hints" not in timed


def test_records_without_a_time_are_counted_once_and_without_another_read(
    client, service, monkeypatch
):
    labels = [uid("Label", 1), uid("Label", 2)]
    client.load(
        account(1),
        label(1, name="a"),
        label(2, name="b"),
        record(1, amount=-1, recordDate="2026-03-05", labelIds=labels),
    )
    calls, read = [], service.backend.read

    def counting():
        storage = read()
        sum_by = storage.data.sum_by
        storage.data.sum_by = lambda *a, **options: calls.append(a) or sum_by(*a, **options)
        return storage

    monkeypatch.setattr(service.backend, "read", counting)
    (hint,) = summary(client, groupBy="label,hour")["hints"]
    assert hint.endswith(": 1 of 1.")
    assert len(calls) == 1


def test_top_keeps_the_best_rows_of_each_group(books):
    query = {"groupBy": "month,category", "columns": "net", "sortBy": "net", **EUR}
    assert cells(books, "month", "category", "net", top=1, **query) == [
        ("2025-03", "Food", -10),
        ("2026-02", "Food", -20),
        ("2026-03", "Food", -30),
    ]
    assert len(summary(books, top=2, **query)["groups"]) == 4
    found = summary(books, top=1, limit=1, offset=1, **query)
    assert (found["groups"][0]["month"], found["groupCount"]) == ("2026-02", 3)
    by_month = {"groupBy": "category,month", "columns": "net", "sortBy": "-net", **EUR}
    assert cells(books, "category", "month", top=1, **by_month) == [
        ("Food", "2025-03"),
        (None, "2026-02"),
    ]


def test_groups_by_weekday_begin_with_monday(books):
    found = cells(books, "weekday", "weekdayName", "net", groupBy="weekday", **EUR)
    assert found == [
        (1, "Monday", -25),
        (3, "Wednesday", -15),
        (4, "Thursday", -20),
        (6, "Saturday", 70),
    ]


def test_the_number_of_groups_is_that_of_all_pages(books):
    for query in ({"groupBy": "day"}, {"groupBy": "category,month"}, {"groupBy": "month,payee"}):
        rows = summary(books, **query)["groups"]
        found = summary(books, limit=1, offset=1, **query)
        assert found["groupCount"] == len(rows)
        as_csv = books.get("records/summary.csv", limit=1, **query)
        assert as_csv.headers["X-Total-Count"] == str(len(rows))


def test_nothing_is_a_row_of_zeros_in_the_base_currency(books, service):
    query = {"recordDate": "eq.this-month", "q": "taxi", "fill": "true", "columns": "spent,share"}
    for base in ("EUR", "CHF"):
        service.change(lambda s, code=base: s.users.update(books.user.id, base_currency=code))
        assert cells(books, "currencyCode", "spent", "share", **query) == [(base, 0, None)]
        found = cells(books, "currencyCode", "previousSpent", compare="previous", **query)
        assert found == [(base, 0)]


REFUSED = [
    ({"compare": "previous"}, "compare", "recordDate=eq.this-month"),
    ({"compare": "last", "recordDate": "eq.2026"}, "compare", "previous, year"),
    ({"compare": "year", "recordDate": "lt.2026"}, "compare", "needs the first day"),
    ({"compare": "year", "recordDate": "gte.2026,ne.2026-03"}, "compare", "ne."),
    (
        {"compare": "year", "recordDate": "eq.2026", "groupBy": "week,month"},
        "compare",
        "leave out week",
    ),
    (
        {"compare": "2026-02", "recordDate": "eq.2026-Q1"},
        "compare",
        "2026-02-01 to 2026-02-28 overlaps the days of recordDate, 2026-01-01 to 2026-03-31: name "
        "other days, or use previous or year",
    ),
    ({"compare": "today", "recordDate": "gte.2026-03"}, "compare", "2026-03-18 overlaps"),
    (
        {"compare": "2025-Q3", "recordDate": "eq.2026-06", "groupBy": "month"},
        "compare",
        "has 3 months and recordDate has 1 month, but the first is compared with the first, and "
        "so on: write compare=2025-07-01/2025-07-31",
    ),
    (
        {"compare": "2025-W30", "recordDate": "eq.2026-Q3", "groupBy": "payee,day"},
        "compare",
        "has 7 days and recordDate has 92 days, but the first is compared with the first, and so "
        "on: write recordDate=gte.2026-07-01,lte.2026-07-07",
    ),
    (
        {"compare": "2025-Q1", "recordDate": "gte.2027-01", "fill": "true"},
        "recordDate",
        "begins after today, on 2027-01-01, so no days are left to compare: give it an end, such "
        "as recordDate=eq.2027-01-01",
    ),
    ({"compare": "previous", "recordDate": "gt.today"}, "recordDate", "begins after today"),
    ({"compare": "year", "recordDate": "gte.2027", "groupBy": "month"}, "recordDate", "2027-01-01"),
    ({"compare": "2025-02/2025-01", "recordDate": "eq.2026"}, "compare", "ends before it begins"),
    ({"compare": "2025-Q7", "recordDate": "eq.2026"}, "compare", "takes previous, year, a period"),
    ({"compare": "previus", "recordDate": "eq.2026"}, "compare", 'did you mean "previous"?'),
    ({"columns": "cumulative", "groupBy": "payee"}, "columns", "needs a period in groupBy"),
    ({"columns": "price"}, "columns", '"price" is not known; it takes count'),
    ({"having": "net"}, "having", "no prefix"),
    ({"having": "spend.gt.1"}, "having", '"spend" is not a column with numbers'),
    ({"having": "spend.gt.1"}, "having", 'did you mean "spent"?'),
    ({"having": "spent.gt.1,spent.lt.5"}, "having", "write having=spent.gt.1,lt.5 for"),
    ({"having": "spent.gt.1,net.lt.5"}, "having", "a second having for another column"),
    ({"hour": "eq.5"}, "hour", 'no such parameter; did you mean "groupBy=hour"?'),
    ({"weekday": "eq.5"}, "weekday", 'did you mean "groupBy=weekday"?'),
    ({"share": "true"}, "share", 'did you mean "columns=share"?'),
    ({"having": "spent.gt.1"}, "having", '"spent" is not a column of these groups'),
    ({"having": "count.is.null"}, "having", "always has a value"),
    ({"having": ["net.gt.1"] * 11}, "having", "at most 10"),
    ({"having": "firstDate.gte.never"}, "having", "it takes 2026-01-31, 2026-01"),
    ({"having": "firstDate.abs.gt.2026"}, "having", "it takes eq."),
    ({"mergeCurrencies": "true"}, "mergeCurrencies", "add for example convertTo=EUR"),
    ({"top": "5"}, "top", "needs two dimensions, such as groupBy=month,category"),
    ({"top": "5", "groupBy": "payee", "sortBy": "net"}, "top", "limit gives the best rows"),
    ({"top": "5", "groupBy": "payee,month"}, "top", "needs sortBy"),
    ({"top": "0", "groupBy": "payee,month", "sortBy": "net"}, "top", "from 1 to 1000"),
    ({"sortBy": "changeNet"}, "sortBy", "not a column of these groups"),
]


def test_what_cannot_be_answered_is_refused(client):
    for query, name, message in REFUSED:
        fault = client.fault("records/summary", **query)
        assert fault["name"] == name and message in fault["message"], fault


def test_left_is_the_net_of_the_records_and_of_the_payments_until_the_end(books):
    orders = [(1, -7, "2026-03-17"), (2, -20, "2026-03-31"), (3, -40, "2026-04-01")]
    for number, amount, day in orders:
        due = {"accountId": uid("Account", 1), "currencyCode": "EUR", "startDate": day}
        books.load(standing_order(number, amount=amount, recurrenceRule=None, **due))
    books.load(
        account(3, name="Dollars", currencyCode="USD"),
        standing_order(
            4, amount=300, startDate="2026-03-20", accountId=uid("Account", 3), currencyCode="USD"
        ),
    )
    month = {"columns": "left", "recordDate": "eq.this-month"}
    both = ("currencyCode", "left")
    assert cells(books, *both, **month) == [("CHF", -7), ("EUR", -50), ("USD", 300)]
    assert cells(books, *both, currencyCode="eq.USD", **month) == [("USD", 300)]
    assert cells(books, *both, currencyCode="eq.JPY", fill="true", **month) == [("JPY", 0)]
    # Payments to come until today, and in days that are over.
    for days, left in (("eq.month-to-date", -30), ("eq.2026-02", 50), ("lte.2026-04-01", -50)):
        assert cells(books, "left", **EUR, columns="left", recordDate=days) == [(left,)], days
    names = ("net", "left", "previousLeft", "changeLeft")
    month["columns"] = "net,left"
    assert cells(books, *names, **EUR, **month, compare="previous") == [(-30, -50, 50, -100)]
    assert cells(books, "left", **EUR, **month, having="left.gt.-50") == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({}, "days that have begun and have an end: add recordDate=eq.this-month"),
        ({"recordDate": "gte.this-month"}, "days that have begun and have an end"),
        ({"recordDate": "eq.next-month"}, "days that have begun and have an end"),
        ({"recordDate": "lte.9999-12-31"}, "days that have begun and have an end"),
        ({"groupBy": "account"}, "without groupBy, include and mergeCurrencies"),
        ({"include": "transfers"}, "without groupBy, include and mergeCurrencies"),
        ({"convertTo": "EUR", "mergeCurrencies": "true"}, "without groupBy, include and merge"),
        ({"category": "eq.Food"}, "no filters but recordDate and currencyCode"),
        ({"q": "Shop"}, "no filters but recordDate and currencyCode"),
        ({"flow": "spent"}, "no filters but recordDate and currencyCode"),
    ],
)
def test_left_of_a_part_or_without_an_end_is_refused(books, query, message):
    days = {} if "recordDate" in query or not query else {"recordDate": "eq.this-month"}
    fault = books.fault("records/summary", columns="spent,left", **days, **query)
    assert fault["name"] == "columns"
    assert message in fault["message"]


def test_left_with_too_many_payments_to_come_is_refused(books, monkeypatch):
    monkeypatch.setattr("finance_api.planning.forecast.payments.MAX_DUE_DAYS", 0)
    books.load(standing_order(1, amount=-7, startDate="2026-03-20"))
    fault = books.fault("records/summary", columns="left", recordDate="eq.this-month")
    assert fault["message"].endswith("ask for days that end earlier")


def test_payments_without_a_currency_have_that_of_their_account(client):
    client.load(
        account(1, currencyCode="CHF"),
        standing_order(1, amount=-20, startDate="2026-03-20", accountId=uid("Account", 1)),
        standing_order(2, amount=-7, startDate="2026-03-20", recurrenceRule="FREQ=DAILY"),
    )
    month = {"columns": "left", "recordDate": "eq.this-month"}
    assert cells(client, "currencyCode", "left", **month) == [("CHF", -20)]
    for query in ({}, {"include": "expected"}):
        found = client.exact("standing-orders/upcoming", days=3, **query)
        assert [row["currencyCode"] for row in found["upcoming"]] == ["CHF", None]
        assert [(row["currencyCode"], row["net"]) for row in found["totals"]] == [("CHF", -20)]


def test_left_needs_the_scope_of_standing_orders_too(books, service):
    narrow = service.client(scopes=["records"])
    asked = {"recordDate": "eq.this-month"}
    assert narrow.get("records/summary", columns="net", **asked).status_int == 200
    answer = narrow.get("records/summary", columns="net,left", **asked)
    assert answer.status_int == 403
    assert answer.json["detail"] == "The token lacks the scope standing-orders."
