"""agentHints: what an agent should know of an answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.http.requests import Request
from finance_api.ratelimit.tween import taken_from_quota
from finance_api.values.time import instant_text

Hint = dict[str, Any]

#: The quota is nearly used up if less than 1/_LOW of it is left.
_LOW = 10


def _hint(kind: str, severity: str, text: str, **more: Any) -> Hint:
    return {"type": kind, "severity": severity, "text": text, **more}


def low_quota(request: Request) -> tuple[int, str] | None:
    """Return how many requests are left until when, if the quota is nearly used up."""
    taken = taken_from_quota(request)
    if taken is None or taken.tightest.remaining * _LOW >= taken.tightest.limit.count:
        return None
    level, now_ms = taken.tightest, request.services.clock.now_ms()
    return level.remaining, instant_text(-(-(now_ms + level.full_ms) // 1000))


def has_more(url: str) -> Hint:
    text = "There are more rows: the next page is at action.url."
    return _hint("pagination.has_more", "instruction", text, action={"url": url})


def partial_match(missing_ids: Sequence[str]) -> Hint:
    text = f"{len(missing_ids)} of the ids were not found."
    return _hint("result.partial_match", "info", text, data={"missingIds": list(missing_ids)})


def empty(filters: Mapping[str, Any]) -> Hint:
    data = {"data": {"appliedFilters": dict(filters)}} if filters else {}
    return _hint("result.empty", "info", "No rows match.", **data)


def quota_warning(remaining: int, reset_at: str) -> Hint:
    data = {"remaining": remaining, "reset_at": reset_at}
    return _hint("rate_limit.warning", "warning", f"{remaining} requests are left.", data=data)


def inferred_window(filters: Sequence[str]) -> Hint:
    data = {
        "parameter": "recordDate",
        "provided": "",
        "inferred": ", ".join(filters),
        "reason": "defaultRollingRange",
    }
    text = "Without recordDate, the response has only the last 3 months."
    return _hint("param.inferred", "info", text, data=data)
