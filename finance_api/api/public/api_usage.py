"""GET /v1/api/api-usage/stats"""

from typing import Any

import colander
from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.parameters import ParameterSchema, Scalar, validate_query
from finance_api.api.representation import JSON, json_response, negotiate
from finance_api.api.service import public_usage_service
from finance_api.auth.permissions import Permission
from finance_api.query.errors import QueryError, quoted
from finance_api.usage.periods import (
    UsagePeriod,
    UsagePeriodError,
    parse_usage_period,
    sums_between,
)
from finance_api.values.time import instant_text

_DEFAULT_PERIOD = "30days"


def _period(text: str) -> UsagePeriod:
    try:
        return parse_usage_period(text)
    except UsagePeriodError as error:
        raise QueryError(f"{quoted(text)} {error}") from None


def _schema() -> ParameterSchema:
    schema = ParameterSchema()
    schema.add(
        colander.SchemaNode(
            Scalar(_period), name="period", missing=parse_usage_period(_DEFAULT_PERIOD)
        )
    )
    return schema


service = public_usage_service("How much the user has used the API, and the token's quota.")


@service.get(schema=_schema(), validators=(validate_query,), permission=Permission.API_USAGE_READ)
def get_usage(request: Request) -> Response:
    negotiate(request.environ.get("HTTP_ACCEPT"), (JSON,))
    period: UsagePeriod = request.validated["period"]
    boundaries = period.boundaries(request.registry.clock.now())
    days = request.storage.usage.list_days(request.context.user_id, boundaries[0], boundaries[-1])
    response = json_response(
        {
            "period": str(period),
            "granularity": period.granularity,
            "from": instant_text(boundaries[0]),
            "to": instant_text(boundaries[-1]),
            "total": sum(count for _, count in days),
            "usage": [
                {"from": instant_text(start), "to": instant_text(end), "total": total}
                for start, end, total in sums_between(boundaries, days)
            ],
            "rateLimit": _quota(request),
        }
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Accept, Authorization"
    return response


def _quota(request: Request) -> dict[str, Any]:
    """What is left for the token that asks."""
    now_ms = request.registry.clock.now_ms()
    level = request.registry.quotas.peek(request.identity, now_ms).tightest
    return {
        "limit": level.limit.count,
        "remaining": level.remaining,
        "resetAt": instant_text(-(-(now_ms + level.full_ms) // 1000)),
    }
