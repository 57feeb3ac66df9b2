"""The next days of standing orders and recurring payments, without those that are paid already."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from finance_api.planning.forecast.expected import Cause, Expectation, History, expect_of
from finance_api.planning.forecast.reading import read_near
from finance_api.planning.recurrence import schedule_of
from finance_api.planning.recurring.series import Recurring
from finance_api.planning.upcoming import TooManyDueDays, list_orders
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: Records of up to this many days ahead can be payments of coming days.
_AHEAD_DAYS = 31


class NextDays:
    """paired, paid: see `expect_of`; the recurring payments are those without transfers."""

    def __init__(
        self,
        storage: Storage,
        user_id: int,
        accounts: Sequence[Row],
        paired: Mapping[Recurring, Row | None],
        paid: Collection[tuple[str | None, str]],
        today: int,
    ) -> None:
        near = read_near(storage, user_id, today)
        transfers = {payment.record_id for transfer_id, payment in near if transfer_id is not None}
        history = History(
            today,
            (),
            near=[payment for _, payment in near],
            orders=list_orders(storage, user_id, accounts),
            accounts=accounts,
            transfers=transfers,
        )
        self._last = today + _AHEAD_DAYS * DAY_SECONDS
        try:
            expectation = expect_of(history, paired, paid, self._last)
        except TooManyDueDays:
            # Too many to compare with the records: all of them count as unpaid.
            self._last, expectation = today - DAY_SECONDS, Expectation([], [], [])
        #: The unpaid days of the first weeks.
        self._days: defaultdict[Recurring | str, list[int]] = defaultdict(list)
        for movement in expectation.movements:
            cause = movement.cause or Cause()
            if cause.order is not None:
                self._days[cause.order["id"]].append(movement.day)
            elif cause.recurring is not None:
                self._days[cause.recurring].append(movement.day)
        #: From which day on all days of a standing order are unpaid.
        self._unpaid_from = dict.fromkeys((o["id"] for o in expectation.left_out), today)

    def of_order(self, order: Row) -> Iterator[int]:
        """Yield the days of a standing order that are not paid, in order."""
        return self._from(order["id"], order["recurrenceRule"], order["startDate"])

    def of_payment(self, found: Recurring) -> Iterator[int]:
        """Yield the days of a recurring payment without a standing order."""
        return self._from(found, found.repetition.rule, found.due)

    def _from(self, key: Recurring | str, rule: str | None, start: int | None) -> Iterator[int]:
        begin = self._unpaid_from.get(key, self._last + DAY_SECONDS)
        later = schedule_of(rule, start, begin)
        return chain(sorted(self._days[key]), () if later is None else later.days())
