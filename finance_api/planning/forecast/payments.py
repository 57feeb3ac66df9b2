"""Expected payments one by one: of standing orders, and those found in the records alone."""

from collections import Counter

from finance_api.planning.counted import excluded_accounts
from finance_api.planning.forecast.expected import Cause, Movement, expect
from finance_api.planning.forecast.reading import read_history
from finance_api.planning.upcoming import MAX_DUE_DAYS, DueDays, TooManyDueDays, add_up
from finance_api.resources import ACCOUNTS
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: The name of a transfer without a standing order.
_TRANSFER = "Transfer"


class ExpectedPayments:
    """The payments that are expected from today until a day, ordered by day and name.

    A standing order without an account or an amount, for which no payments were found, is due on
    the days of its rule.
    """

    def __init__(
        self, storage: Storage, user_id: int, today: int, last: int, *, with_transfers: bool = False
    ) -> None:
        """Find the payments. Raises TooManyDueDays.

        with_transfers: whether to include transfers without a standing order, on both accounts.
        """
        history, _ = read_history(storage, user_id, today)
        expectation = expect(history, last)
        excluded = excluded_accounts(storage.data.scan_rows(user_id, ACCOUNTS), ())
        rows: dict[Cause, Row] = {}
        times: Counter[Cause] = Counter()
        payments: list[tuple[int, Row]] = []
        for movement in in_time(expectation.movements):
            cause = movement.cause
            if cause is None:
                continue
            if cause.order is None and cause.is_transfer and not with_transfers:
                continue
            if cause not in rows:
                rows[cause] = _row(movement, cause)
            payments.append((movement.day, rows[cause]))
            if not cause.is_transfer and movement.account_id not in excluded:
                times[cause] += 1
        incomplete = [{**order, "expected": False} for order in expectation.left_out]
        due = DueDays(incomplete, today, last + DAY_SECONDS)
        if len(payments) + due.number > MAX_DUE_DAYS:
            raise TooManyDueDays(f"there are more than {MAX_DUE_DAYS:,} payments until then")
        incomplete_due = due.page(due.number, 0)
        self._payments = sorted([*payments, *incomplete_due], key=_order)
        self._counted = [(rows[cause], number) for cause, number in times.items()]
        self._counted += [(row, 1) for _, row in incomplete_due]

    @property
    def number(self) -> int:
        return len(self._payments)

    def page(self, limit: int, offset: int) -> list[tuple[int, Row]]:
        return self._payments[offset : offset + limit]

    def totals(self) -> list[Row]:
        """Return the sums of each currency, without transfers and excluded accounts."""
        return add_up(self._counted)


def _row(movement: Movement, cause: Cause) -> Row:
    """Return the standing order as it is expected; or a row of the same columns without an id."""
    order, found = cause.order, cause.recurring
    row = {"expected": order is None, "accountId": movement.account_id, "amount": movement.amount}
    if found is not None and (order is None or order["amount"] is None):
        row["currencyCode"] = found.currency
    if order is not None:
        return order | row
    assert found is not None
    payee = None if cause.is_transfer else found.payee
    return row | {
        "id": None,
        "name": payee or _TRANSFER,
        "type": EXPENSE if movement.amount < 0 else INCOME,
        "categoryId": found.category_id,
        "payee": payee,
    }


def _order(payment: tuple[int, Row]) -> tuple[int, bool, str, str, str, int]:
    day, row = payment
    name, account_id = row["name"], row["accountId"]
    amount = row["amount"] or 0
    return day, name is None, name or "", row["id"] or "", account_id or "", amount
