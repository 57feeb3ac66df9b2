"""The payments to come that a summary's column ``left`` adds to the records."""

from collections.abc import Mapping

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.forecast.payments import ExpectedPayments
from finance_api.planning.summaries.comparing import bounds_of, is_date
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.upcoming import TooManyDueDays
from finance_api.query.evaluate import matches
from finance_api.storage.interface import Storage
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, Period, start_of

_CURRENCY = "currencyCode"


def expected_nets(storage: Storage, user_id: int, query: SummaryQuery) -> Mapping[str, int]:
    """Return the net of the payments expected until the end of the query's days, by currency.

    Nothing is expected if the days are over. Raises ParametersRefused.
    """
    on_currency = [each for each in query.conditions if each.field.name == _CURRENCY]
    has_filters = not all(is_date(each) or each in on_currency for each in query.conditions)
    if has_filters or query.group_by or query.include or query.merges:
        raise _refused(
            "left is what is left of everything: ask for it without groupBy, include and "
            "mergeCurrencies, and with no filters but recordDate and currencyCode"
        )
    first, last = bounds_of(query.conditions)
    if first >= query.today + DAY_SECONDS or last == MAX_SECONDS:
        raise _refused(
            "left needs days that have begun and have an end: add recordDate=eq.this-month"
        )
    if last < query.today:
        return {}
    try:
        payments = ExpectedPayments(storage, user_id, query.today, start_of(Period.DAY, last))
    except TooManyDueDays as error:
        raise _refused(f"left: {error}: ask for days that end earlier") from None
    return {row[_CURRENCY]: row["net"] for row in payments.totals() if matches(row, on_currency)}


def _refused(message: str) -> ParametersRefused:
    return ParametersRefused([("columns", message)])
