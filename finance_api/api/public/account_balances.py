"""GET /v1/api/accounts/balances"""

from collections.abc import Mapping
from typing import Any

from pyramid.response import Response

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, Payload, RequestTarget
from finance_api.api.openapi.responses import ResponseDescription, table_response
from finance_api.api.openapi.schemas import array_of, of_fields, value
from finance_api.api.parameters import CONVERT_TO, Fault, ParameterSchema, Scalar
from finance_api.api.representation import Representation, negotiate
from finance_api.api.service import in_every_form, public, refusal
from finance_api.api.tables import TableResponse, write_table
from finance_api.auth.permissions import Permission
from finance_api.http.requests import Request
from finance_api.planning.balances import (
    BalancesError,
    BalancesQuery,
    balance_rows,
    balance_totals,
    converted_totals,
    list_balances,
    with_converted_balances,
)
from finance_api.planning.conversion import converted_fields
from finance_api.query.errors import QueryError, quoted
from finance_api.query.render import condition_text
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.common import currency_field
from finance_api.resources.field import Field, Kind
from finance_api.resources.wire import RowEncoder
from finance_api.storage.interface import Storage
from finance_api.values.periods import Period
from finance_api.values.time import TimeError, date_text, parse_date


def _column(name: str, kind: Kind, meaning: str, example: Any, *, nullable: bool = False) -> Field:
    return Field(name=name, kind=kind, meaning=meaning, example=example, nullable=nullable)


_COLUMNS = (
    _column("period", Kind.TEXT, "The interval.", "2026-01"),
    _column("periodStart", Kind.DATE, "Its first day.", "2026-01-01"),
    _column("date", Kind.DATE, "Its last day, of which the balance is.", "2026-01-31"),
    _column("account", Kind.TEXT, "Name of the account.", "Current account", nullable=True),
    RECORDS["accountId"],
    currency_field("Currency of the account.", nullable=False),
    _column("balance", Kind.NUMBER, "At the end of the day.", 1234.56),
    _column("firstRecordDate", Kind.DATE, "Day of its first record.", "2025-11-03", nullable=True),
)
_CONVERTED = converted_fields("balance")
_POINT = _COLUMNS[:3]
_TOTAL = (*_POINT, *(c for c in _COLUMNS if c.name in ("currencyCode", "balance")))
_CONVERTED_TOTAL = (*_POINT, *_CONVERTED)
_TOTAL_ENCODER = RowEncoder(_TOTAL)
_CONVERTED_TOTAL_ENCODER = RowEncoder(_CONVERTED_TOTAL)
_DATE = {"type": "string", "format": "date"}


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
    interval = {"type": "string", "enum": [*Period], "default": "month", "examples": ["month"]}
    meaning = "There is a balance at the end of each of these."
    schema.add_parameter("interval", Scalar(_interval, interval), Period.MONTH, meaning)
    day = {**_DATE, "examples": ["2026-01-01"]}
    meaning = "A day of the first interval; that of the oldest record."
    schema.add_parameter("from", Scalar(_day, day), None, meaning)
    meaning = "A day of the last interval; the later of today and the newest record's day."
    schema.add_parameter("to", Scalar(_day, day), None, meaning)
    schema.add_conditions(RECORDS["accountId"])
    schema.add_conversion(CONVERT_TO)
    schema.rules = (_is_in_order,)
    return schema


def _response() -> ResponseDescription:
    return table_response(
        "Balance",
        "balances",
        _COLUMNS,
        {
            "totals": array_of(of_fields("BalanceTotal", _TOTAL)),
            "interval": value({"type": "string", "enum": [*Period]}, "As asked for.", "month"),
            "from": value(_DATE, "First day of the first interval.", "2026-01-01"),
            "to": value(_DATE, "Last day of the last interval.", "2026-01-31"),
        },
        sometimes=_CONVERTED,
        optional={
            "convertedTotals": array_of(of_fields("ConvertedBalanceTotal", _CONVERTED_TOTAL))
        },
    )


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
        rows = balance_rows(found, interval)
        columns: tuple[Field, ...] = _COLUMNS
        totals = _TOTAL_ENCODER.documents(balance_totals(found, interval))
        members: dict[str, Any] = {"totals": totals}
        if self.convert_to is not None:
            columns += _CONVERTED
            rows = with_converted_balances(storage, rows, self.convert_to)
            converted = _CONVERTED_TOTAL_ENCODER.documents(converted_totals(rows))
            members["convertedTotals"] = converted
        members |= {
            "interval": interval.value,
            "from": date_text(found.points[0].start),
            "to": date_text(found.points[-1].last_day),
        }
        body, headers = write_table(
            TableResponse("balances", columns, rows, members), self._representation
        )
        return Payload(state, body, headers)


def get_balances(request: Request, form: Representation | None) -> Response:
    return respond(request, BalancesRequest, form)


SERVICES = tuple(
    in_every_form(
        "/v1/api/accounts/balances",
        get_balances,
        **public(
            ACCOUNTS,
            Permission.ACCOUNTS_READ,
            _schema(),
            "Balances of accounts over time.",
            _response(),
        ),
    )
)
