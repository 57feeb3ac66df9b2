"""Filters on ids, choices and booleans, and how conditions on several fields combine."""

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Kind
from support.native_rows import account, record, uid

CHOICES = [
    pytest.param(str(r.path), f, id=f"{r.path}-{f.name}")
    for r in PUBLIC_RESOURCES
    for f in r.fields
    if f.kind is Kind.CHOICE
]
#: The choices, as the contract lists them.
KNOWN = {
    "accountType": "General Cash CurrentAccount CreditCard SavingAccount Bonus Insurance "
    "Investment Loan Mortgage Overdraft",
    "recordType": "income expense",
    "kind": "income expense",
    "paymentType": "cash debit_card credit_card transfer voucher mobile_payment web_payment",
    "recordState": "reconciled cleared uncleared void",
    "state": "active paused reached",
}
BUDGET_TYPES = "BUDGET_INTERVAL_WEEK BUDGET_INTERVAL_MONTH BUDGET_INTERVAL_YEAR BUDGET_CUSTOM"


def known_values(path, field):
    if field.name in ("currencyCode", "originalCurrencyCode"):
        return ["EUR", "USD", "CHF", "JPY", "BHD", "CLF", "XAU", "DEM"]
    if field.name == "type":
        return (BUDGET_TYPES if path == "budgets" else KNOWN["recordType"]).split()
    return KNOWN[field.name].split()


@pytest.mark.parametrize(("path", "field"), CHOICES)
def test_every_known_choice_is_taken_and_no_other(client, path, field):
    known = known_values(path, field)
    for value in (*known, ",".join(known), "eq." + ",".join(known)):
        assert client.get(path, **{field.name: value}).status_int == 200, value
    for bad in ("gold", known[0].swapcase(), f"{known[0]},gold", f"{known[0]},", "null", " "):
        fault = client.fault(path, **{field.name: bad})
        assert fault["name"] == field.name
        # A message does not list all currencies if it is clear which one was meant.
        is_listed = all(value in fault["message"] for value in known)
        assert is_listed or f'did you mean "{known[0]}"?' in fault["message"]


def test_the_record_type_follows_the_sign(client):
    client.load(account(), record(1, amount=-0.0001), record(2, amount=0.0001))
    assert client.names("records", "recordType", sortBy="id") == ["expense", "income"]
    assert client.names("records", "amount", recordType="expense") == [-0.0001]
    assert client.names("records", "amount", recordType="income") == [0.0001]


def test_ids_are_found_in_any_case_and_listed_in_lower_case(client):
    first = "ABCDEF00-0000-4000-8000-00000000ABCD"
    client.load(account(id=first), record(1, accountId=first), record(2, accountId=first.lower()))
    assert client.names("accounts", "id") == [first.lower()]
    assert client.names("records", "accountId") == [first.lower()] * 2
    for value in (first, first.lower(), f"eq.{first}", f"{uid('Account', 9)},{first}"):
        assert client.names("accounts", "id", id=value) == [first.lower()]
        assert len(client.names("records", "id", accountId=value)) == 2


def test_what_is_no_uuid_is_refused(client):
    good = uid("Account", 1)
    for bad in (
        "1",
        good[:-1],
        good + "0",
        good.replace("-", ""),
        "{" + good + "}",
        "urn:uuid:" + good,
        good.replace("0", "g", 1),
        good.replace("4000", "４000"),
        f"{good},",
        f",{good}",
        f"{good}, {good}",
        f" {good}",
        f"eq.{good},eq.{good}",
        "*",
        "-1",
        "%",
        "eq.",
        f"eq.eq.{good}",
    ):
        for field in ("id", "accountId", "categoryId", "labelIds", "transferId"):
            assert client.fault("records", **{field: bad})["name"] == field


def test_a_list_has_at_most_100_ids(client):
    client.load(account(), record(1), record(100))
    ids = [uid("Record", n) for n in range(1, 101)]
    assert len(client.names("records", "id", id=",".join(ids))) == 2
    assert len(client.names("records", "id", id="eq." + ",".join(ids))) == 2
    for field in ("id", "labelIds", "accountId"):
        value = ",".join([*ids, uid("Record", 101)])
        assert client.get("records", **{field: value}).status_int == 400
    assert client.get("records", id=",".join([ids[0]] * 101)).status_int == 400


def test_booleans_are_true_and_false(client):
    client.load(account(1), account(2, archived=True))
    for value, numbers in (("true", [2]), ("eq.true", [2]), ("false", [1]), ("eq.false", [1])):
        assert client.names("accounts", "id", archived=value) == [
            uid("Account", n) for n in numbers
        ]
    assert client.names("accounts", "id", archived=["true", "false"]) == []
    for bad in ("True", "1", "0", "yes", "", "eq.", "eq.TRUE", "true ", "null", "not.true"):
        assert client.get("accounts", archived=bad).status_int == 400
