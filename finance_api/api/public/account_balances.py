"""GET /v1/api/accounts/balances"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.parameters import CONVERT_TO, Conditions, Fault, ParameterSchema, Scalar
from finance_api.api.representation import Representation, negotiate
from finance_api.api.service import in_every_form, public, refusal
from finance_api.api.tables import TableAnswer, write_table
from finance_api.auth.permissions import Permission
from finance_api.planning.balances import Balances, BalancesError, BalancesQuery, list_balances
from finance_api.planning.conversion import Conversion, converted_fields
from finance_api.query.errors import QueryError, quoted
from finance_api.query.render import condition_text
from finance_api.requests import Request
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import RowEncoder
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.periods import Period, period_text
from finance_api.values.time import TimeError, date_text, parse_date


def _column(name: str, kind: Kind) -> Field:
    return Field(name=name, kind=kind, meaning="", example=None)


def _account_id() -> Field:
    found = RECORDS.get_field("accountId")
    assert found is not None
    return found


_COLUMNS = (
    _column("period", Kind.TEXT),
    _column("periodStart", Kind.DATE),
    _column("date", Kind.DATE),
    _column("account", Kind.TEXT),
    _column("accountId", Kind.ID),
    _column("currencyCode", Kind.CHOICE),
    _column("balance", Kind.NUMBER),
    _column("firstRecordDate", Kind.DATE),
)
_CONVERTED = converted_fields("balance")
_TOTAL_ENCODER = RowEncoder((*_COLUMNS[:3], *_CONVERTED))


def _interval(text: str) -> Period:
    try:
        return Period(text)
    except ValueError:
        raise QueryError(f"{quoted(text)} is not one of {', '.join(Period)}") from None


def _day(text: str) -> int:
    try:
        return parse_date(text)
    except TimeError as error:
        raise QueryError(f"{quoted(text)} {error}") from None


def _is_in_order(parameters: Mapping[str, Any]) -> Fault | None:
    first, last = parameters["from"], parameters["to"]
    is_later = first is not None and last is not None and first > last
    return ("from", "is later than to") if is_later else None


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    schema.add_parameter("interval", Scalar(_interval), Period.MONTH)
    schema.add_parameter("from", Scalar(_day), None)
    schema.add_parameter("to", Scalar(_day), None)
    schema.add_parameter("accountId", Conditions(_account_id()), ())
    schema.add_conversion(CONVERT_TO)
    schema.rules = (_is_in_order,)
    return schema


class BalancesRequest(DataRequest):
    """The balances at the end of each interval, by account and added up by currency."""

    depends_on_today = True

    def __init__(self, representation: Representation | None, target: RequestTarget) -> None:
        """representation: None: the one that the client prefers."""
        self._representation = representation or negotiate(target.accept)
        given = target.parameters
        self._query = BalancesQuery(
            given["interval"], given["from"], given["to"], given["accountId"]
        )
        self.convert_to = given[CONVERT_TO]
        ids = sorted({condition_text(condition) for condition in self._query.conditions})
        days = [str(day) for day in (self._query.first, self._query.last)]
        self.text = "\0".join(["balances", self._query.interval, str(self.convert_to), *days, *ids])
        self.content_type = self._representation.content_type
        self.key = (target.path, target.query_string, self.content_type)

    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        state = storage.data.get_state(user_id)
        try:
            found = list_balances(storage, user_id, self._query, today)
        except BalancesError as error:
            raise refusal([(error.name, str(error))]) from None
        interval = self._query.interval
        rows = [
            {
                "period": period_text(interval, point.start),
                "periodStart": point.start,
                "date": point.last_day,
                "account": account["name"],
                "accountId": account["id"],
                "currencyCode": account["currencyCode"],
                "balance": found.of[account["id"]][at],
                "firstRecordDate": found.first_dates.get(account["id"]),
            }
            for at, point in enumerate(found.points)
            for account in found.accounts
        ]
        columns: tuple[Field, ...] = _COLUMNS
        members: dict[str, Any] = {"totals": _totals(found, interval)}
        if self.convert_to is not None:
            columns += _CONVERTED
            days = [point.last_day for point in found.points]
            conversion = Conversion(storage, self.convert_to, days)
            for row in rows:
                balance, currency, day = row["balance"], row["currencyCode"], row["date"]
                row |= conversion.columns("balance", balance, currency, day)
            members["convertedTotals"] = _converted_totals(rows)
        members |= {
            "interval": interval.value,
            "from": date_text(found.points[0].start),
            "to": date_text(found.points[-1].last_day),
        }
        body, headers = write_table(
            TableAnswer("balances", columns, rows, members), self._representation
        )
        return Payload(state, body, headers)


def _converted_totals(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """At each point: the sum of the converted balances; none where one of them is missing."""
    totals = []
    for _, at_point in groupby(rows, itemgetter("date")):
        found = list(at_point)
        balances = [row["convertedBalance"] for row in found]
        errors = dict.fromkeys(filter(None, (row["conversionError"] for row in found)))
        sums: Row = {"convertedBalance": None if errors else sum(balances)}
        total = found[0] | sums | {"conversionError": "; ".join(errors) or None}
        totals.append(_TOTAL_ENCODER.document(total))
    return totals


def _totals(found: Balances, interval: Period) -> list[dict[str, Any]]:
    """At each point, by currency: the sum of the balances."""
    currencies = sorted({account["currencyCode"] for account in found.accounts})
    totals = []
    for at, point in enumerate(found.points):
        for currency in currencies:
            total = sum(
                found.of[account["id"]][at]
                for account in found.accounts
                if account["currencyCode"] == currency
            )
            totals.append(
                {
                    "period": period_text(interval, point.start),
                    "periodStart": date_text(point.start),
                    "date": date_text(point.last_day),
                    "currencyCode": currency,
                    "balance": orjson.Fragment(decimal_text(total)),
                }
            )
    return totals


def get_balances(request: Request, form: Representation | None) -> Response:
    return respond(request, BalancesRequest, form)


SERVICES = tuple(
    in_every_form(
        "/v1/api/accounts/balances",
        get_balances,
        **public(ACCOUNTS, Permission.ACCOUNTS_READ, _schema(), "Balances of accounts over time."),
    )
)
