"""Usage of the API: GET /v1/api/api-usage/stats"""

from typing import Any

from pyramid.response import Response

from finance_api.api import parameters, responding, validation
from finance_api.api.endpoint import Service
from finance_api.api.openapi.responses import OF_UNSTORED, ResponseDescription
from finance_api.api.openapi.schemas import array_of, date_time, of_fields, of_members, value
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.planning.answers import Reading
from finance_api.query.errors import QueryError, quoted
from finance_api.ratelimit.tween import quota_of
from finance_api.resources.tables import USAGE
from finance_api.usage import periods
from finance_api.values.time import instant_text

_DEFAULT_PERIOD = "30days"


def _period(text: str) -> periods.UsagePeriod:
    try:
        return periods.parse_usage_period(text)
    except ValueError as error:
        raise QueryError(f"{quoted(text)} {error}") from None


#: 1 to 366 days, 1 to 53 weeks, or 1 to 13 months.
_PERIODS = (
    "^(([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])days"
    "|([1-9]|[1-4][0-9]|5[0-3])weeks|([1-9]|1[0-3])months)$"
)
PERIOD = parameters.parameter(
    "period",
    parameters.Scalar(
        _period,
        {
            "type": "string",
            "pattern": _PERIODS,
            "default": _DEFAULT_PERIOD,
            "examples": ["12weeks"],
        },
    ),
    "Number of days, weeks or months up to now, including the current one.",
    periods.parse_usage_period(_DEFAULT_PERIOD),
)


_GRANULARITIES = ["daily", "weekly", "monthly"]
_USED = of_fields("UsageInterval", USAGE)
_QUOTA = {
    "limit": value("Maximum number of requests of the token.", 500),
    "remaining": value("Number of requests left.", 458),
    "resetAt": date_time("When the whole quota is available again.", "2026-01-31T10:05:02Z"),
}
_USAGE = {
    "period": value("As in the request.", _DEFAULT_PERIOD),
    "granularity": value("Length of an interval in usage.", "daily", enum=_GRANULARITIES),
    **_USED["properties"],
    "usage": array_of(_USED),
    "rateLimit": of_members("Quota", _QUOTA),
}
USAGE_RESPONSE = ResponseDescription(of_members("Usage", _USAGE), headers=OF_UNSTORED)

api_usage = Service(
    "api.api-usage",
    "/v1/api/api-usage/stats",
    "The user's requests by day, week or month, and the token's quota.",
)


def usage(reading: Reading, values: validation.Parameters, quota: dict[str, Any]) -> dict[str, Any]:
    period: periods.UsagePeriod = values["period"]
    boundaries = period.boundaries(reading.now)
    days = reading.storage.usage.list_days(reading.user_id, boundaries[0], boundaries[-1])
    return {
        "period": str(period),
        "granularity": period.granularity,
        "from": instant_text(boundaries[0]),
        "to": instant_text(boundaries[-1]),
        "total": sum(count for _, count in days),
        "usage": [
            {"from": instant_text(start), "to": instant_text(end), "total": total}
            for start, end, total in periods.sums_between(boundaries, days)
        ],
        "rateLimit": quota,
    }


@api_usage.get(
    schema=validation.ParameterSchema(PERIOD),
    permission=Permission.API_USAGE_READ,
    answer=usage,
    response=USAGE_RESPONSE,
)
def get_usage(request: Request) -> Response:
    return responding.respond_unstored(request, quota=quota_of(request))
