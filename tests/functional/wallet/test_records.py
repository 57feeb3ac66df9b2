"""The window, unknown categories, conversion, transfers, signs."""

from decimal import Decimal

import pytest

from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources.currencies import DayRates
from finance_api.values.time import parse_date
from support.native_rows import account, category, record, split_record, uid

WINDOW = ["gte.2026-08-21T22:40:00.000Z", "lt.2026-11-22T22:40:00.000Z"]
UNKNOWN_INCOME = "5c5c32c8-0082-8000-8000-000000000000"


# -- 5.1 the window ----------------------------------------------------------------------------


def test_without_a_date_records_are_of_the_last_3_months(wallet):
    page = wallet.get("records")
    assert page["appliedRecordDateFilters"] == WINDOW
    found = wallet.ids("records")
    assert 10 in found and 9 in found
    # These are 30 seconds before the window, a minute after it, and long before it.
    assert not {8, 11, 12} & set(found)


def test_one_bound_switches_it_off_and_leaves_the_other_side_open(wallet):
    page = wallet.get("records?recordDate=lt.2026-09-01")
    assert page["appliedRecordDateFilters"] == ["lt.2026-09-01T00:00:00.000Z"]
    assert wallet.ids("records?recordDate=lt.2026-09-01") == [9, 8, 12]
    assert wallet.ids("records?recordDate=gte.2026-11-15") == [11, 10, 1]


@pytest.mark.parametrize(
    ("query", "applied"),
    [
        (
            "recordDate=gte.2026-09-01&recordDate=lte.2026-09-16",
            ["gte.2026-09-01T00:00:00.000Z", "lt.2026-09-17T00:00:00.000Z"],
        ),
        (
            "recordDate=eq.2026-09-01",
            ["gte.2026-09-01T00:00:00.000Z", "lt.2026-09-02T00:00:00.000Z"],
        ),
        ("recordDate=gt.2026-09-01", ["gte.2026-09-02T00:00:00.000Z"]),
        ("recordDate=gt.2026-09-01T10:00:00Z", ["gt.2026-09-01T10:00:00.000Z"]),
        ("recordDate=lte.2026-09-01T10:00:00.000Z", ["lte.2026-09-01T10:00:00.000Z"]),
    ],
)
def test_the_applied_filters_are_instants(wallet, query, applied):
    assert wallet.get(f"records?{query}")["appliedRecordDateFilters"] == applied


def test_ids_switch_it_off_and_give_an_empty_array(wallet):
    page = wallet.get(f"records?id={uid('Record', 12)}")
    assert page["appliedRecordDateFilters"] == []
    assert [row["id"] for row in page["records"]] == [uid("Record", 12)]


def test_there_is_no_longest_range(wallet):
    assert len(wallet.ids("records?recordDate=gte.1900-01-01,lt.2100-01-01")) == 11


def test_the_window_is_pinned_in_the_next_page(wallet):
    url = wallet.hints("records?agentHints=true&limit=4")[0]["action"]["url"]
    wallet.service.clock.advance(3_600)
    page = wallet.get(url)
    assert page["appliedRecordDateFilters"] == WINDOW


# -- 5.2 unknown categories --------------------------------------------------------------------


def test_unknown_is_without_a_category(wallet):
    assert wallet.ids("records?categoryId=unknown") == [10, 4, 5, 9]
    both = wallet.ids(f"records?categoryId={uid('Category', 1)},unknown")
    assert both == [10, 1, 4, 3, 5, 9]


def test_unknown_is_also_wallet_s_own_category_of_that_name(empty):
    empty.client.load(
        account(),
        category(1),
        category(2, id=UNKNOWN_INCOME, name="Unknown income"),
        record(1, recordDate="2026-11-01", categoryId=UNKNOWN_INCOME),
        record(2, recordDate="2026-11-02", categoryId=uid("Category", 1)),
        record(3, recordDate="2026-11-03"),
    )
    assert empty.ids("records?categoryId=unknown") == [3, 1]


# -- 5.3 convertTo -----------------------------------------------------------------------------


@pytest.fixture
def money(empty):
    empty.client.load(
        account(1, currencyCode="EUR"),
        account(2, currencyCode="EUR"),
        account(3, currencyCode="CZK"),
        record(1, amount=-10.5, recordDate="2026-11-01T20:00:00Z"),
        record(2, accountId=uid("Account", 3), amount=250, recordDate="2026-11-02"),
    )
    return empty


def converted(wallet, target):
    return {
        int(row["id"][-3:]): row["convertedAmount"]
        for row in wallet.rows(f"records?convertTo={target}")
    }


def test_without_rates_a_conversion_says_so(money):
    found = converted(money, "USD")[1]
    assert found["currencyCode"] == "USD"
    assert found["conversionPair"] == "EUR:USD"
    assert found["error"].startswith("there is no exchange rate from EUR to USD for 2026-11-01")
    assert "value" not in found
    assert "convertedAmount" not in money.rows("records")[0]


def test_the_own_currency_needs_no_rate(money):
    assert converted(money, "EUR")[1] == {"value": -10.5, "ratio": 1, "currencyCode": "EUR"}
    assert converted(money, "account")[2] == {"value": 250, "ratio": 1, "currencyCode": "CZK"}
    # The base currency is that of most accounts.
    base = converted(money, "base")
    assert base[1]["ratio"] == 1
    assert base[2]["currencyCode"] == "EUR" and base[2]["error"]


def test_with_rates_it_is_converted_as_the_flat_surface_does(money):
    rates = [DayRates(parse_date("2026-11-01"), "EUR", {"CZK": Decimal("24.5")})]
    before = money.ask("records?convertTo=CZK").headers["ETag"]
    import_rates(money.service.backend, rates, money.service.clock.now())
    found = converted(money, "CZK")
    assert found[1] == {
        "value": -257.25,
        "ratio": 24.5,
        "currencyCode": "CZK",
        "conversionPair": "EUR:CZK",
    }
    assert found[2] == {"value": 250, "ratio": 1, "currencyCode": "CZK"}
    flat = money.get("/v1/api/records?convertTo=CZK")["records"]
    assert {row["convertedAmount"] for row in flat} == {each["value"] for each in found.values()}
    assert money.ask("records?convertTo=CZK").headers["ETag"] != before
    assert converted(money, "czk") == found


def test_another_target_is_refused(wallet):
    assert wallet.refused("records?convertTo=XYZ").startswith("convertTo ")


# -- 5.5 transfers, 5.6 signs ------------------------------------------------------------------


def test_a_transfer_describes_its_other_record(wallet):
    rows = {int(row["id"][-2:], 16): row for row in wallet.rows("records")}
    assert rows[1]["transfer"] is None
    pair = "aaaaaaaa-0000-4000-8000-000000000001"
    assert rows[3]["transfer"] == {
        "type": "paired",
        "transferId": pair,
        "mirrorRecord": {
            "id": uid("Record", 4),
            "accountId": uid("Account", 2),
            "amount": {"value": 100, "currencyCode": "USD"},
            "counterParty": "Me",
            "note": "in",
        },
    }
    assert rows[4]["transfer"]["mirrorRecord"]["id"] == uid("Record", 3)
    assert rows[5]["transfer"] == {"type": "unpaired", "transferId": pair[:-1] + "2"}
    assert (rows[3]["amount"]["value"], rows[4]["amount"]["value"]) == (-100, 100)


def test_a_mirror_outside_of_the_page_is_found(wallet):
    (row,) = wallet.rows(f"records?id={uid('Record', 3)}")
    assert row["transfer"]["mirrorRecord"]["id"] == uid("Record", 4)


def test_of_several_other_records_of_a_transfer_the_first_is_described(empty):
    linked = {uid("Record", 90): (1, 2, 3), uid("Record", 91): (4, 5), uid("Record", 92): (6,)}
    empty.client.load(
        account(),
        *(record(n, amount=-n, transferId=key) for key, own in linked.items() for n in own),
    )
    others = {1: 2, 2: 1, 3: 1, 4: 5, 5: 4, 6: None}
    for numbers in ((1, 2, 3, 4, 5, 6), (1, 2, 3, 6), (3,), (6,)):
        rows = empty.rows(f"records?id={','.join(uid('Record', n) for n in numbers)}")
        mirrors = {row["id"]: row["transfer"].get("mirrorRecord", {"id": None}) for row in rows}
        assert {row_id: mirror["id"] for row_id, mirror in mirrors.items()} == {
            uid("Record", n): others[n] and uid("Record", others[n]) for n in numbers
        }


# -- split records -----------------------------------------------------------------------------


def test_parts_of_a_split_are_records_and_the_whole_is_none(empty):
    whole = uid("Record", 1)
    empty.client.load(account(1), record(1, amount=-30, recordDate="2026-09-01", payee="Shop"))
    empty.client.load(
        split_record(1, id=whole, amount=-30, recordDate="2026-09-01", payee="Shop"),
        record(11, amount=-20, recordDate="2026-09-01", payee="Shop", splitId=whole),
        record(12, amount=-10, recordDate="2026-09-01", payee="Shop", splitId=whole),
    )
    rows = empty.rows("records")
    assert sorted(row["id"] for row in rows) == [uid("Record", 11), uid("Record", 12)]
    assert not any("splitId" in row for row in rows)
    assert empty.refused("records?splitId=x")
    found = empty.get(f"records/by-id?id={whole},{uid('Record', 11)}")
    assert whole not in [row["id"] for row in found["records"]]
