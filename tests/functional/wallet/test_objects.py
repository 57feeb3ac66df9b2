"""Every object with all its fields."""

from decimal import Decimal

import pytest

from support.native_rows import account, budget, category, record, uid

#: Objects with the names of version 2.0.0 only.
TIMES = {"createdAt": "2026-01-15T10:30:00.000Z", "updatedAt": "2026-03-20T14:22:31.000Z"}
VACATION = {"id": uid("Label", 1), "name": "vacation", "color": "#d32f2f", "archived": False}
GROCERIES = {
    "id": uid("Category", 1),
    "name": "Groceries",
    "color": "#26c6da",
    "group": {"id": "food_and_drinks", "name": "Food & drinks"},
}


@pytest.fixture
def current(wallet, monkeypatch):
    """The client with the names of earlier versions switched off."""
    settings = wallet.service.app.registry.settings
    monkeypatch.setitem(settings, "finance_api.wallet.older_names", False)
    return wallet


def one(wallet, path, model_type, number=1):
    (row,) = wallet.rows(f"{path}?id={uid(model_type, number)}")
    return row


def test_a_record_has_all_its_members(current):
    assert one(current, "records", "Record") == {
        "id": uid("Record", 1),
        "accountId": uid("Account", 1),
        "accountName": "Dollar wallet",
        "accountIsBankSync": False,
        "amount": {"value": -42.5, "currencyCode": "USD"},
        "category": GROCERIES,
        "counterParty": "Downtown Bistro",
        "note": "Lunch at restaurant",
        "labels": [VACATION, {"id": uid("Label", 2), "name": "home", "archived": True}],
        "photos": [],
        "recordDate": "2026-11-15T14:30:00.000Z",
        "recordState": "cleared",
        "recordType": "expense",
        "source": "missing",
        "transfer": None,
        "createdAt": "2026-11-21T22:36:30.000Z",
        "updatedAt": "2026-11-21T22:36:31.000Z",
    }


def test_members_without_a_value_are_left_out_of_a_record(current):
    row = one(current, "records", "Record", 12)
    assert row.keys() == {
        *("id", "accountId", "accountName", "accountIsBankSync", "amount", "labels", "photos"),
        *("recordDate", "recordType", "source", "transfer", "createdAt", "updatedAt"),
    }
    assert row["recordDate"] == "2025-01-01T00:00:00.000Z"
    assert row["labels"] == []


def test_an_account_has_all_its_members(current):
    assert one(current, "accounts", "Account") == {
        "id": uid("Account", 1),
        "name": "Dollar wallet",
        "accountType": "General",
        "currencyCode": "USD",
        "color": "#d32f2f",
        "bankAccountNumber": "CZ65 0800 0000 1920 0014 5399",
        "archived": False,
        "excludeFromStats": False,
        "isBankSync": False,
        "isInvestmentAccount": False,
        "balance": {
            "currentBalance": 3832.97,
            "rawCurrentBalance": 3832.97,
            "initial": 1500.5,
            "currencyCode": "USD",
            "balanceMode": "standard",
            "formula": "initial + totalIncomes - totalExpenses",
        },
        "recordStats": {
            "recordCount": 8,
            "recordDate": {"min": "2026-08-21T22:39:59.000Z", "max": "2026-11-22T22:41:00.000Z"},
            "totalIncomes": 2500,
            "totalExpenses": 167.53,
            "createdAt": {"min": "2026-11-21T22:36:30.000Z", "max": "2026-11-21T22:40:30.000Z"},
            "lastUpdatedAt": "2026-11-21T22:40:30.000Z",
        },
        **TIMES,
    }


def test_the_mode_of_a_balance_follows_the_type_of_the_account(current):
    modes = {row["name"]: row["balance"]["balanceMode"] for row in current.rows("accounts")}
    assert modes == {
        "Dollar wallet": "standard",
        "Depot": "standard",
        "Card": "creditCardManual",
        "Limit": "overdraftManual",
    }
    assert one(current, "accounts", "Account", 3)["isInvestmentAccount"] is True


def test_an_account_without_records_has_no_dates(current):
    assert one(current, "accounts", "Account", 4)["recordStats"] == {
        "recordCount": 0,
        "totalIncomes": 0,
        "totalExpenses": 0,
    }


def test_balances_as_a_client_reckons_them_are_ours_to_the_cent(wallet):
    flat = {row["id"]: row for row in wallet.get("/v1/api/accounts")["accounts"]}
    records = wallet.rows("records?recordDate=gte.1900-01-01&limit=200")
    for row in wallet.rows("accounts"):
        ours = Decimal(str(flat[row["id"]]["balance"]))
        own = [Decimal(str(r["amount"]["value"])) for r in records if r["accountId"] == row["id"]]
        balance, stats = row["balance"], row["recordStats"]
        # The balance follows from the records, from the totals, and from the members of earlier
        # versions.
        assert Decimal(str(balance["initial"])) + sum(own) == ours
        totals = Decimal(str(stats["totalIncomes"])) - Decimal(str(stats["totalExpenses"]))
        assert Decimal(str(balance["initial"])) + totals == ours
        assert Decimal(str(row["initialBalance"]["value"])) * 100 + sum(own) == ours
        assert Decimal(str(balance["currentBalance"])) == ours
        assert stats["recordCount"] == len(own)


def test_a_category_has_all_its_members(current):
    assert one(current, "categories", "Category") == {
        **GROCERIES,
        "archived": False,
        "customCategory": False,
        "customName": False,
        "enabled": True,
        "cardinality": "none",
        "systemId": "food_and_drinks__groceries",
        **TIMES,
    }


def test_a_custom_category_has_no_system_id(current):
    row = one(current, "categories", "Category", 2)
    assert (row["parentId"], row["parentName"]) == (uid("Category", 1), "Groceries")
    assert row["customCategory"] is True
    assert "systemId" not in row and "group" not in row


@pytest.mark.parametrize(
    ("group", "slug"),
    [
        ("Food & drinks", "food_and_drinks"),
        ("Communication, PC", "communication_pc"),
        ("Financial expenses", "financial_expenses"),
        ("Housing", "housing"),
        ("Unknown records", "unknown_records"),
        ("  A--b  ", "a_b"),
    ],
)
def test_the_id_of_a_group_is_its_name_in_lower_case(empty, group, slug):
    empty.client.load(category(group=group))
    (row,) = empty.rows("categories")
    assert row["group"] == {"id": slug, "name": group}


def test_a_budget_has_all_its_members(current):
    assert one(current, "budgets", "Budget") == {
        "id": uid("Budget", 1),
        "name": "Eating",
        "currencyCode": "USD",
        "type": "BUDGET_INTERVAL_MONTH",
        "limit": 300,
        "accountIds": [uid("Account", 1)],
        "categoryIds": [uid("Category", 1)],
        "labelIds": [uid("Label", 1)],
        "startDate": "2026-01-01",
        "closed": False,
        "limitOverrides": [],
        "pastLimitOverrides": [],
        **TIMES,
    }
    closed = one(current, "budgets", "Budget", 3)
    assert closed["closed"] is True
    assert closed["limit"] is None
    assert "closedDate" not in closed
    (spent,) = current.rows(f"budgets?id={uid('Budget', 1)}&spending=current")
    assert "limit" not in spent["spending"]["current"]


def test_limits_of_single_periods_are_listed_and_count_in_their_periods(current, empty):
    over = {"period": "2026-10", "periodStart": "2026-10-01", "limit": 5}
    given = [{"periodStart": f"2026-{n}-01", "limit": n - 5} for n in (10, 11, 12)]
    limits = budget(2, limitAmount=10, limitOverrides=given, **TIMES)
    empty.client.load(limits)
    shown = one(empty, "budgets", "Budget", 2)
    same = {"periodCount": 1, "createdAt": TIMES["createdAt"]}
    assert shown["limit"] == 10
    assert shown["pastLimitOverrides"] == [{**over, **same}]
    assert [each["limit"] for each in shown["limitOverrides"]] == [6, 7]
    path = f"budgets?id={uid('Budget', 2)}&spending=current%2B2"
    (spending,) = [row["spending"] for row in empty.rows(path)]
    periods = [spending["current"], *spending["past"]]
    assert [each["effectiveLimit"] for each in periods] == [6, 5, 10]


def test_a_goal_has_all_its_members(current):
    assert one(current, "goals", "Goal") == {
        "id": uid("Goal", 1),
        "name": "Bicycle",
        "note": "summer",
        "color": "#aabbcc",
        "state": "active",
        "targetAmount": {"value": 1200, "currencyCode": "USD"},
        "initialAmount": {"value": 300.5, "currencyCode": "USD"},
        "desiredDate": "2027-06-01T00:00:00.000Z",
        "stateUpdatedAt": TIMES["updatedAt"],
        **TIMES,
    }
    assert one(current, "goals", "Goal", 2)["initialAmount"] == {"value": 0}


def test_a_standing_order_has_all_its_members(current):
    assert one(current, "standing-orders", "StandingOrder") == {
        "id": uid("StandingOrder", 1),
        "name": "Rent",
        "note": "flat 3",
        "accountId": uid("Account", 1),
        "categoryId": uid("Category", 1),
        "currencyCode": "USD",
        "recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=1",
        "type": "expense",
        "amount": 850,
        "counterParty": "Landlord",
        "labels": [VACATION],
        "dueDate": "2026-12-01T00:00:00.000Z",
        "generateFromDate": "2026-01-01T00:00:00.000Z",
        "manualPayment": False,
        "reminder": "none",
        "dueDateNotificationEnabled": False,
        "threeDaysBeforeNotificationEnabled": False,
        **TIMES,
    }


def test_a_standing_order_has_an_item_for_each_due_day(current):
    rows = current.rows(f"standing-orders/items?standingOrderId={uid('StandingOrder', 1)}")
    # The dates from 3 months before today to 3 months after it.
    assert [row["originalDate"][:10] for row in rows] == [
        *("2027-02-01", "2027-01-01", "2026-12-01"),
        *("2026-11-01", "2026-10-01", "2026-09-01"),
    ]
    assert rows[0].keys() == {
        *("id", "standingOrderId", "originalDate", "alignedDate", "dismissed", "recordIds")
    }
    assert rows[0]["originalDate"] == rows[0]["alignedDate"] == "2027-02-01T00:00:00.000Z"
    assert (rows[0]["dismissed"], rows[0]["recordIds"]) == (False, [])
    assert rows[0]["id"][14] == "5"
    assert len({row["id"] for row in rows}) == 6


def test_items_in_an_asked_range_have_the_same_ids(current):
    path = f"standing-orders/items?standingOrderId={uid('StandingOrder', 1)}&originalDate="
    usual = {row["originalDate"]: row["id"] for row in current.rows(path[:-14])}
    rows = current.rows(f"{path}gte.2026-01-01,lte.2026-09-30")
    assert [row["originalDate"][5:7] for row in rows] == [f"{n:02}" for n in range(9, 0, -1)]
    assert rows[0]["id"] == usual["2026-09-01T00:00:00.000Z"]
    assert current.rows(f"{path}eq.2026-02-01")[0]["id"] == rows[7]["id"]
    assert len(current.rows(f"{path}gte.2030-01-01")) == 4
    assert len(current.rows(f"{path}lt.2026-03-01")) == 2
    assert current.refused(f"{path}gte.1900-01-01,lt.2100-01-01").startswith("originalDate ")


def test_too_many_items_are_refused(current, monkeypatch):
    monkeypatch.setattr("finance_api.planning.upcoming.MAX_DUE_DAYS", 5)
    message = current.refused("standing-orders/items")
    assert message.startswith("originalDate ")
    assert message.endswith("more than 5 days: ask for a shorter period")


@pytest.mark.parametrize(
    "query", ["dismissed=true", f"recordId={uid('Record', 1)}", "paidDate=gte.2000-01-01"]
)
def test_no_item_is_paid_or_dismissed(current, query):
    assert current.rows(f"standing-orders/items?{query}") == []
    assert current.rows("standing-orders/items?dismissed=false")


def test_a_label_has_all_its_members(current):
    assert one(current, "labels", "Label") == {**VACATION, **TIMES}


def test_a_record_rule_has_all_its_members(current):
    assert one(current, "record-rules", "RecordRule") == {
        "id": uid("RecordRule", 1),
        "name": "Shops",
        "keywords": ["aldi", "lidl"],
        "category": GROCERIES,
        "labels": [VACATION],
        "fromAccountId": uid("Account", 1),
        **TIMES,
    }
    bare = one(current, "record-rules", "RecordRule", 2)
    assert bare.keys() == {"id", "name", "keywords", "labels", "createdAt", "updatedAt"}


def test_usage_is_told_by_day_week_and_month(empty):
    empty.get("labels")
    empty.service.services.usage.flush()
    found = empty.get("api-usage/stats?period=4weeks")
    found.pop("rateLimit")
    assert found == {
        "period": "4weeks",
        "granularity": "weekly",
        "from": "2026-10-26T00:00:00Z",
        "to": "2026-11-23T00:00:00Z",
        "total": 1,
        "usage": [{"from": "2026-11-16T00:00:00Z", "to": "2026-11-23T00:00:00Z", "total": 1}],
    }
    periods = {"1days": "daily", "1months": "monthly"}
    for period, granularity in periods.items():
        assert empty.get(f"api-usage/stats?period={period}")["granularity"] == granularity


# -- 6.9 references ----------------------------------------------------------------------------


def refers(field, ids):
    return {"field": field, "total": len(ids), "limit": 50, "hasMore": False, "ids": ids}


@pytest.mark.parametrize("name", ["labels", "label"])
def test_references_name_the_objects_that_use_an_id(wallet, name):
    found = wallet.get(f"{name}/references?id={uid('Label', 1)},{uid('Record', 1)},x")
    assert list(found) == [uid("Label", 1), uid("Record", 1), "x"]
    assert found[uid("Label", 1)] == {
        "records": refers("labelIds", [uid("Record", 1)]),
        "standingOrders": refers("labelIds", [uid("StandingOrder", 1)]),
        "budgets": refers("labelIds", [uid("Budget", 1)]),
        "recordRules": refers("labelIds", [uid("RecordRule", 1)]),
    }
    mismatch = found[uid("Record", 1)]
    assert (mismatch["error"], mismatch["actualType"]) == ("type_mismatch", "record")
    assert mismatch["message"]
    assert found["x"] == {"error": "not found"}


def test_references_of_the_other_types(wallet):
    fields = {
        "categories": ("categoryId", "categoryId", "categoryIds", "categoryId"),
        "accounts": ("accountId", "accountId", "accountIds", "fromAccountId"),
    }
    for path, model_type in (("categories", "Category"), ("accounts", "Account")):
        (found,) = wallet.get(f"{path}/references?id={uid(model_type, 1)}").values()
        assert tuple(each["field"] for each in found.values()) == fields[path]
        assert all(each["total"] for each in found.values())
    assert wallet.get(f"records/references?id={uid('Record', 1)}") == {uid("Record", 1): {}}


def test_references_need_ids_and_are_cut_at_50(empty):
    rows = [record(n, categoryId=uid("Category", 1)) for n in range(1, 53)]
    empty.client.load(account(), category(), *rows)
    (found,) = empty.get(f"category/references?id={uid('Category', 1)}").values()
    records = found["records"]
    assert (records["total"], len(records["ids"]), records["hasMore"]) == (52, 50, True)
    for query in ("", "?id=", "?id=a,"):
        assert empty.refused(f"labels/references{query}").startswith("id ")


# -- 6.10 by id --------------------------------------------------------------------------------


def test_records_by_id_in_the_order_asked_for(wallet):
    ids = [uid("Record", n) for n in (12, 1, 6)]
    found = wallet.get(f"records/by-id?id={','.join(ids)},{ids[0]}")
    assert list(found) == ["records", "count"]
    assert [row["id"] for row in found["records"]] == ids
    assert found["count"] == 3
    assert found["records"][1] == wallet.rows(f"records?id={ids[1]}")[0]


def test_records_by_id_list_what_is_missing(wallet):
    query = f"id={uid('Record', 1)},x,{uid('Record', 99)}"
    found = wallet.get(f"records/by-id?{query}")
    assert list(found) == ["records", "count", "missingIds"]
    assert found["missingIds"] == ["x", uid("Record", 99)]
    (hint,) = wallet.hints(f"records/by-id?{query}&agentHints=true")
    assert hint["type"] == "result.partial_match"
    assert hint["data"] == {"missingIds": found["missingIds"]}
    assert wallet.refused("records/by-id").startswith("id ")
