"""Standing orders, and the recurring payments in the records that belong to one or to none."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from finance_api.ledger.edits.naming import editable_fields
from finance_api.ledger.session import UserRows
from finance_api.planning.forecast.next_days import NextDays
from finance_api.planning.recurring.again import ChargedAgain, charged_again
from finance_api.planning.recurring.orders import ended_on, own_orders, paid_payees, yearly_totals
from finance_api.planning.recurring.reading import ignored_item, ignored_payments, list_recurring
from finance_api.planning.recurring.series import Recurring, payee_key
from finance_api.resources import RECORDS, STANDING_ORDERS
from finance_api.resources.tables import Status
from finance_api.runtime.time_limit import check_time, in_time
from finance_api.values import Row
from finance_api.values.regions import Region
from finance_api.values.time import MAX_SECONDS, date_text
from finance_api.web import forms
from finance_api.web.api_requests import recurring_request
from finance_api.web.cells import title_of
from finance_api.web.object_details import NEWEST_RECORDS, ObjectDetail
from finance_api.web.rendering import amount

#: Up to this many recurring payments are shown, the largest first.
MOST_FOUND = 30
#: The page of a standing order shows this many of its next days.
_NEXT_DAYS = 3


@dataclass(frozen=True)
class FoundPayment:
    """A recurring payment that was found in the records.

    next: the first day that is not paid. search: the words that find its records. texts: the texts
    for the form that adds a standing order for it. cancelled: the texts for one from the first
    payment until a day, at first today. item: what makes the payment ignored.
    """

    recurring: Recurring
    next: int
    account: str
    search: str
    texts: Mapping[str, str]
    cancelled: Mapping[str, str]
    item: str


@dataclass(frozen=True)
class FoundPayments:
    """payments: those that are still made and have no standing order, the largest first.

    days: see `NextDays`. own: the payments by the id of their standing order. totals: the sums of
    all payments that are still made, by currency. again: standing orders that have ended and whose
    payments go on. ignored: see `ignored_payments`.
    """

    days: NextDays
    payments: Sequence[FoundPayment]
    own: Mapping[str, Recurring]
    totals: Sequence[Row]
    again: Sequence[ChargedAgain]
    ignored: Mapping[Recurring, str]

    def next_day(self, order: Row) -> int | None:
        return next(self.days.of_order(order), None)

    def by_day(self, order: Row) -> tuple[int, str]:
        """Return the key that sorts standing orders by their next day and name."""
        return self.next_day(order) or MAX_SECONDS, title_of(order).casefold()


def found_payments(owned: UserRows, today: int, region: Region) -> FoundPayments:
    accounts, storage, user_id = owned.accounts.rows, owned.storage, owned.user.id
    found = list_recurring(storage, user_id, accounts.values(), today, with_ignored=True)
    ignored = ignored_payments(found, accounts.values())
    found = [each for each in found if each not in ignored]
    orders = list(owned.row_set(STANDING_ORDERS).rows.values())
    going_on = [each for each in found if each.status is not Status.ENDED]
    paid = paid_payees(going_on)
    own = own_orders(found, orders, paid, today)
    days = NextDays(storage, user_id, [*accounts.values()], own, paid, today)
    paired = {each: own[each] for each in going_on}
    shown = [each for each, order in paired.items() if order is None][:MOST_FOUND]
    times = Counter(each.payee for each in shown)
    payments = []
    for each in shown:
        check_time()
        texts = _texts(each, region, is_only=times[each.payee] == 1)
        ended = {
            "recurrenceRule": each.repetition.pattern,
            "repeats-every": str(each.repetition.every),
            "repeats-end": "UNTIL",
            "repeats-until": date_text(today),
            "startDate": date_text(each.first),
        }
        name, search = accounts[each.account_id]["name"], payee_key(each.payee)
        cancelled, item = {**texts, **ended}, ignored_item(each)
        day = each.next if each.status is Status.OVERDUE else next(days.of_payment(each), each.next)
        payments.append(FoundPayment(each, day, name, search, texts, cancelled, item))
    again = charged_again(storage, user_id, orders, own, today)
    totals = yearly_totals(paired, today)
    of_order = {order["id"]: each for each, order in own.items() if order is not None}
    return FoundPayments(days, payments, of_order, totals, again, ignored)


def paid_again(owned: UserRows, today: int, region: Region) -> Sequence[ChargedAgain]:
    """Return the standing orders that have ended and whose payments go on."""
    orders = owned.row_set(STANDING_ORDERS).rows.values()
    has_ended = any(ended_on(order, today) is not None for order in in_time(orders))
    return found_payments(owned, today, region).again if has_ended else ()


class StandingOrderDetail(ObjectDetail):
    """When it is due, and the payments in the records that belong to it."""

    template = "object_standing_order.jinja2"

    @cached_property
    def _found(self) -> FoundPayments:
        self._answers.shown.append(recurring_request)
        return found_payments(self._owned, self._answers.today, self._region)

    @property
    def next_days(self) -> list[int]:
        return list(islice(self._found.days.of_order(self.row), _NEXT_DAYS))

    @property
    def again(self) -> list[ChargedAgain]:
        return [each for each in self._found.again if each.order["id"] == self.row["id"]]

    @property
    def paid(self) -> Recurring | None:
        """The recurring payment that belongs to it, if one was found."""
        return self._found.own.get(self.row["id"])

    @cached_property
    def records(self) -> Sequence[Row]:
        ids = self.paid.record_ids[-int(NEWEST_RECORDS) :] if self.paid else ()
        found = self._owned.get_rows(RECORDS, ids)
        return [found[row_id] for row_id in reversed(ids)]


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
