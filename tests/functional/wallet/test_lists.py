"""The lists: default orders and parameters."""

import pytest

from finance_api.storage.memory.roles import MemoryLedger
from support.browser import new_token
from support.native_rows import account, record, uid
from support.service import Client
from support.statements import statement
from support.wallet import Wallet

COMMON = {"limit", "offset", "agentHints", "withTotal"}
TIMES = {"createdAt", "updatedAt"}

#: The parameters in the description of the hosted API, and those of earlier versions.
PARAMETERS = {
    "records": TIMES
    | {"id", "accountId", "recordDate", "categoryId", "labelId", "note", "counterParty", "amount"}
    | {"recordType", "isTransfer", "transferId", "recordState", "source", "sortBy", "convertTo"}
    | {"payee", "payer", "paymentType"},
    "accounts": TIMES
    | {"id", "name", "accountType", "currencyCode", "archived", "budgetId", "sortBy"}
    | {"bankAccountNumber"},
    "categories": TIMES
    | {"id", "name", "customCategory", "cardinality", "archived", "budgetId", "sortBy"},
    "budgets": TIMES
    | {"id", "name", "currencyCode", "closed", "type", "labelId", "accountId", "categoryId"}
    | {"startDate", "endDate", "spending", "sortBy"},
    "goals": TIMES | {"id", "name", "note", "sortBy"},
    "standing-orders": TIMES | {"id", "name", "currencyCode", "labelId", "sortBy"},
    "standing-orders/items": {
        "standingOrderId",
        "recordId",
        "originalDate",
        "paidDate",
        "dismissed",
    },
    "labels": TIMES
    | {"id", "name", "archived", "recordId", "budgetId", "standingOrderId", "recordRuleId"}
    | {"sortBy"},
    "record-rules": TIMES | {"id", "name", "labelId", "sortBy"},
}


def test_every_list_takes_its_parameters(wallet):
    endpoints = {each.path: each for each in wallet.service.app.registry.endpoints.values()}
    found = {
        path: {node.name for node in endpoints[f"/wallet/v1/api/{path}"].schema.children}
        for path in PARAMETERS
    }
    assert found == {path: names | COMMON for path, names in PARAMETERS.items()}


def test_each_list_has_its_default_order(wallet):
    assert wallet.ids("records")[:3] == [10, 1, 4]
    assert [row["name"] for row in wallet.rows("accounts")] == [
        "Card",
        "Depot",
        "Dollar wallet",
        "Limit",
    ]
    assert [row["name"] for row in wallet.rows("categories")] == ["Cinema", "Groceries", "Salary"]
    assert [row["name"] for row in wallet.rows("labels")] == ["home", "vacation"]
    for path in ("budgets", "goals", "standing-orders", "record-rules"):
        times = [row["createdAt"] for row in wallet.rows(path)]
        assert times == sorted(times, reverse=True)
        assert len(set(times)) > 1
    dates = [row["originalDate"] for row in wallet.rows("standing-orders/items")]
    assert dates == sorted(dates, reverse=True)


def test_records_are_found_by_label_type_transfer_and_payment(wallet):
    assert wallet.ids(f"records?labelId={uid('Label', 1)}") == [1]
    assert wallet.ids("records?recordType=income") == [4, 2]
    assert set(wallet.ids("records?isTransfer=true")) == {3, 4, 5}
    assert not {3, 4, 5} & set(wallet.ids("records?isTransfer=false"))
    assert wallet.ids("records?isTransfer=true&recordType=income") == [4]
    pair = "aaaaaaaa-0000-4000-8000-000000000001"
    assert wallet.ids(f"records?transferId={pair}") == [4, 3]
    assert wallet.ids(f"records?categoryId={uid('Category', 1)}") == [1, 3]


def test_records_are_found_by_the_parameters_of_earlier_versions(wallet):
    assert wallet.ids("records?payee=contains-i.bistro") == [1]
    assert wallet.ids("records?payer=eq.Employer") == [2]
    assert wallet.ids("records?payee=eq.Employer") == []
    assert wallet.ids("records?paymentType=debit_card") == [1]


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_types_and_currencies_are_found_in_any_case(wallet, case):
    assert wallet.ids(f"accounts?accountType={case('CreditCard')}") == [2]
    assert wallet.ids(f"accounts?accountType={case('CreditCard')},{case('Investment')}") == [2, 3]
    assert wallet.ids(f"accounts?currencyCode={case('EUR')}") == [3]
    assert wallet.ids(f"budgets?currencyCode={case('USD')}&name=eq.All") == [2]
    assert wallet.ids(f"standing-orders?currencyCode={case('EUR')}") == []
    assert wallet.refused("accounts?currencyCode=XXXX").startswith("currencyCode ")


def test_accounts_are_found_by_their_number_without_a_prefix(wallet):
    number = "CZ65%200800%200000%201920%200014%205399"
    assert wallet.ids(f"accounts?bankAccountNumber={number}") == [1]
    assert wallet.ids("accounts?bankAccountNumber=CZ65") == []


def test_accounts_and_categories_are_found_by_the_budget_that_tracks_them(wallet):
    assert wallet.ids(f"accounts?budgetId={uid('Budget', 1)}") == [1]
    assert wallet.ids(f"categories?budgetId={uid('Budget', 1)}") == [1]
    # A list that is empty means any.
    assert len(wallet.ids(f"accounts?budgetId={uid('Budget', 2)}")) == 4
    assert len(wallet.ids(f"categories?budgetId={uid('Budget', 2)}")) == 3
    assert wallet.ids(f"accounts?budgetId={uid('Budget', 99)}") == []
    assert wallet.refused("accounts?budgetId=a,b").startswith("budgetId ")


def test_labels_are_found_by_what_uses_them(wallet):
    assert wallet.ids(f"labels?recordId={uid('Record', 1)}") == [2, 1]
    assert wallet.ids(f"labels?recordId={uid('Record', 2)}") == []
    for name, model_type in (
        ("budgetId", "Budget"),
        ("standingOrderId", "StandingOrder"),
        ("recordRuleId", "RecordRule"),
    ):
        assert wallet.ids(f"labels?{name}={uid(model_type, 1)}") == [1]
        assert wallet.ids(f"labels?{name}={uid(model_type, 2)}") == []


def test_what_names_another_resource_needs_its_scope(wallet):
    service = wallet.service
    labels = service.client(scopes=["labels"])
    both = service.client(scopes=["labels", "records"])
    for client, status in ((labels, 403), (both, 200)):
        url = f"/wallet/v1/api/labels?recordId={uid('Record', 1)}"
        assert service.web.get(url, headers=client.headers, status="*").status_int == status
    url = "/wallet/v1/api/labels/references?id=x"
    assert service.web.get(url, headers=both.headers, status="*").status_int == 403


@pytest.mark.parametrize(
    ("scopes", "shows_category", "shows_label"),
    [
        (["record-rules", "standing-orders"], False, False),
        (["record-rules", "standing-orders", "records"], False, False),
        (["record-rules", "standing-orders", "categories"], True, False),
        (["record-rules", "standing-orders", "labels"], False, True),
        (None, True, True),
    ],
)
def test_names_of_categories_and_labels_need_their_scopes(
    wallet, scopes, shows_category, shows_label
):
    # A response cached for a token with all scopes is not used for other tokens.
    shops, rent = "record-rules?name=eq.Shops", "standing-orders?name=eq.Rent"
    every = wallet.rows(shops)[0], wallet.rows(rent)[0]
    service, user = wallet.service, wallet.client.user
    token = new_token(service, user, **({"scopes": scopes} if scopes else {}))
    seen = Wallet(Client(service, user, token))
    rule, order = seen.rows(shops)[0], seen.rows(rent)[0]
    ids = [{"id": label["id"]} for label in every[0]["labels"]]
    assert ids and every[0]["category"]["name"] and every[1]["labels"]
    category = every[0]["category"]
    assert rule["category"] == (category if shows_category else {"id": category["id"]})
    assert rule["labels"] == (every[0]["labels"] if shows_label else ids)
    labels = every[1]["labels"]
    ids = [{"id": label["id"]} for label in labels]
    assert order["labels"] == (labels if shows_label else ids)
    tags = {each.ask(shops).headers["ETag"] for each in (wallet, seen)}
    assert len(tags) == (1 if scopes is None else 2)


def test_categories_are_found_by_members_that_all_have_in_common(wallet):
    assert wallet.ids("categories?customCategory=true") == [2]
    assert wallet.ids("categories?archived=true") == [2]
    assert len(wallet.ids("categories?cardinality=none")) == 3
    assert len(wallet.ids("categories?cardinality=must,none")) == 3
    assert wallet.ids("categories?cardinality=must") == []
    assert wallet.refused("categories?cardinality=x").startswith("cardinality ")


def test_budgets_are_found_by_type_label_account_and_days(wallet):
    assert wallet.ids("budgets?closed=true") == [3]
    assert wallet.ids("budgets?type=BUDGET_CUSTOM") == [3]
    assert wallet.ids("budgets?type=BUDGET_ALL") == []
    assert wallet.ids(f"budgets?labelId={uid('Label', 1)}") == [1]
    assert wallet.ids(f"budgets?accountId={uid('Account', 1)}") == [1]
    assert wallet.ids(f"budgets?categoryId={uid('Category', 1)}") == [1]
    assert wallet.ids("budgets?categoryId=unknown") == []
    assert wallet.ids("budgets?startDate=gte.2026-01-01,lt.2026-01-02") == [1]
    assert wallet.ids("budgets?endDate=gte.2000-01-01") == []


def test_goals_standing_orders_and_rules_are_found_by_name_note_and_label(wallet):
    assert wallet.ids("goals?name=eq.Bicycle") == wallet.ids("goals?note=contains.umm") == [1]
    assert wallet.ids("standing-orders?name=contains-i.RENT") == [1]
    assert wallet.ids(f"standing-orders?labelId={uid('Label', 1)}") == [1]
    assert wallet.ids("record-rules?name=eq.Shops") == [1]
    assert wallet.ids(f"record-rules?labelId={uid('Label', 2)}") == []
    assert wallet.ids(f"goals?id={uid('Goal', 2)},{uid('Goal', 1)}") == [2, 1]


def test_the_period_of_the_usage_has_a_default(wallet):
    assert wallet.get("api-usage/stats")["period"] == "30days"
    assert wallet.refused("api-usage/stats?period=x").startswith("period ")


def test_records_of_statement_files_are_the_back_end_s(empty):
    empty.client.load(account(), record(1, recordDate="2026-11-01"))
    # The day since 1970, and the amount in ten-thousandths.
    empty.client.statement(statement((20_750, -25_000)), account_name="Giro")
    (read,) = empty.rows("records?source=backend")
    assert (read["source"], read["amount"]["value"]) == ("backend", -2.5)
    assert empty.ids("records?source=missing") == [1]
    assert empty.ids("records?source=missing,web") == [1]
    assert len(empty.ids("records?source=missing,backend")) == 2
    assert empty.ids("records?source=web") == []
    assert empty.refused("records?source=nope").startswith("source ")


def test_a_page_reads_only_the_imports_of_its_records(empty, monkeypatch):
    empty.client.load(account())
    for day in (20_750, 20_751):
        empty.client.statement(statement((day, -25_000)), account_name="Giro")
    list_entries, read = MemoryLedger.list_entries, []

    def remembering(history, user_id, numbers=None):
        entries = list_entries(history, user_id, numbers)
        read.append([entry.number for entry in entries])
        return entries

    monkeypatch.setattr(MemoryLedger, "list_entries", remembering)
    (record,) = empty.rows("records?limit=1")
    assert (record["source"], read) == ("backend", [[3]])
