"""convertTo: converted amounts in every list that has some. The clock is set to 2026-03-18.

All users and tests of an installation share the rates below. A test that changes rates uses a
currency that no other test uses.
"""

import json
from decimal import Decimal

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import RateReader
from finance_api.values.time import parse_date
from support.native_rows import account, label, record, uid

RATES = {
    "2026-02-27": {"SEK": "1.2"},
    # There are no rates for the weekend, or for the days after it.
    "2026-03-06": {"SEK": "1.6", "CAD": "0.9"},
    "2026-03-17": {"SEK": "1.28", "CAD": "0.96"},
}
CSV, NDJSON = {"Accept": "text/csv"}, {"Accept": "application/x-ndjson"}
HELP = "import rates with 'finance-api rates import'"
NO_RATES = (
    "{} records could not be converted, because there are no exchange rates from {} to EUR for "
    f"their days or the 7 days before: {HELP}"
)
NO_RATE = f"there is no exchange rate from {{}} to EUR for {{}} or the 7 days before: {HELP}"
WITH_CONVERSION = [
    "records",
    "accounts",
    f"records/{uid('Record', 1)}",
    f"accounts/{uid('Account', 1)}",
    f"records/by-id?id={uid('Record', 1)}",
    "records/summary",
    "accounts/balances",
]
#: A currency for each path, for which no rate exists before its test.
NEVER_BEFORE = ["XPF", "XOF", "XAF", "XCD", "VUV", "WST", "TOP"]


def set_rates(backend, rates, base="EUR"):
    quoted = [
        DayRates(parse_date(day), base, {code: Decimal(rate) for code, rate in found.items()})
        for day, found in rates.items()
    ]
    import_rates(backend, quoted, 1)


@pytest.fixture(autouse=True)
def rates(service):
    set_rates(service.backend, RATES)


@pytest.fixture
def books(client):
    """Accounts in three currencies. AED has no rate."""
    client.load(
        account(1, name="Giro", initialBalance=100),
        account(2, name="Dollars", currencyCode="SEK", initialBalance=64),
        account(3, name="Dirham", currencyCode="AED"),
        label(1, name="trip"),
        record(1, amount=Decimal("-10.0001"), recordDate="2026-03-05"),
        record(2, amount=-16, recordDate="2026-03-06", accountId=uid("Account", 2)),
        record(3, amount=-24, recordDate="2026-03-13", accountId=uid("Account", 2)),
        record(4, amount=-32, recordDate="2026-03-14", accountId=uid("Account", 2)),
        record(5, amount=Decimal("0.0001"), recordDate="2026-03-06", accountId=uid("Account", 2)),
        record(6, amount=-5, recordDate="2026-03-06", accountId=uid("Account", 3)),
        record(7, amount=-7, recordDate="2026-03-09", accountId=uid("Account", 3)),
    )
    return client


def exact(text):
    return json.loads(text, parse_float=Decimal)


def asked(client, path, **query):
    path, _, more = path.partition("?")
    return client.get(path, **query, **(dict([more.split("=")]) if more else {}))


def found(client, path, **query):
    response = asked(client, path, **query)
    assert response.status_int == 200, response.text
    return exact(response.text)


# -- records


def test_records_are_converted_by_the_rate_of_their_day_or_of_one_up_to_seven_days_before(books):
    rows = found(books, "records", convertTo="EUR", sortBy="id")["records"]
    names = ("convertedAmount", "convertedCurrencyCode", "conversionError")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (Decimal("-10.0001"), "EUR", None),
        (-10, "EUR", None),
        (-15, "EUR", None),
        (None, "EUR", NO_RATE.format("SEK", "2026-03-14")),
        (Decimal("0.0001"), "EUR", None),
        (None, "EUR", NO_RATE.format("AED", "2026-03-06")),
        (None, "EUR", NO_RATE.format("AED", "2026-03-09")),
    ]
    plain = found(books, "records", sortBy="id")["records"]
    assert [dict(list(row.items())[:-3]) for row in rows] == plain


def test_every_representation_has_the_same_columns(books):
    query = {"convertTo": "EUR", "sortBy": "id", "fields": "amount", "limit": 6}
    rows = found(books, "records", **query)["records"]
    assert list(rows[0]) == [
        *("id", "amount", "convertedAmount", "convertedCurrencyCode", "conversionError")
    ]
    lines = books.get("records", headers=NDJSON, **query).text.splitlines()
    assert list(map(exact, lines)) == rows
    heading, *cells = books.get("records.csv", **query).text.splitlines()
    assert heading == "amount,convertedAmount,convertedCurrencyCode,conversionError"
    no_rate = NO_RATE.format("SEK", "2026-03-14")
    assert cells[1] == "-16,-10,EUR,"
    assert cells[3] == f'-32,,EUR,"{no_rate}"'
    workbook = books.get("records.xlsx", **query)
    assert workbook.status_int == 200 and workbook.body[:2] == b"PK"


def test_single_records_are_converted_as_in_the_list(books):
    rows = found(books, "records", convertTo="EUR", sortBy="id")["records"]
    for row in rows:
        assert found(books, f"records/{row['id']}", convertTo="EUR") == row
    ids = [row["id"] for row in rows]
    wanted = f"{ids[5]},{ids[1]},{uid('Record', 99)}"
    assert found(books, "records/by-id", id=wanted, convertTo="EUR") == {
        "records": [rows[5], rows[1]],
        "count": 2,
        "missingIds": [uid("Record", 99)],
    }
    (few,) = found(books, "records/by-id", id=ids[1], convertTo="EUR", fields="payee")["records"]
    assert few["convertedAmount"] == -10 and "amount" not in few
    assert asked(books, f"records/{uid('Record', 99)}", convertTo="EUR").status_int == 404


# -- summaries of all currencies


def test_merged_currencies_have_one_sum_of_what_could_be_converted(books):
    query = {"convertTo": "EUR", "mergeCurrencies": "true", "columns": "count,net,spent"}
    error = NO_RATES.format("3 of 7", "AED and SEK")
    answer = found(books, "records/summary", **query)
    assert answer["groups"] == [
        {"currencyCode": "EUR", "count": 4, "net": -35, "spent": Decimal("35.0001")}
        | {"conversionError": error}
    ]
    assert [each["count"] for each in answer["notConverted"]] == [2, 1]
    table = books.get("records/summary.csv", **query)
    assert table.text.splitlines()[1] == f'EUR,4,-35,35.0001,"{error}"'
    assert table.headers["X-Not-Converted"] == "AED=2, SEK=1"
    by_day = found(books, "records/summary", groupBy="account", sortBy="-net", **query)["groups"]
    names = ("account", "count", "net", "conversionError")
    assert [tuple(group[name] for name in names) for group in by_day] == [
        ("Giro", 1, Decimal("-10.0001"), None),
        ("Dollars", 3, Decimal("-24.9999"), NO_RATES.format("1 of 4", "SEK")),
        ("Dirham", 0, None, NO_RATES.format("2 of 2", "AED")),
    ]
    nothing = found(books, "records/summary", q="taxi", fill="true", **query)["groups"]
    assert [(group["currencyCode"], group["count"]) for group in nothing] == [("EUR", 0)]


def test_merged_sums_are_empty_where_nothing_could_be_converted(books):
    query = {"convertTo": "EUR", "mergeCurrencies": "true", "currencyCode": "eq.AED"}
    every = ("income,expense,net,spent,received,avg,share,incomeShare,spentShare,receivedShare,"
             "cumulative,perDay,perWeek,perMonth,firstDate,lastDate")  # fmt: skip
    answer = found(books, "records/summary", groupBy="month", columns=f"count,{every}", **query)
    (group,) = answer["groups"]
    assert group["count"] == 0
    assert {group[name] for name in every.split(",")} == {None}
    assert "hints" not in answer
    table = books.get("records/summary.csv", columns="spent", **query)
    assert table.text.splitlines()[1].startswith('EUR,,"')
    query = {**query, "groupBy": "account", "currencyCode": "ne.EUR", "columns": "net"}
    for having, accounts in (("net.gte.-1000", ["Dollars"]), ("net.is.null", ["Dirham"])):
        groups = found(books, "records/summary", having=having, **query)["groups"]
        assert [group["account"] for group in groups] == accounts


def test_there_is_no_part_of_a_whole_that_could_not_all_be_converted(books):
    query = {"convertTo": "EUR", "mergeCurrencies": "true", "columns": "spent,spentShare"}
    for currency, share in (({}, None), ({"currencyCode": "eq.EUR"}, 1)):
        asked = {"accountId": uid("Account", 1), **query, **currency}
        (group,) = found(books, "records/summary", **asked)["groups"]
        assert (group["spentShare"], group["conversionError"]) == (share, None)


def test_merged_days_are_those_of_the_records_that_could_be_converted(books):
    query = {"convertTo": "EUR", "mergeCurrencies": "true", "accountId": uid("Account", 2)}
    columns = "net,perDay,firstDate,lastDate"
    (group,) = found(books, "records/summary", columns=columns, **query)["groups"]
    # The record of 14 March has no rate, and the 13 days are those from 6 to 18 March.
    assert (group["firstDate"], group["lastDate"]) == ("2026-03-06", "2026-03-13")
    assert group["perDay"] == Decimal("-1.9231")
    later = found(books, "records/summary", fill="true", groupBy="day", columns="net", **query)
    days = [(group["day"], group["net"]) for group in later["groups"]]
    assert days[0] == ("2026-03-06", Decimal("-9.9999"))
    assert days[-2:] == [("2026-03-13", -15), ("2026-03-14", None)]
    assert len(days) == 9


def test_merged_sums_have_a_median_and_are_compared(books):
    query = {"convertTo": "EUR", "mergeCurrencies": "true", "columns": "median,min,max,spent"}
    query |= {"recordDate": "gte.2026-03-06,lte.2026-03-13", "compare": "2026-03-14/2026-03-15"}
    answer = found(books, "records/summary", **query)
    (group,) = answer["groups"]
    assert [group[name] for name in ("median", "min", "max")] == [-10, -15, Decimal("0.0001")]
    assert [group[f"{time}Spent"] for time in ("previous", "change")] == [None, None]
    now, before = NO_RATES.format("2 of 5", "AED"), NO_RATES.format("1 of 1", "SEK")
    assert group["conversionError"] == f"{now}; in the earlier period {before}"
    assert {each["currencyCode"]: each["count"] for each in answer["notConverted"]} == {
        "AED": 2,
        "SEK": 1,
    }
    query |= {"compare": "2026-03-05", "currencyCode": "ne.AED", "columns": "spent"}
    (group,) = found(books, "records/summary", **query)["groups"]
    assert (group["previousSpent"], group["conversionError"]) == (Decimal("10.0001"), None)
    percent = Decimal("150")
    assert (group["changeSpent"], group["changeSpentPercent"]) == (Decimal("14.9999"), percent)


# -- accounts


def test_accounts_are_converted_by_the_rate_of_the_user_s_day(books, service):
    def converted():
        rows = found(books, "accounts", convertTo="EUR", sortBy="id")["accounts"]
        for row in rows:
            assert found(books, f"accounts/{row['id']}", convertTo="EUR") == row
        return [(row["convertedBalance"], row["conversionError"]) for row in rows]

    no_rate = NO_RATE.format("AED", "2026-03-18")
    giro = (Decimal("89.9999"), None)
    # -8 and a ten-thousandth: 7.9999 / 1.28 = 6.24992...
    assert converted() == [giro, (Decimal("-6.2499"), None), (None, no_rate)]
    tag = asked(books, "accounts", convertTo="EUR").headers["ETag"]
    again = {"headers": {"If-None-Match": tag}, "convertTo": "EUR"}
    assert asked(books, "accounts", **again).status_int == 304
    service.clock.set("2026-03-24T23:00:00Z")
    assert converted()[1] == (Decimal("-6.2499"), None)
    assert asked(books, "accounts", **again).status_int == 200
    # In Berlin it is the next day.
    books.service.change(lambda s: s.users.update(books.user.id, time_zone="Europe/Berlin"))
    assert converted()[1] == (None, NO_RATE.format("SEK", "2026-03-25"))
    (csv,) = books.get(
        "accounts.csv", convertTo="EUR", fields="name", accountType="General", name="eq.Giro"
    ).text.splitlines()[1:]
    assert csv == '"Giro",89.9999,EUR,'


def test_without_convert_to_accounts_do_not_go_by_the_day(books, service):
    tag = asked(books, "accounts").headers["ETag"]
    service.clock.set("2026-03-24T23:00:00Z")
    assert asked(books, "accounts", headers={"If-None-Match": tag}).status_int == 304


# -- sums


def test_a_summary_adds_up_what_was_converted_and_lists_the_rest(books):
    answer = found(books, "records/summary", convertTo="EUR")
    names = ("currencyCode", "count", "net", "convertedCurrencyCode", "convertedCount")
    names += ("convertedIncome", "convertedExpense", "convertedNet", "conversionError")
    no_rate = [
        NO_RATES.format(records, currency)
        for currency, records in (("AED", "2 of 2"), ("SEK", "1 of 4"))
    ]
    one, some = Decimal("-10.0001"), Decimal("0.0001")
    assert [tuple(group[name] for name in names) for group in answer["groups"]] == [
        ("AED", 2, -12, "EUR", 0, None, None, None, no_rate[0]),
        ("EUR", 1, one, "EUR", 1, 0, one, one, None),
        ("SEK", 4, Decimal("-71.9999"), "EUR", 3, some, -25, Decimal("-24.9999"), no_rate[1]),
    ]
    days = {"firstDate": "2026-03-06", "lastDate": "2026-03-09"}
    day = {"firstDate": "2026-03-14", "lastDate": "2026-03-14"}
    assert answer["notConverted"] == [
        {"currencyCode": "AED", "count": 2, "days": 2, **days},
        {"currencyCode": "SEK", "count": 1, "days": 1, **day},
    ]
    assert list(answer) == [
        *("groups", "leftOut", "overlapping", "groupCount", "notConverted"),
        *("limit", "offset", "nextOffset", "revision"),
    ]


def test_a_summary_that_would_convert_too_many_amounts_is_refused(books, monkeypatch):
    """The limit counts only amounts in other currencies that match the filters."""
    monkeypatch.setattr("finance_api.planning.summaries.reading.MAX_CONVERTED", 4)
    error = books.fault("records/summary", convertTo="EUR")
    assert error == {
        "in": "query",
        "name": "convertTo",
        "message": "more than 4 amounts would be converted: ask for a shorter period, or leave "
        "out convertTo",
    }
    for query in ({"convertTo": "SEK"}, {"convertTo": "EUR", "currencyCode": "eq.SEK"}):
        assert found(books, "records/summary", **query)["groups"]


def test_what_is_not_converted_is_of_all_pages_and_of_what_the_filters_leave(books):
    query = {"convertTo": "EUR", "groupBy": "account,day"}
    pages = [found(books, "records/summary", limit=1, offset=n, **query) for n in range(6)]
    whole = found(books, "records/summary", **query)
    assert [group for page in pages for group in page["groups"]] == whole["groups"]
    assert {str(page["notConverted"]) for page in pages} == {str(whole["notConverted"])}
    assert [each["count"] for each in whole["notConverted"]] == [2, 1]
    some = found(books, "records/summary", recordDate="lt.2026-03-09", currencyCode="AED", **query)
    assert [each["count"] for each in some["notConverted"]] == [1]
    none = found(books, "records/summary", recordDate="eq.2026-03-06", currencyCode="SEK", **query)
    assert none["notConverted"] == []


def test_columns_of_converted_sums_can_be_sorted_by_and_filled(books):
    query = {"convertTo": "EUR", "groupBy": "day", "sortBy": "-convertedNet,day"}
    rows = found(books, "records/summary", **query)["groups"]
    assert [row["convertedNet"] for row in rows] == [
        *(Decimal("-9.9999"), Decimal("-10.0001"), -15, None, None, None)
    ]
    rows = found(books, "records/summary", fill="true", currencyCode="SEK", **query)["groups"]
    assert (len(rows), rows[0]["convertedNet"], rows[0]["convertedCount"]) == (9, 0, 0)
    response = books.get("records/summary", groupBy="day", sortBy="-convertedNet")
    assert "not a column of these groups" in response.json["errors"][0]["message"]


def test_csv_and_ndjson_of_a_summary_say_in_a_header_what_is_missing(books):
    answer = books.get("records/summary", headers=CSV, convertTo="EUR", currencyCode="SEK")
    assert answer.headers["X-Not-Converted"] == "SEK=1"
    heading, row = answer.text.splitlines()
    assert heading.endswith(
        ",lastDate,convertedCurrencyCode,convertedCount,convertedIncome,convertedExpense,"
        "convertedNet,conversionError"
    )
    assert ',2026-03-14,EUR,3,0.0001,-25,-24.9999,"1 of 4 records could not be converted' in row
    none = books.get("records/summary", headers=NDJSON, convertTo="EUR", currencyCode="EUR")
    assert none.headers["X-Not-Converted"] == ""
    assert "X-Not-Converted" not in books.get("records/summary", headers=CSV).headers


# -- balances over time


def test_balances_are_converted_by_the_rate_of_the_last_day_of_their_interval(books):
    query = {"from": "2026-03-02", "to": "2026-03-18", "interval": "week"}
    answer = found(books, "accounts/balances", convertTo="EUR", **query)
    names = ("date", "account", "balance", "convertedBalance", "convertedCurrencyCode")
    rows = [tuple(row[name] for name in names) for row in answer["balances"]]
    assert [row for row in rows if row[1] == "Dollars"] == [
        ("2026-03-08", "Dollars", Decimal("48.0001"), Decimal("30.0001"), "EUR"),
        ("2026-03-15", "Dollars", Decimal("-7.9999"), None, "EUR"),
        ("2026-03-18", "Dollars", Decimal("-7.9999"), Decimal("-6.2499"), "EUR"),
    ]
    assert {row["conversionError"] for row in answer["balances"]} == {
        None,
        NO_RATE.format("SEK", "2026-03-15"),
        *(NO_RATE.format("AED", f"2026-03-{day}") for day in ("08", "15", "18")),
    }
    totals = answer["convertedTotals"]
    assert [total["convertedBalance"] for total in totals] == [None] * 3
    no_rates = [NO_RATE.format(code, "2026-03-15") for code in ("AED", "SEK")]
    assert totals[1]["conversionError"] == "; ".join(no_rates)
    few = found(
        books,
        "accounts/balances",
        convertTo="EUR",
        accountId=",".join(uid("Account", n) for n in (1, 2)),
        **query,
    )
    assert few["convertedTotals"][2] == {
        "period": "2026-W12",
        "periodStart": "2026-03-16",
        "date": "2026-03-18",
        "convertedBalance": Decimal("83.75"),
        "convertedCurrencyCode": "EUR",
        "conversionError": None,
    }
    csv = books.get("accounts/balances", headers=CSV, convertTo="EUR", **query).text.splitlines()
    assert csv[0].endswith(",convertedBalance,convertedCurrencyCode,conversionError,accountId")
    assert len(csv) == 10


def test_without_accounts_there_are_no_totals(client):
    answer = found(client, "accounts/balances", convertTo="EUR")
    assert (answer["balances"], answer["totals"], answer["convertedTotals"]) == ([], [], [])


@pytest.mark.parametrize("path", WITH_CONVERSION)
def test_without_any_rates_of_the_currency_each_row_says_what_helps(books, service, path):
    own = dict(zip(WITH_CONVERSION, NEVER_BEFORE, strict=True))[path]
    before = asked(books, path, convertTo=own)
    assert HELP in before.text
    again = {"headers": {"If-None-Match": before.headers["ETag"]}, "convertTo": own}
    assert asked(books, path, **again).status_int == 304
    set_rates(service.backend, {"2026-03-06": {own: "2"}, "2026-03-17": {own: "2"}})
    assert asked(books, path, **again).status_int == 200


# -- what is refused


@pytest.mark.parametrize("path", WITH_CONVERSION)
def test_a_currency_that_there_is_not_is_refused(books, path):
    for code, message in (
        ("XXY", '"XXY" is not an ISO 4217 code such as EUR'),
        ("eur", '"eur" is not an ISO 4217 code such as EUR; did you mean "EUR"?'),
        ("", '"" is not an ISO 4217 code such as EUR'),
        (["EUR", "EUR"], "is given 2 times; once is allowed"),
    ):
        response = asked(books, path, convertTo=code)
        assert response.status_int == 400
        (fault,) = response.json["errors"]
        assert (fault["name"], fault["message"]) == ("convertTo", message)


def test_other_lists_have_no_such_parameter(client):
    for path in ("labels", "categories", "budgets", "goals", "standing-orders", "record-rules"):
        (fault,) = client.get(path, convertTo="EUR").json["errors"]
        assert fault["message"].startswith("there is no such parameter")


def test_converted_columns_are_no_fields(client):
    for name in ("convertedAmount", "convertedCurrencyCode", "conversionError"):
        assert client.get("records", convertTo="EUR", **{name: "eq.1"}).status_int == 400
        assert client.get("records", convertTo="EUR", sortBy=name).status_int == 400
        assert client.get("records", convertTo="EUR", fields=name).status_int == 400


# -- tags, and who sees what


@pytest.mark.parametrize("path", WITH_CONVERSION)
def test_a_tag_holds_until_rates_change_and_is_of_its_currency(books, service, path):
    own = "KWD"
    set_rates(service.backend, {"2026-03-06": {own: "0.3"}})
    plain = asked(books, path).headers["ETag"]
    first = asked(books, path, convertTo=own)
    other = asked(books, path, convertTo="EUR")
    assert len({plain, first.headers["ETag"], other.headers["ETag"]}) == 3
    again = {"headers": {"If-None-Match": first.headers["ETag"]}, "convertTo": own}
    assert asked(books, path, **again).status_int == 304
    set_rates(service.backend, {"2026-03-06": {own: "0.30"}})
    assert asked(books, path, **again).status_int == 304
    set_rates(service.backend, {"2026-03-06": {own: "0.4"}})
    assert asked(books, path, **again).status_int == 200
    # Responses without conversion do not depend on rates.
    assert asked(books, path, headers={"If-None-Match": plain}).status_int == 304
    set_rates(service.backend, {"2026-03-06": {own: "0.3"}})


def test_rates_that_are_imported_meanwhile_are_in_the_next_answer(books, service, monkeypatch):
    """A response uses the rates that its entity tag stands for."""
    set_rates(service.backend, {"2026-03-06": {"OMR": "1"}})
    elsewhere = service.elsewhere()
    reader = type(service.backend.read().rates)
    list_days = reader.list_days

    def meanwhile(self, days=None):
        monkeypatch.setattr(reader, "list_days", list_days)
        set_rates(elsewhere, {"2026-03-06": {"OMR": "2"}})
        return list_days(self, days)

    assert issubclass(reader, RateReader)
    monkeypatch.setattr(reader, "list_days", meanwhile)
    one = f"records/{uid('Record', 2)}"
    first, second = (asked(books, one, convertTo="OMR") for _ in range(2))
    assert (first.json["convertedAmount"], second.json["convertedAmount"]) == (-10, -20)
    assert first.headers["ETag"] != second.headers["ETag"]
    if elsewhere is not service.backend:
        elsewhere.close()


def test_others_have_the_same_rates_and_nothing_else_in_common(books, service):
    other = service.client()
    other.load(account(2, currencyCode="SEK"), record(2, amount=-32, accountId=uid("Account", 2)))
    for path in WITH_CONVERSION:
        mine, theirs = (asked(client, path, convertTo="EUR") for client in (books, other))
        assert mine.headers["ETag"] != theirs.headers.get("ETag")
        assert mine.body != theirs.body
    (row,) = found(other, "records", convertTo="EUR")["records"]
    assert row["convertedAmount"] == -25
    assert found(other, "records/summary", convertTo="EUR")["notConverted"] == []
    (balance,) = found(other, "accounts/balances", convertTo="EUR", **{"from": "2026-03-18"})[
        "convertedTotals"
    ]
    assert balance["convertedBalance"] == -25
