"""Usage of the API, and remaining requests."""

from typing import Any

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.usage.periods import parse_usage_period, sums_between
from finance_api.values.regions import Region
from finance_api.web.page import page
from finance_api.web.plots import Label, column_plot
from finance_api.web.rendering import month_words
from finance_api.web.routes import get
from finance_api.web.views.tokens import token_views

_PERIODS = (("30days", "30 days"), ("12weeks", "12 weeks"), ("12months", "12 months"))


@get("settings.usage", Permission.SETTINGS_READ, "usage")
def show_usage(request: Request) -> dict[str, Any]:
    wanted = request.GET.get("period", "")
    period = parse_usage_period(wanted if wanted in dict(_PERIODS) else _PERIODS[0][0])
    boundaries = period.boundaries(request.now)
    user_id, region = request.user.id, request.region
    days = request.storage.usage.list_days(user_id, boundaries[0], boundaries[-1])
    sums = {start: total for start, _, total in sums_between(boundaries, days)}
    starts = boundaries[:-1]
    numbers = [(_full_label(start, period.unit, region), sums.get(start, 0)) for start in starts]
    plot = column_plot(
        {"requests": [number for _, number in numbers]},
        [_short_label(start, period.unit, region) for start in starts],
        [Label([f"{label}: {region.count(number)}"]) for label, number in numbers],
        region,
        unit=1,
    )
    tokens = token_views(request)
    counted = request.storage.usage.sum_by_token(user_id, boundaries[0], boundaries[-1])
    by_token = [(token, counted[token.id]) for token in tokens if token.id in counted]
    total = sum(sums.values())
    return page(
        "usage",
        "Usage",
        period=str(period),
        periods=_PERIODS,
        total=total,
        by_token=sorted(by_token, key=lambda each: -each[1]),
        other=total - sum(number for _, number in by_token),
        numbers=numbers,
        plot=plot,
        limits=request.registry.settings["finance_api.ratelimit.public"],
        tokens=[token for token in tokens if token.state == "active"],
    )


def _short_label(start: int, unit: str, region: Region) -> str:
    return month_words(start)[:3] if unit == "months" else region.day_of_year(start)


def _full_label(start: int, unit: str, region: Region) -> str:
    if unit == "months":
        return month_words(start)
    return f"{'Week from ' if unit == 'weeks' else ''}{region.day(start)}"
