"""Saved questions with links, which their owner creates and a stranger reads."""

from decimal import Decimal
from typing import Any

from webtest import TestResponse

from finance_api.auth.question_links import issue_link, link_path
from finance_api.questions.saved import add_question
from finance_api.storage.interface import Question, QuestionLink
from support.native_rows import account, category, record, standing_order, uid
from support.service import Client

RECORDS = "/v1/api/records?payee=eq.Bakery&limit=5"
UPCOMING = "/v1/api/standing-orders/upcoming?days=60"
SUMMARY = "/v1/api/records/summary?groupBy=category"


def household(client: Client) -> Client:
    client.load(
        account(),
        category(1, name="Food"),
        record(1, payee="Bakery", amount=Decimal("-4.25"), categoryId=uid("Category", 1)),
        record(2, payee="Bakery", amount=Decimal("-900719925474099.3001")),
        record(3, payee="Secret shop", amount=-70),
        standing_order(
            1,
            accountId=uid("Account", 1),
            amount=850,
            type="expense",
            currencyCode="EUR",
            recurrenceRule="FREQ=MONTHLY;BYMONTHDAY=1",
        ),
    )
    return client


class Linked:
    """A user's saved question, and its links."""

    def __init__(self, client: Client, address: str = RECORDS, name: str = "Bread") -> None:
        self.client, self.service = client, client.service
        now = self.service.clock.now()
        self.question: Question = self.service.change(
            lambda s: add_question(s, client.user, name=name, address=address, now=now)
        )
        self.secret = self.add()

    def add(self, name: str = "sheet", **options: Any) -> str:
        """Add a link; return its secret."""
        secret: str = self.service.change(
            lambda s: issue_link(
                s,
                self.client.user,
                self.question.id,
                name=name,
                now=self.service.clock.now(),
                **options,
            )
        )
        return secret

    @property
    def links(self) -> list[QuestionLink]:
        found: list[QuestionLink] = self.service.change(
            lambda s: s.users.list_owned(QuestionLink, self.client.user.id)
        )
        return found

    def read(
        self,
        ending: str = ".json",
        *,
        secret: str | None = None,
        method: str = "GET",
        address: str = "",
        **headers: str,
    ) -> TestResponse:
        """Read the link as anybody would. address: the client's. headers: with underscores."""
        return self.service.web.request(
            link_path(self.secret if secret is None else secret, ending),
            method=method,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
            environ={"REMOTE_ADDR": address} if address else {},
            expect_errors=True,
        )
