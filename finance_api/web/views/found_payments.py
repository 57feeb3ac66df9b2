"""Recurring payments that were found in the records, beside the standing orders."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.naming import editable_fields
from finance_api.ledger.edits.objects import ignore_payment
from finance_api.ledger.session import UserRows
from finance_api.planning.recurring.again import ChargedAgain, charged_again
from finance_api.planning.recurring.orders import ended_on, own_orders, paid_payees, yearly_totals
from finance_api.planning.recurring.reading import ignored_item, ignored_payments, list_recurring
from finance_api.planning.recurring.series import Recurring, payee_key
from finance_api.resources import STANDING_ORDERS
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.values import Row
from finance_api.values.number import rounded
from finance_api.values.regions import Region
from finance_api.values.time import date_text
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.rendering import amount, cents
from finance_api.web.routes import post

#: Up to this many recurring payments are shown, the largest first.
MOST_FOUND = 30


@dataclass(frozen=True)
class FoundPayment:
    """A recurring payment that was found in the records.

    search: the words that find its records. texts: the texts for the form that adds a standing
    order for it. cancelled: the texts for one from the first payment until a day, at first today.
    item: what makes the payment ignored.
    """

    recurring: Recurring
    account: str
    search: str
    texts: Mapping[str, str]
    cancelled: Mapping[str, str]
    item: str


@dataclass(frozen=True)
class FoundPayments:
    """payments: those that are still made and have no standing order, the largest first.

    totals: the sums of all payments that are still made, by currency. again: standing orders
    that have ended and whose payments go on. ignored: see `ignored_payments`.
    """

    payments: Sequence[FoundPayment] = ()
    totals: Sequence[Row] = ()
    again: Sequence[ChargedAgain] = ()
    ignored: Mapping[Recurring, str] = field(default_factory=dict)


def found_payments(request: Request, owned: UserRows) -> FoundPayments:
    accounts = owned.accounts.rows
    user_id, today = request.user.id, request.today
    found = list_recurring(request.storage, user_id, accounts.values(), today, with_ignored=True)
    ignored = ignored_payments(found, accounts.values())
    found = [each for each in found if each not in ignored]
    orders = list(owned.row_set(STANDING_ORDERS).rows.values())
    going_on = [each for each in found if each.status is not Status.ENDED]
    own = own_orders(found, orders, paid_payees(going_on), today)
    paired = {each: own[each] for each in going_on}
    shown = [each for each, order in paired.items() if order is None][:MOST_FOUND]
    times = Counter(each.payee for each in shown)
    payments = []
    for each in shown:
        check_time()
        texts = _texts(each, request.region, is_only=times[each.payee] == 1)
        ended = {
            "recurrenceRule": each.repetition.pattern,
            "repeats-every": str(each.repetition.every),
            "repeats-end": "UNTIL",
            "repeats-until": date_text(today),
            "startDate": date_text(each.first),
        }
        name, search = accounts[each.account_id]["name"], payee_key(each.payee)
        cancelled, item = {**texts, **ended}, ignored_item(each)
        payments.append(FoundPayment(each, name, search, texts, cancelled, item))
    again = charged_again(request.storage, user_id, orders, own, today)
    totals = [_with_monthly(total) for total in yearly_totals(paired, today)]
    return FoundPayments(payments, totals, again, ignored)


def paid_again(request: Request, owned: UserRows) -> Sequence[ChargedAgain]:
    """Return the standing orders that have ended and whose payments go on."""
    orders = owned.row_set(STANDING_ORDERS).rows.values()
    has_ended = any(ended_on(order, request.today) is not None for order in in_time(orders))
    return found_payments(request, owned).again if has_ended else ()


@post("standing-orders", Permission.DATA_WRITE)
def ignore_found(request: Request) -> Response:
    """Ignore a recurring payment that was found in the records, or bring it back."""
    account_id, item = request.sent_text("account"), request.sent_text("payment")
    found = found_payments(request, pages.own_rows(request))
    is_ignored = request.sent_text("do") == "ignore"
    offered = {(each.recurring.account_id, each.item): each.recurring for each in found.payments}
    if not is_ignored:
        offered = {(each.account_id, item): each for each, item in found.ignored.items()}
    if (account_id, item) not in offered:
        return pages.done(request.path, "same")
    payee, action = offered[account_id, item].payee, "ignore" if is_ignored else "restore"
    with pages.editing(request, f"recurring {action}") as session:
        ignore_payment(session, account_id, item, payee, is_ignored=is_ignored)
    return pages.changed(session, request.path)


def _with_monthly(total: Row) -> Row:
    """Add a twelfth of the yearly sums, in the currency's decimals."""
    monthly = {
        name.replace("yearly", "monthly"): cents(rounded(total[name], 12), total["currencyCode"])
        for name in ("yearlyIncome", "yearlyExpense")
    }
    return {**total, **monthly}


def _texts(found: Recurring, region: Region, *, is_only: bool) -> dict[str, str]:
    """Return the texts for the form. is_only: whether no other payment has this payee.

    If another payment has it, too, the name includes the amount, so that no two standing orders
    have the same name.
    """
    fields = editable_fields(STANDING_ORDERS)
    defaults = {field.name: field.default for field in fields.values()}
    size = amount(abs(found.amount), region, found.currency)
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
    texts = forms.field_texts(fields, {**defaults, **given}, region)
    return {name: text for name, text in texts.items() if text and text != "false"}
