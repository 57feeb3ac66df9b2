"""Names of earlier versions, which one setting switches on or off."""

from functools import cache

from finance_api.wallet import accounts, budgets, categories, plans, records
from finance_api.wallet.shapes import Shape
from support.native_rows import uid

OLDER = {
    "Record": {
        *("payee", "payer", "paymentType", "labelIds", "transferRecord", "baseAmount"),
        # With category.envelopeId.
        "category",
    },
    "Account": {"initialBalance", "initialBaseBalance"},
    "Budget": {"amount"},
    "StandingOrder": {"payee", "payer", "paymentType"},
}


def test_only_these_names_belong_to_earlier_versions():
    modules = (records, accounts, categories, budgets, plans)
    shapes = [each for module in modules for each in vars(module).values() if type(each) is Shape]
    assert {shape.title: {*shape.older} for shape in shapes if shape.older} == OLDER


def row(wallet, path, model_type, number):
    (found,) = wallet.rows(f"{path}?id={uid(model_type, number)}")
    return found


def test_records_have_the_names_of_earlier_versions(wallet):
    of = cache(lambda number: row(wallet, "records", "Record", number))
    assert of(1)["payee"] == "Downtown Bistro" and "payer" not in of(1)
    assert of(2)["payer"] == "Employer" and "payee" not in of(2)
    assert of(1)["paymentType"] == "debit_card"
    assert of(1)["labelIds"] == [uid("Label", 1), uid("Label", 2)]
    assert of(2)["labelIds"] == []
    assert of(3)["transferRecord"] == of(3)["transfer"]["mirrorRecord"]
    assert "transferRecord" not in of(1) and "transferRecord" not in of(5)
    # USD is the currency of most accounts.
    assert of(1)["baseAmount"] == of(1)["amount"]
    assert "baseAmount" not in of(12)


def test_only_transfers_have_an_envelope(wallet):
    of = cache(lambda number: row(wallet, "records", "Record", number))
    assert of(3)["category"]["envelopeId"] == 20001
    assert of(3)["category"]["name"] == "Groceries"
    assert of(4)["category"] == {"envelopeId": 20001}
    assert "envelopeId" not in of(1)["category"]
    assert "category" not in of(9)


def test_initial_balances_are_sent_in_hundredths(wallet):
    found = row(wallet, "accounts", "Account", 1)
    assert found["initialBalance"] == {"value": 15.005, "currencyCode": "USD"}
    assert found["initialBaseBalance"] == found["initialBalance"]
    limit = row(wallet, "accounts", "Account", 4)
    assert limit["initialBalance"]["value"] == 0.0007
    assert "initialBaseBalance" not in row(wallet, "accounts", "Account", 3)


def test_budgets_and_standing_orders_have_the_names_of_earlier_versions(wallet):
    assert row(wallet, "budgets", "Budget", 1)["amount"] == 300
    (found,) = wallet.rows(f"budgets?id={uid('Budget', 1)}&spending=current")
    assert found["spending"]["current"]["limit"] == 300
    rent = row(wallet, "standing-orders", "StandingOrder", 1)
    assert (rent["payee"], rent["paymentType"]) == ("Landlord", "transfer")
    assert row(wallet, "standing-orders", "StandingOrder", 2)["payer"] == "Employer"
