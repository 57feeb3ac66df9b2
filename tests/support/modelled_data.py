"""Random data of one user in a storage, and a plain model of it in Python."""

import itertools
from collections import defaultdict
from datetime import date, timedelta

from hypothesis import strategies as st

from finance_api.query.dimensions import DIMENSIONS, WEEKDAYS
from finance_api.query.parse import parse_conditions
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.records import record_type
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS, Period, from_date, period_text, start_of, to_date

FIRST = date(2025, 11, 17)
NUMBER = 3

_users = itertools.count(1)

optional_id = st.none() | st.integers(1, NUMBER).map(make_id)
days = st.integers(0, 150).map(lambda n: FIRST + timedelta(days=n))
amounts = st.integers(-3, 3) | st.sampled_from([MAX_UNITS, -MAX_UNITS, -(2**32)])
accounts = st.lists(
    st.fixed_dictionaries(
        {
            # Equal names differ by id.
            "name": st.sampled_from(["Giro", "giro", "Ä"]),
            "currencyCode": st.sampled_from(["EUR", "CHF"]),
            "excludeFromStats": st.sampled_from([False, False, True]),
            "initialBalance": amounts,
        }
    ),
    min_size=NUMBER,
    max_size=NUMBER,
)
categories = st.tuples(
    *(
        st.fixed_dictionaries(
            {
                "name": st.sampled_from(["Food", "Fun", "food"]),
                "parentId": st.integers(0, n).map(lambda n: make_id(n) if n else None),
                "group": st.sampled_from([None, "Living", "Income"]),
                "kind": st.sampled_from([None, "income", "expense"]),
            }
        )
        for n in range(NUMBER)
    )
)
labels = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["a", "b"])}), min_size=NUMBER, max_size=NUMBER
)


def record_of(days, amounts, number_of_accounts=NUMBER):
    return st.fixed_dictionaries(
        {
            "recordDate": st.tuples(days, st.sampled_from([0, 86_399])).map(
                lambda pair: from_date(pair[0]) + pair[1]
            ),
            "amount": amounts,
            "accountId": st.integers(1, number_of_accounts).map(make_id),
            "categoryId": optional_id,
            "labelIds": st.lists(st.integers(1, NUMBER).map(make_id), max_size=2, unique=True).map(
                tuple
            ),
            "payee": st.sampled_from([None, "a", "B"]),
            "recordState": st.sampled_from([None, "cleared", "void"]),
            "transferId": st.sampled_from([None, None, make_id(9)]),
            "paymentType": st.sampled_from([None, "cash"]),
        }
    )


records = st.lists(record_of(days, amounts), max_size=30)
#: Query parameters as text.
filters = st.lists(
    st.one_of(
        st.tuples(st.just("recordDate"), st.tuples(st.sampled_from(["gte", "lt"]), days)).map(
            lambda pair: (pair[0], f"{pair[1][0]}.{pair[1][1]}")
        ),
        st.sampled_from(
            [
                ("recordDate", "gte.2025-12-01"),
                ("recordDate", "lt.2026-03-01"),
                ("accountId", make_id(1)),
                ("accountName", "eq.Giro"),
                ("category", "contains-i.foo"),
                ("category", "is.null"),
                ("category", "ne-or-null.Food"),
                ("labels", "ne-or-null.a"),
                ("payee", "ne-or-null.a"),
                ("accountName", "ne-or-null.Giro"),
                ("categoryId", "is.not_null"),
                ("categoryId", f"{make_id(1)},{make_id(2)}"),
                ("payee", "eq.a"),
                ("recordType", "expense"),
                ("amount", "gt.-3"),
                ("transferId", "is.null"),
                ("labelIds", make_id(1)),
            ]
        ),
    ),
    max_size=2,
)
dimensions = st.lists(st.sampled_from(sorted(DIMENSIONS)), max_size=3, unique=True)


class ModelledData:
    """Random data of one user, in a storage and in a model."""

    def __init__(self, backend, some_accounts, some_categories, some_labels, some_records):
        self.unit = Unit(backend, f"user{next(_users)}")
        self.accounts = numbered(ACCOUNTS, some_accounts)
        self.categories = numbered(CATEGORIES, some_categories)
        self.labels = numbered(LABELS, some_labels)
        self.account = {row["id"]: row for row in self.accounts}
        self.category = {row["id"]: row for row in self.categories}
        self.label = {row["id"]: row["name"] for row in self.labels}
        self.records = numbered(RECORDS, [self.whole(row) for row in some_records])
        self.settle()
        for resource, rows in (
            (ACCOUNTS, self.accounts),
            (CATEGORIES, self.categories),
            (LABELS, self.labels),
            (RECORDS, self.records),
        ):
            self.unit.put(resource, *rows)

    def settle(self):
        """Store on each account what follows from its records, as the ledger does.

        is_sound: whether no balance is out of range, which the ledger would refuse.
        """
        self.is_sound = True
        for account in self.accounts:
            own = [row for row in self.records if row["accountId"] == account["id"]]
            amounts = (row["amount"] for row in own if row["recordState"] != "void")
            balance = account["initialBalance"] + sum(amounts)
            if abs(balance) > MAX_UNITS:
                self.is_sound = False
                continue
            account["balance"] = balance
            last = max((row["recordDate"] for row in own), default=None)
            account["lastRecordDate"] = None if last is None else last - last % DAY_SECONDS

    def whole(self, row):
        account, category = self.account[row["accountId"]], self.category.get(row["categoryId"])
        return {
            **row,
            "currencyCode": account["currencyCode"],
            "accountName": account["name"],
            "category": category and category["name"],
            "labels": tuple(self.label[i] for i in row["labelIds"]),
            "recordType": record_type(row["amount"]),
        }

    def above(self, category_id):
        """Return the category and its ancestors."""
        found = []
        while category_id is not None:
            found.append(self.category[category_id])
            category_id = found[-1]["parentId"]
        return found

    def left_out(self, record):
        """Return why sums leave the record out."""
        reasons = {
            "void": record["recordState"] == "void",
            "transfers": record["transferId"] is not None,
            "excluded": self.account[record["accountId"]]["excludeFromStats"],
        }
        return [reason for reason, holds in reasons.items() if holds]

    def groups(self, rows, values):
        """Return the records by currency and values; values: makes all combinations of a record."""
        found = defaultdict(list)
        for row in rows:
            for those in itertools.product(*values(row)):
                found[row["currencyCode"], *those].append(row)
        return found

    def sums(self, rows):
        received = sum(row["amount"] for row in rows if self.flow(row) == "received")
        found = sums_of([row["amount"] for row in rows])
        return {**found, "spent": received - found["net"], "received": received}

    def flow(self, record):
        category = self.category.get(record["categoryId"])
        kind = category and category["kind"]
        if kind is None:
            return "received" if record["amount"] >= 0 else "spent"
        return {"income": "received", "expense": "spent"}[kind]

    def matching(self, parameters):
        """Return the records that meet these parameters, without stored sums."""
        with self.unit.reading() as storage:
            return storage.data.scan_rows(
                self.unit.user.id, RECORDS, conditions=conditions_of(parameters)
            )


def sums_of(amounts):
    income, net = sum(amount for amount in amounts if amount > 0), sum(amounts)
    return {"count": len(amounts), "income": income, "expense": net - income, "net": net}


def numbered(resource, rows):
    return [make_row(resource, number, **row) for number, row in enumerate(rows, start=1)]


def conditions_of(parameters):
    return tuple(
        condition
        for name, text in parameters
        for condition in parse_conditions(RECORDS.get_field(name), text)
    )


def values_of(data, record, name):
    """Return a record's values of a dimension, one for each group that includes it."""
    category = record["categoryId"]
    above = data.above(category)
    match name:
        case "account":
            return [(record["accountName"], record["accountId"])]
        case "category":
            return [(record["category"], category)]
        case "topCategory":
            return [(above[-1]["name"], above[-1]["id"]) if above else (None, None)]
        case "categoryGroup":
            groups = [row["group"] for row in above if row["group"] is not None]
            return [(groups[0] if groups else None,)]
        case "label":
            return [(data.label[i], i) for i in record["labelIds"]] or [(None, None)]
        case "weekday":
            number = to_date(record["recordDate"]).isoweekday()
            return [(number, WEEKDAYS[number - 1])]
        case "hour":
            second = record["recordDate"] % DAY_SECONDS
            return [(second // 3_600 if second else None,)]
        case "day" | "week" | "month" | "quarter" | "year":
            period = Period(name)
            return [(period_text(period, start_of(period, record["recordDate"])),)]
    return [(record[name],)]
