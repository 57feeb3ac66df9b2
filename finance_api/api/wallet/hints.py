"""agentHints: what an agent should know of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.http.requests import Request
from finance_api.ratelimit.tween import taken_from_quota
from finance_api.values.time import instant_text

Hint = dict[str, Any]

#: Below this part of the quota it is nearly used.
_LOW = 10


@dataclass(frozen=True, slots=True)
class LowQuota:
    remaining: int
    reset_at: str


def low_quota(request: Request) -> LowQuota | None:
    """Return what is left of the quota, if it is nearly used up."""
    taken = taken_from_quota(request)
    if taken is None or taken.tightest.remaining * _LOW >= taken.tightest.limit.count:
        return None
    level, now_ms = taken.tightest, request.services.clock.now_ms()
    return LowQuota(level.remaining, instant_text(-(-(now_ms + level.full_ms) // 1000)))


def has_more(url: str) -> Hint:
    return {
        "type": "pagination.has_more",
        "severity": "instruction",
        "text": "There are more rows: the next page is at action.url.",
        "action": {"url": url},
    }


def partial_match(missing_ids: Sequence[str]) -> Hint:
    return {
        "type": "result.partial_match",
        "severity": "info",
        "text": f"{len(missing_ids)} of the ids were not found.",
        "data": {"missingIds": list(missing_ids)},
    }


def empty(filters: Mapping[str, Any]) -> Hint:
    hint: Hint = {"type": "result.empty", "severity": "info", "text": "Nothing was found."}
    return {**hint, "data": {"appliedFilters": dict(filters)}} if filters else hint


def quota_warning(low: LowQuota) -> Hint:
    return {
        "type": "rate_limit.warning",
        "severity": "warning",
        "text": f"{low.remaining} requests are left.",
        "data": {"remaining": low.remaining, "reset_at": low.reset_at},
    }


def inferred_window(filters: Sequence[str]) -> Hint:
    return {
        "type": "param.inferred",
        "severity": "info",
        "text": "No recordDate was given: these are the last 3 months.",
        "data": {
            "parameter": "recordDate",
            "provided": "",
            "inferred": ", ".join(filters),
            "reason": "defaultRollingRange",
        },
    }
