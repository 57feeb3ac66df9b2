"""Recurring payments in the records that are not yet standing orders."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from finance_api.http.requests import Request
from finance_api.ledger.edits.naming import editable_fields
from finance_api.ledger.session import UserRows
from finance_api.planning.recurring import (
    Recurring,
    Status,
    list_recurring,
    payee_key,
    with_orders,
)
from finance_api.resources import STANDING_ORDERS
from finance_api.web.forms import field_texts
from finance_api.web.page import identity_of, today_of
from finance_api.web.rendering import amount

#: Up to this many are shown, the largest first.
MOST_FOUND = 30


@dataclass(frozen=True)
class FoundPayment:
    """search: finds its records. texts: of the form that adds a standing order for it."""

    recurring: Recurring
    account: str
    search: str
    texts: Mapping[str, str]


def found_payments(request: Request, owned: UserRows) -> list[FoundPayment]:
    """Return the payments that go on, the largest first."""
    accounts = owned.accounts.rows
    user_id, today = identity_of(request).user.id, today_of(request)
    found = list_recurring(request.storage, user_id, accounts.values(), today)
    orders = list(owned.row_set(STANDING_ORDERS).rows.values())
    going_on = (each for each in found if each.status is not Status.ENDED)
    shown = [each for each, order in with_orders(going_on, orders) if order is None][:MOST_FOUND]
    times = Counter(each.payee for each in shown)
    return [
        FoundPayment(
            each,
            accounts[each.account_id]["name"],
            payee_key(each.payee),
            _texts(each, is_only=times[each.payee] == 1),
        )
        for each in shown
    ]


def _texts(found: Recurring, *, is_only: bool) -> dict[str, str]:
    """is_only: whether no other payment has this payee; names of standing orders are distinct."""
    fields = editable_fields(STANDING_ORDERS)
    defaults = {field.name: field.default for field in fields.values()}
    size = amount(abs(found.amount), found.currency)
    given = {
        "name": found.payee if is_only else f"{found.payee} {size}",
        "payee": found.payee,
        "accountId": found.account_id,
        "categoryId": found.category_id,
        "amount": found.amount,
        "currencyCode": found.currency,
        "recurrenceRule": found.repetition.rule,
        "startDate": found.due,
    }
    texts = field_texts(fields, {**defaults, **given})
    return {name: text for name, text in texts.items() if text and text != "false"}
