"""The overview."""

from collections import Counter
from typing import Any

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import OVERVIEW, SETTINGS_PAGES
from finance_api.query.model import RELATIVE_DATES
from finance_api.resources import BUDGETS
from finance_api.storage.interface import Proposed, data_state_of
from finance_api.values.colors import chart_color
from finance_api.values.time import MONTHS, Period, date_text
from finance_api.web.api_requests import ApiAnswers
from finance_api.web.cells import Cells
from finance_api.web.found_payments import paid_again
from finance_api.web.overview import MOST_ROWS, Overview
from finance_api.web.page import SeeOther, own_rows, page
from finance_api.web.routes import get
from finance_api.web.timespans import Timespan, parse_timespan


@get("overview", Permission.DATA_READ, "overview")
def show_overview(request: Request) -> dict[str, Any]:
    request.accepted = names = "period", "from", "to"
    owned, answers = own_rows(request), ApiAnswers(request)
    counts: Counter[str] = Counter()
    accounts = owned.accounts.rows.values()
    for account in accounts:
        counts[account["currencyCode"]] += account["recordCount"]
    if not counts:
        return page("overview", "Overview", overview=None, errors={})
    # The currency with the most records comes first.
    currencies = sorted(counts, key=lambda currency: (-counts[currency], currency))
    base = request.user.base_currency or ""
    targets = list(dict.fromkeys([*currencies, *([base] if base else [])]))
    rated = request.storage.rates.get_state().currencies if len(targets) > 1 else frozenset()
    convertible = [each for each in targets if rated and (each in rated or each == "EUR")]
    wanted = request.GET.get("currency", "")
    converted = request.GET.get("convertTo", "") or ("" if wanted else base)
    is_converted = converted in convertible
    usual = base if base in counts else currencies[0]
    currency = converted if is_converted else wanted if wanted in counts else usual
    given = {name: request.GET.get(name, "") for name in names}
    is_asked = any(given.values())
    span = parse_timespan(given["period"], given["from"], given["to"]) if is_asked else None
    if given["period"] in RELATIVE_DATES:
        span = Timespan.named(given["period"], answers.today)
    errors = {} if span or not is_asked else {"from": "Enter two days, the earlier one first."}
    span = span or Timespan.around(Period.MONTH, answers.today)
    overview = Overview(
        answers, span, currency, request.region, accounts, is_converted=is_converted
    )
    state = data_state_of(request.storage, request.user.id)
    chosen = {"convertTo" if is_converted else "currency": currency}
    return page(
        "overview",
        "Overview",
        overview=overview,
        api=answers.shown,
        errors=errors,
        given=given,
        currencies=currencies,
        convertible=convertible,
        chosen=chosen,
        kinds=[
            (kind.value.capitalize(), Timespan.around(kind, min(answers.today, span.last)))
            for kind in MONTHS
        ],
        cells=Cells(owned, request.region),
        colors={key: chart_color(row["color"]) for key, row in owned.categories.rows.items()},
        progress_field=BUDGETS["progress"],
        proposed={
            kind: request.storage.ledger.count_proposals(request.user.id, kind) for kind in Proposed
        },
        again=paid_again(owned, answers.today, request.region) if overview.has_expected else (),
        most=MOST_ROWS,
        today=date_text(answers.today),
        revision=state.revision,
        changed_at=state.changed_at if state.revision else None,
    )


@get("settings", NO_PERMISSION_REQUIRED)
@get("settings.slash", NO_PERMISSION_REQUIRED)
def show_settings(request: Request) -> Response:
    return SeeOther(f"{SETTINGS_PAGES}/tokens")


@get("root", NO_PERMISSION_REQUIRED, header="Accept:.*text/html")
def show_root(request: Request) -> Response:
    """Redirect browsers from the root to the overview; programs get the index of the API."""
    return SeeOther(OVERVIEW)
