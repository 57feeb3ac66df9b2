"""Usage of the API, and remaining requests."""

from typing import Any

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.usage.periods import parse_usage_period, sums_between
from finance_api.values.regions import Region
from finance_api.values.time import Period
from finance_api.web.page import page
from finance_api.web.plots import Label, column_plot
from finance_api.web.rendering import month_words
from finance_api.web.routes import get
from finance_api.web.timespans import Timespan
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
    kind = Period(period.unit.removesuffix("s"))
    spans = [Timespan.around(kind, start) for start in boundaries[:-1]]
    numbers = [(span.words(region), sums.get(span.first, 0)) for span in spans]
    plot = column_plot(
        {"requests": [number for _, number in numbers]},
        [_short_label(span.first, period.unit, region) for span in spans],
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
