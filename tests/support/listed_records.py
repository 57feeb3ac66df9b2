"""A few records of a user, for pages that list records and make rules and transfers from them."""

from support.browser import new_token
from support.native_rows import account, category, label, record, record_rule, uid
from support.service import Client

GROCERIES, FUN = uid("Category", 1), uid("Category", 2)
ACCOUNTS = [
    account(1, name="Giro"),
    account(2, name="Savings"),
    account(3, name="Abroad", currencyCode="USD"),
]


def load_records(service, user):
    """Load the records, and return a client of the API for the user."""
    rows = [
        *ACCOUNTS,
        category(1, name="Groceries"),
        category(2, name="Fun"),
        category(3, name="Cinema", parentId=FUN),
        label(1, name="home"),
        label(2, name="work"),
        record(1, payee="Aldi", amount=-10, recordDate="2026-03-01"),
        record(2, payee="ALDI Nord", amount=-20, recordDate="2026-03-02"),
        record(
            3,
            payee="Kino",
            amount=-30,
            recordDate="2026-03-03",
            categoryId=uid("Category", 3),
            note="two seats",
        ),
        record(
            4,
            payee="Boss",
            amount=100,
            accountId=uid("Account", 3),
            recordState="void",
            recordDate="2026-03-04",
            labelIds=[uid("Label", 2)],
        ),
        record(5, payee="Out", amount=-500, recordDate="2026-02-01"),
        record(6, payee="In", amount=500, recordDate="2026-02-02", accountId=uid("Account", 2)),
        record_rule(1, keywords=["aldi"], categoryId=GROCERIES),
    ]
    service.load(user, rows)
    return Client(service, user, new_token(service, user))
