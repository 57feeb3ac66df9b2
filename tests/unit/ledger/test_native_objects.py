"""Native objects of every type: defaults, replacement, and values that replacement keeps."""

from decimal import Decimal

import pytest

from finance_api.resources import ACCOUNTS, BUDGETS, BY_MODEL_TYPE, RECORDS, RESOURCES
from support.ledger import account, an_id, document

ALL = [account(2, name="savings"), document("Category", 3), document("Label", 4)]
TIMES = {"createdAt": "2020-01-02T03:04:05Z", "updatedAt": "2021-01-02T03:04:05Z"}
SOURCE = {"source": "elsewhere", "sourceId": "row 1"}

#: Every stored field of every type, with a distinct value, in the order of the contract's table.
FULL = {
    "Account": {
        "name": "Giro",
        "accountType": "CurrentAccount",
        "currencyCode": "EUR",
        "initialBalance": Decimal("100.0001"),
        "bankAccountNumber": "DE02",
        "color": "#123456",
        "archived": True,
        "excludeFromStats": True,
    },
    "Category": {
        "name": "Groceries",
        "parentId": an_id(3),
        "group": "Food",
        "color": "red",
        "archived": True,
        "customCategory": True,
    },
    "Label": {"name": "holiday", "color": "blue", "archived": True},
    "Record": {
        "accountId": an_id(2),
        "amount": Decimal("-900719925474099.3001"),
        "currencyCode": "EUR",
        "recordDate": "2026-01-31T10:11:12Z",
        "categoryId": an_id(3),
        "payee": "Straße",
        "note": 'a\n"note"\twith\\',
        "labelIds": [an_id(4)],
        "paymentType": "cash",
        "recordState": "uncleared",
        "transferId": an_id(77),
    },
    "Budget": {
        "name": "Food",
        "type": "BUDGET_INTERVAL_YEAR",
        "currencyCode": "EUR",
        "limitAmount": Decimal("300.5"),
        "limitOverrides": [
            {"periodStart": "2027-01-01", "limit": Decimal("900719925474099.3001")},
            {"limit": 0, "periodStart": "1900-01-01"},
        ],
        "categoryIds": [an_id(3)],
        "accountIds": [an_id(2)],
        "labelIds": [an_id(4)],
        "startDate": "2026-01-01",
        "endDate": "2026-12-31",
        "closed": True,
    },
    "Goal": {
        "name": "Bicycle",
        "note": "soon",
        "color": "green",
        "targetAmount": 1200,
        "savedAmount": Decimal("0.01"),
        "currencyCode": "USD",
        "desiredDate": "2027-01-01",
        "state": "paused",
    },
    "StandingOrder": {
        "name": "Rent",
        "type": "expense",
        "accountId": an_id(2),
        "categoryId": an_id(3),
        "amount": -850,
        "currencyCode": "EUR",
        "payee": "Landlord",
        "note": "flat 3",
        "paymentType": "transfer",
        "recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=1",
        "startDate": "2026-01-01",
        "labelIds": [an_id(4)],
        "manualPayment": True,
    },
    "RecordRule": {
        "name": "Shops",
        "keywords": ["aldi", "lidl"],
        "categoryId": an_id(3),
        "labelIds": [an_id(4)],
        "accountId": an_id(2),
    },
    "Contact": {"name": "Landlord", "phone": "+49", "since": [1, {"a": None}]},
    "HashTag": {"name": "trip"},
    "MagicRule": {"name": "Round up", "to": 1},
}
DEFAULTS = {
    "Account": {
        "accountType": "General",
        "initialBalance": 0,
        "archived": False,
        "excludeFromStats": False,
    },
    "Category": {"parentId": None, "archived": False, "customCategory": False},
    "Label": {"archived": False, "color": None},
    "Record": {"labelIds": (), "categoryId": None, "recordState": None, "note": None},
    "Budget": {
        "type": "BUDGET_INTERVAL_MONTH",
        "limitOverrides": (),
        "categoryIds": (),
        "closed": False,
    },
    "Goal": {"savedAmount": 0, "state": "active", "targetAmount": None},
    "StandingOrder": {"labelIds": (), "manualPayment": False, "recurrenceRule": None},
    "RecordRule": {"keywords": (), "labelIds": (), "categoryId": None, "accountId": None},
    "Contact": {},
    "HashTag": {},
    "MagicRule": {},
}
types = pytest.mark.parametrize("model_type", FULL)


def full(model_type, **values):
    return {
        "reserved_model_type": model_type,
        "id": an_id(9),
        **FULL[model_type],
        **TIMES,
        **SOURCE,
        **values,
    }


def required(model_type):
    return {
        "reserved_model_type": model_type,
        "id": an_id(9),
        **{
            f.name: FULL[model_type][f.name]
            for f in BY_MODEL_TYPE[model_type].native_fields
            if f.required
        },
    }


def lines_of(person, model_type):
    start = f'{{"reserved_model_type":"{model_type}"'.encode()
    return [line for line in person.dump().splitlines() if line.startswith(start)]


def test_the_types_are_those_of_the_document_and_record():
    # A SplitRecord needs its parts: see `edits/test_splits.py`.
    assert {*FULL, "SplitRecord"} == set(BY_MODEL_TYPE) == {r.model_type for r in RESOURCES}


@types
def test_every_field_is_given_back_as_it_came_in_the_order_of_the_table(person, model_type):
    person.native(*ALL, full(model_type))
    (line,) = [x for x in lines_of(person, model_type) if an_id(9).encode() in x]
    other = type(person)(person.backend)
    other.native(*ALL)
    other.file(line)
    rows = [each.row(BY_MODEL_TYPE[model_type], 9) for each in (other, person)]
    for row in rows:
        # The importId differs between the users.
        row.pop("importId", None)
    assert rows[0] == rows[1]
    for name, value in {**FULL[model_type], **TIMES, **SOURCE}.items():
        assert f'"{name}":'.encode() in line, name
        assert value is None or f'"{name}":null'.encode() not in line, name
    # Undeclared members are ordered by name.
    fields = {"name": 0} if model_type in ("Contact", "MagicRule") else FULL[model_type]
    table = ["reserved_model_type", "id", *fields, *TIMES, *SOURCE]
    places = [line.index(f'"{name}":'.encode()) for name in table]
    assert places == sorted(places)


@types
def test_missing_keys_take_their_defaults(person, model_type):
    person.native(*ALL, required(model_type))
    row = person.row(BY_MODEL_TYPE[model_type], 9)
    for name, value in DEFAULTS[model_type].items():
        assert row[name] == value, name
    assert row["createdAt"] == row["updatedAt"] == person.clock.now()


@types
def test_whole_object_replaces_the_stored_one_and_keeps_only_its_times(person, model_type):
    person.native(*ALL, full(model_type))
    before = person.row(BY_MODEL_TYPE[model_type], 9)
    person.clock.set("2026-06-01T00:00:00Z")
    report = person.native(required(model_type))
    after = person.row(BY_MODEL_TYPE[model_type], 9)
    assert (report.created, report.updated) == (0, 1)
    assert after["createdAt"] == before["createdAt"]
    assert after["updatedAt"] in (before["updatedAt"], person.clock.now())
    assert after["source"] is after["sourceId"] is None
    for name, value in DEFAULTS[model_type].items():
        assert after[name] == value, name
    assert after.get("extra") is None


@types
def test_importing_twice_changes_nothing(person, model_type):
    rows = [*ALL, full(model_type)]
    assert person.native(*rows).created == len(rows)
    before = person.snapshot()
    person.clock.set("2026-06-01T00:00:00Z")
    report = person.native(*rows)
    assert (report.created, report.updated, report.unchanged) == (0, 0, len(rows))
    person.native(*({k: v for k, v in row.items() if k not in TIMES} for row in rows))
    assert person.snapshot() == before


@types
def test_object_without_an_id_is_found_again_by_its_source(person, model_type):
    row = full(model_type)
    del row["id"]
    person.native(*ALL, row)
    first = [r["id"] for r in person.rows(BY_MODEL_TYPE[model_type])]
    report = person.native({**row, "updatedAt": "2026-02-02T00:00:00Z"})
    assert (report.created, report.updated) == (0, 1)
    assert [r["id"] for r in person.rows(BY_MODEL_TYPE[model_type])] == first


def test_nothing_is_ever_deleted(person):
    person.native(*ALL, full("Record"), full("Budget"))
    person.native(account(8))
    assert len(person.rows(ACCOUNTS)) == 2
    assert len(person.rows(RECORDS)) == len(person.rows(BUDGETS)) == 1


def test_objects_of_different_types_may_share_an_id(person):
    person.native(*ALL, *(full(model_type) for model_type in FULL))
    for model_type in FULL:
        assert person.row(BY_MODEL_TYPE[model_type], 9)["id"] == an_id(9)
    person.audit()
