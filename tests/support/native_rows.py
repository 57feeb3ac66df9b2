"""Short functions that make rows of the native format."""

from collections.abc import Callable
from typing import Any

from finance_api.resources import BY_MODEL_TYPE
from finance_api.resources.field import Kind, Role

Native = dict[str, Any]
#: The kinds whose examples fit every object.
_WITH_EXAMPLES = (Kind.TEXT, Kind.NUMBER, Kind.DATE, Kind.DATETIME)

_TYPES = (
    *("Account", "Category", "Label", "Record", "Budget", "Goal", "StandingOrder", "RecordRule"),
    "SplitRecord",
)


def uid(model_type: str, number: int) -> str:
    """Return the id of the ``number``-th object of a type. Ids of a type sort by number."""
    return f"{_TYPES.index(model_type) + 1:08x}-0000-4000-8000-{number:012x}"


def _maker(model_type: str, **defaults: Any) -> Callable[..., Native]:
    def make(number: int = 1, **fields: Any) -> Native:
        row = {"reserved_model_type": model_type, "id": uid(model_type, number)}
        return {**row, **defaults, **fields}

    return make


account = _maker("Account", name="Giro", currencyCode="EUR")
category = _maker("Category", name="Food")
label = _maker("Label", name="home")
record = _maker("Record", accountId=uid("Account", 1), amount=-1, recordDate="2026-03-18")
split_record = _maker(
    "SplitRecord", accountId=uid("Account", 1), amount=-1, recordDate="2026-03-18"
)
budget = _maker("Budget", name="Budget", currencyCode="EUR", limitAmount=100)
goal = _maker("Goal", name="Bicycle")
standing_order = _maker("StandingOrder", name="Rent", startDate="2026-01-01")
record_rule = _maker("RecordRule", name="Shops")


def payees(*texts: str | None) -> list[Native]:
    """Return an account, and a record for each payee, numbered from 1."""
    return [account()] + [record(n, payee=text) for n, text in enumerate(texts, 1)]


def household() -> list[Native]:
    """Return objects of every type. Each optional field is present in one, missing in another.

    The first object of a type has examples in the fields that nothing below needs.
    """
    times = [
        {"createdAt": f"2026-01-0{n}T10:00:00Z", "updatedAt": f"2026-02-0{n}T23:59:59Z"}
        for n in range(1, 5)
    ]
    accounts = [uid("Account", n) for n in (1, 2, 3)]
    categories = [uid("Category", n) for n in (1, 2, 3)]
    labels = [uid("Label", n) for n in (1, 2, 3)]
    objects = [
        account(
            1,
            name="Giro",
            accountType="CurrentAccount",
            initialBalance=100.5,
            bankAccountNumber="DE02120300000000202051",
            color="#00AAff",
            **times[0],
        ),
        account(2, name="Épargne", currencyCode="CHF", archived=True, **times[1]),
        account(3, name="giro", accountType="Cash", excludeFromStats=True, **times[2]),
        category(1, name="Food", group="Living", color="#0f0", **times[0]),
        category(2, name="Straße", parentId=categories[0], archived=True, **times[1]),
        category(3, name="food", customCategory=True, **times[2]),
        label(1, name="home", color="#f00", **times[0]),
        label(2, name="Home", archived=True, **times[1]),
        label(3, name="a, b", **times[2]),
        record(
            1,
            amount=-42.5,
            recordDate="2026-03-01",
            categoryId=categories[0],
            payee="Corner Shop",
            note="100% \\ off_",
            labelIds=labels[:2],
            paymentType="debit_card",
            recordState="cleared",
            valueDate="2026-03-03",
            counterpartyAccount="DE75512108001245126199",
            reference="RF18539007",
            originalAmount=-49.9,
            originalCurrencyCode="USD",
            **times[0],
        ),
        record(2, amount=1200, recordDate="2026-03-02", recordState="void", **times[1]),
        record(
            3,
            accountId=accounts[1],
            amount=-0.0001,
            recordDate="2026-03-02",
            categoryId=categories[1],
            payee="ÉCOLE",
            transferId=uid("Record", 99),
            **times[2],
        ),
        record(
            4,
            accountId=accounts[2],
            amount=0,
            recordDate="2025-12-31",
            note="corner",
            labelIds=[labels[2]],
            paymentType="cash",
            recordState="reconciled",
            **times[3],
        ),
        budget(
            1,
            name="Eating",
            type="BUDGET_INTERVAL_WEEK",
            categoryIds=categories[:2],
            accountIds=accounts[:1],
            labelIds=labels[:1],
            startDate="2026-01-01",
            endDate="2026-12-31",
            **times[0],
        ),
        budget(
            2,
            name="Year",
            type="BUDGET_INTERVAL_YEAR",
            closed=True,
            limitOverrides=[{"periodStart": "2026-01-01", "limit": 12.5}],
            **times[1],
        ),
        budget(3, name=None, currencyCode=None, limitAmount=None, **times[2]),
        budget(4, type="BUDGET_CUSTOM", endDate="2026-02-28", limitAmount=50, **times[3]),
        goal(
            1,
            note="summer",
            color="#abc",
            targetAmount=1200,
            savedAmount=300,
            currencyCode="EUR",
            desiredDate="2026-06-01",
            accountId=accounts[0],
            **times[0],
        ),
        goal(
            2,
            name="bicycle",
            state="paused",
            targetAmount=10,
            savedAmount=9.99,
            labelId=labels[0],
            **times[1],
        ),
        goal(3, name=None, state="reached", **times[2]),
        standing_order(
            1,
            type="expense",
            accountId=accounts[0],
            categoryId=categories[0],
            amount=-850,
            currencyCode="EUR",
            payee="Landlord",
            note="flat 3",
            paymentType="transfer",
            recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=1",
            labelIds=labels[:2],
            **times[0],
        ),
        standing_order(
            2,
            name="Pay",
            amount=2000,
            startDate="2026-03-30",
            recurrenceRule="FREQ=WEEKLY",
            manualPayment=True,
            **times[1],
        ),
        standing_order(3, name=None, startDate=None, **times[2]),
        record_rule(
            1,
            keywords=["aldi", "Süß 50%"],
            categoryId=categories[0],
            labelIds=labels[:2],
            accountId=accounts[0],
            **times[0],
        ),
        record_rule(2, name=None, keywords=["lidl"], **times[1]),
        record_rule(3, name="shops", **times[2]),
    ]
    return [{**_examples(row), **row} for row in objects]


def _examples(row: Native) -> Native:
    """Return examples of the optional texts, numbers and dates of a type's first object."""
    model_type: str = row["reserved_model_type"]
    if row["id"] != uid(model_type, 1):
        return {}
    fields = BY_MODEL_TYPE[model_type].having_role(Role.STORED)
    return {f.name: f.example for f in fields if f.nullable and f.kind in _WITH_EXAMPLES}
