"""A client of the Wallet API, and example data for everything that the API shows."""

from typing import Any

from webtest import TestResponse

from support.native_rows import (
    account,
    budget,
    category,
    goal,
    label,
    record,
    record_rule,
    standing_order,
    uid,
)
from support.service import Client

#: The time of all requests.
NOW = "2026-11-21T22:40:30Z"

TIMES = {"createdAt": "2026-01-15T10:30:00Z", "updatedAt": "2026-03-20T14:22:31Z"}


class Wallet:
    """A client of the Wallet API, which knows a base URL and a token."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.service = client.service

    def ask(self, path: str, *, method: str = "GET", **headers: str) -> TestResponse:
        return self.service.web.request(
            path if path.startswith("/") else f"/wallet/v1/api/{path}",
            method=method,
            headers={**self.client.headers, **headers},
            expect_errors=True,
        )

    def get(self, path: str) -> Any:
        """GET a path, which must return 200. Return the document."""
        answer = self.ask(path)
        assert answer.status_int == 200, answer.text
        return answer.json

    def rows(self, path: str) -> list[dict[str, Any]]:
        """Return the first array of the document, as simple clients read it."""
        found: list[dict[str, Any]] = next(iter(self.get(path).values()))
        assert isinstance(found, list)
        return found

    def ids(self, path: str) -> list[int]:
        """Return the numbers in the ids of the rows."""
        return [int(row["id"][-12:], 16) for row in self.rows(path)]

    def refused(self, path: str) -> str:
        """GET a path, which must return 400. Return the error's sentence."""
        answer = self.ask(path)
        assert answer.status_int == 400, answer.text
        return str(answer.json["error"])

    def hints(self, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(path)["agentHints"]
        return found


def books() -> list[dict[str, Any]]:
    first, second = uid("Account", 1), uid("Account", 2)
    food, fun, pay = (uid("Category", n) for n in (1, 2, 3))
    pair, alone = "aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002"
    return [
        account(
            1,
            name="Dollar wallet",
            currencyCode="USD",
            color="#d32f2f",
            initialBalance=1500.5,
            bankAccountNumber="CZ65 0800 0000 1920 0014 5399",
            **TIMES,
        ),
        account(
            2, name="Card", currencyCode="USD", accountType="CreditCard", initialBalance=-10.25
        ),
        account(3, name="Depot", accountType="Investment", currencyCode="EUR", archived=True),
        account(4, name="Limit", accountType="Overdraft", currencyCode="USD", initialBalance=0.07),
        category(1, name="Groceries", group="Food & drinks", color="#26c6da", **TIMES),
        category(2, name="Cinema", parentId=food, customCategory=True, archived=True),
        category(3, name="Salary", group="Income", kind="income"),
        label(1, name="vacation", color="#d32f2f", **TIMES),
        label(2, name="home", archived=True),
        record(
            1,
            amount=-42.5,
            recordDate="2026-11-15T14:30:00Z",
            categoryId=food,
            payee="Downtown Bistro",
            note="Lunch at restaurant",
            labelIds=[uid("Label", 1), uid("Label", 2)],
            recordState="cleared",
            paymentType="debit_card",
            createdAt="2026-11-21T22:36:30Z",
            updatedAt="2026-11-21T22:36:31Z",
        ),
        record(2, amount=2500, recordDate="2026-11-01", categoryId=pay, payee="Employer"),
        record(3, amount=-100, recordDate="2026-11-10", transferId=pair, categoryId=food),
        record(
            4,
            accountId=second,
            amount=100,
            recordDate="2026-11-11",
            transferId=pair,
            note="in",
            payee="Me",
        ),
        record(5, amount=-7, recordDate="2026-11-09", transferId=alone),
        record(6, amount=-1000, recordDate="2026-11-08", recordState="void"),
        record(7, accountId=second, amount=-19.99, recordDate="2026-10-02", categoryId=fun),
        record(8, amount=-3.03, recordDate="2026-08-21T22:39:59Z", recordState="reconciled"),
        record(9, amount=-4, recordDate="2026-08-21T22:40:30Z", recordState="uncleared"),
        record(10, amount=-5, recordDate="2026-11-22T22:39:59Z"),
        record(11, amount=-6, recordDate="2026-11-22T22:41:00Z"),
        record(12, accountId=uid("Account", 3), amount=-9, recordDate="2025-01-01"),
        budget(
            1,
            name="Eating",
            currencyCode="USD",
            limitAmount=300,
            categoryIds=[food],
            accountIds=[first],
            labelIds=[uid("Label", 1)],
            startDate="2026-01-01",
            **TIMES,
        ),
        budget(2, name="All", currencyCode="USD", limitAmount=10, createdAt="2026-02-01T00:00:00Z"),
        budget(3, name="Old", type="BUDGET_CUSTOM", closed=True, limitAmount=None),
        goal(
            1,
            name="Bicycle",
            note="summer",
            color="#aabbcc",
            targetAmount=1200,
            savedAmount=300.5,
            currencyCode="USD",
            desiredDate="2027-06-01",
            **TIMES,
        ),
        goal(2, name="None", state="paused"),
        standing_order(
            1,
            name="Rent",
            note="flat 3",
            accountId=first,
            categoryId=food,
            amount=-850,
            currencyCode="USD",
            payee="Landlord",
            recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=1",
            startDate="2026-01-01",
            labelIds=[uid("Label", 1)],
            paymentType="transfer",
            **TIMES,
        ),
        standing_order(2, name="Pay", amount=2000, currencyCode="USD", payee="Employer"),
        record_rule(
            1,
            name="Shops",
            keywords=["aldi", "lidl"],
            categoryId=food,
            labelIds=[uid("Label", 1)],
            accountId=first,
            **TIMES,
        ),
        record_rule(2, name="Empty"),
    ]
